package train

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/backend"
	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/imageio"
)

const smallPicture = 40 * 40 * pixelBytes

// devices are those that the tests of uploading run on: with SPLAT_REQUIRE_VULKAN a
// GPU must be there.
func devices(t *testing.T) []string {
	t.Helper()
	list, err := backend.Devices()
	switch {
	case err == nil && len(list) > 0:
		return []string{"cpu", "vulkan"}
	case os.Getenv("SPLAT_REQUIRE_VULKAN") == "1":
		t.Fatalf("SPLAT_REQUIRE_VULKAN is set, and there is no device: %v", err)
	}
	return []string{"cpu"}
}

// runTight is Run with so little room for pairs at the start that steps overflow. It
// reports how often.
func runTight(t *testing.T, o Options) (*Result, int) {
	t.Helper()
	s, err := newSession(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	const few = 64
	if err := s.pl.GrowPairs(few); err != nil {
		t.Fatal(err)
	}
	stop, err := s.loop(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	grown := 0
	if s.pl.Plan.Pairs > few {
		grown = s.pl.Plan.Pairs
	}
	r, err := s.finish(context.Background(), stop, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, grown
}

// Where the pictures are must not change a bit of the splats: with places for few or
// for many, with overflows on the way, with pictures that are decoded again and again,
// and resumed from a checkpoint.
func TestUploadedTargetsTrainTheSame(t *testing.T) {
	capture := smallCapture(t)
	for _, device := range devices(t) {
		hosts := []int64{5 * smallPicture}
		if device == "cpu" {
			hosts = append(hosts, 1, 1<<30)
		}
		for _, strategy := range []string{"mcmc", "adc"} {
			t.Run(device+" "+strategy, func(t *testing.T) {
				c := resumeConfig(strategy)
				c.Backend.Device = device
				want, _ := mustRun(t, c, capture)
				c.Train.SaveEvery = 23
				few, many := c, c
				few.Backend.ImageBudget = 4 * smallPicture
				many.Backend.Targets = "upload"
				for _, host := range hosts {
					sameSplats(t, want, Options{Config: few, Capture: capture, hostBytes: host})
					sameSplats(t, want, Options{Config: many, Capture: capture, hostBytes: host})
				}
			})
		}
	}
}

// sameSplats trains with little room for pairs, resumes from the middle, and compares.
func sameSplats(t *testing.T, want *Result, o Options) {
	t.Helper()
	name := fmt.Sprintf("budget %d, %s, %d bytes on the host", o.Config.Backend.ImageBudget, o.Config.Backend.Targets, o.hostBytes)
	kept := newShelf(t)
	o.Observer, o.Checkpoints = &recorder{}, kept
	got, pairs := runTight(t, o)
	if pairs == 0 {
		t.Errorf("%s: nothing overflowed", name)
	}
	if d := cmp.Diff(want.Final.PerView, got.Final.PerView); d != "" {
		t.Errorf("%s: evaluation (-resident +ring):\n%s", name, d)
	}
	if !cmp.Equal(want.Cloud, got.Cloud) {
		t.Errorf("%s: other splats", name)
	}
	o.Checkpoints, o.Resume = nil, kept.open(t, 23)
	if got, _ := mustResume(t, o); !cmp.Equal(want.Cloud, got.Cloud) {
		t.Errorf("%s: other splats after resuming", name)
	}
}

// With masks the loss counts used pixels: they must be known before the first step.
func TestUploadedMasks(t *testing.T) {
	capture := smallCapture(t)
	holes := imageio.New(40, 40)
	for i := range holes.Pix {
		holes.Pix[i] = uint8(i * 7)
		if i%4 == 3 {
			holes.Pix[i] = uint8(i / 4 % 3 * 127)
		}
	}
	capture.Views[0].Image = t.TempDir() + "/holes.png"
	if err := imageio.WritePNG(capture.Views[0].Image, holes); err != nil {
		t.Fatal(err)
	}
	c := smallConfig("mcmc", 30)
	c.Data.Alpha = "mask"
	want, said := mustRun(t, c, capture)
	c.Backend.ImageBudget = 4 * smallPicture
	got, saidToo := mustRun(t, c, capture)
	if !cmp.Equal(want.Cloud, got.Cloud) {
		t.Error("other splats")
	}
	alpha := func(r *recorder) string { return r.notes[len(r.notes)-2] }
	if a, b := alpha(said), alpha(saidToo); a != b || !strings.Contains(a, "pixels to ignore") {
		t.Errorf("resident %q, ring %q", a, b)
	}
}

func TestImageBudgetIsRefused(t *testing.T) {
	capture := smallCapture(t)
	c := smallConfig("mcmc", 1)
	c.Backend.ImageBudget = 4*smallPicture - 1
	_, err := Memory(c, capture)
	want := "backend.image_budget: found 25599 bytes, room for 3 of the largest training pictures (40x40), expected room for at least 4 (25600 bytes); raise backend.image_budget or --downscale, or lower --max-size"
	if err == nil || err.Error() != want || fault.ExitCode(err) != 2 {
		t.Errorf("exit code %d: %v", fault.ExitCode(err), err)
	}
	if _, err := Run(context.Background(), Options{Config: c, Capture: capture, Observer: &recorder{}}); err == nil || err.Error() != want {
		t.Errorf("training: %v", err)
	}
}

// The automatic budget is a share of what the device has free.
func TestPlanOfTargets(t *testing.T) {
	const all = 10 * smallPicture
	for _, c := range []struct {
		budget, free  int64
		targets       string
		slots, pixels int
	}{
		{0, 0, "resident", 0, 16000},
		{all, 0, "resident", 0, 16000},
		{all - 1, 0, "resident", 9, 9 * 1600},
		{0, 4 * all, "resident", 0, 16000},
		{0, 4*all - 1, "resident", 9, 9 * 1600},
		{all, 5, "resident", 0, 16000},
		{all, 0, "upload", 10, 16000},
		{0, 0, "upload", 128, 128 * 1600},
	} {
		cfg := smallConfig("mcmc", 1)
		cfg.Backend.ImageBudget, cfg.Backend.Targets = config.Size(c.budget), c.targets
		s := &session{obs: silence{}}
		s.cfg, s.views = cfg, smallCapture(t).Train()
		s.trains = len(s.views)
		plan, err := s.plan(100, c.free)
		if err != nil || plan.RingSlots != c.slots || plan.TargetPixels != c.pixels {
			t.Errorf("%+v: %d places, %d pixels, %v", c, plan.RingSlots, plan.TargetPixels, err)
		}
	}
}

// The plan follows the ring, and the training says the same.
func TestMemoryOfUploadedTargets(t *testing.T) {
	capture := smallCapture(t)
	c := smallConfig("mcmc", 1)
	before := mustPlan(t, c, capture)
	c.Backend.ImageBudget = 4 * smallPicture
	m := mustPlan(t, c, capture)
	if m.TargetPixels.Count != 4*1600 || m.TargetPixels.Bytes != 4*smallPicture || m.Loading != 0 || m.TestPixels.Bytes != 0 || m.HostPixels.Bytes != 10*smallPicture {
		t.Errorf("plan %+v", m)
	}
	sum := m.Other
	for _, p := range []MemoryPart{m.Splats, m.Pairs, m.SortKeys, m.ViewPixels, m.ViewTiles, m.TargetPixels, m.TestPixels, m.HostPixels} {
		sum += p.Bytes
	}
	if sum != m.Total || before.HostPixels.Bytes != 0 {
		t.Errorf("the parts add up to %d, the total is %d; %d kept without a ring", sum, m.Total, before.HostPixels.Bytes)
	}
	_, rec := mustRun(t, c, capture)
	if said := estimateIn(t, rec.notes); said != m.String() {
		t.Errorf("planned %q, said %q", m.String(), said)
	}
}

// heldBytes is what a feed holds, decoded or being decoded.
func heldBytes(f *feed) (n int64) {
	for _, img := range f.kept {
		if img != nil {
			n += int64(len(img.Pix))
		}
	}
	return n + int64(len(f.ahead))*smallPicture
}

func newTestFeed(t *testing.T, views []dataset.View, limit int64) *feed {
	t.Helper()
	o := dataset.LoadOptions{Threads: 2}
	f := newFeed(views, 7, o, limit)
	t.Cleanup(f.close)
	if err := dataset.Each(context.Background(), views, o, f.offer); err != nil {
		t.Fatal(err)
	}
	return f
}

// A feed holds no more than it may, and delivers the right picture also when steps are
// asked for again, or skipped.
func TestFeedIsBounded(t *testing.T) {
	views := smallCapture(t).Train()
	want, err := dataset.Load(context.Background(), views, dataset.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int64{1, smallPicture, 4 * smallPicture, 9 * smallPicture, 10 * smallPicture, 1 << 30} {
		f := newTestFeed(t, views, limit)
		for _, step := range []int{0, 1, 2, 3, 9, 10, 11, 8, 9, 10, 30, 31, 5, 6} {
			img, err := f.take(step)
			if err != nil {
				t.Fatal(err)
			}
			if !cmp.Equal(want[f.view(step)], img) {
				t.Errorf("limit %d: another picture at step %d", limit, step)
			}
			if held := heldBytes(f); held > max(limit, smallPicture) {
				t.Errorf("limit %d: %d bytes held at step %d", limit, held, step)
			}
		}
	}
}

// A picture that is damaged while the training runs ends it with the file's name, and
// what was trained is there.
func TestPictureGoneLater(t *testing.T) {
	capture := smallCapture(t)
	rec := &recorder{}
	rec.onProgress = func(Progress) {
		for _, v := range capture.Train() {
			if err := os.WriteFile(v.Image, []byte("no picture"), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
	c := smallConfig("mcmc", 1000)
	c.Backend.ImageBudget, c.Train.LogEvery = 4*smallPicture, 1
	r, err := Run(context.Background(), Options{Config: c, Capture: capture, Observer: rec, hostBytes: 1})
	if err == nil || fault.ExitCode(err) != 3 {
		t.Fatalf("exit code %d: %v", fault.ExitCode(err), err)
	}
	named := false
	for _, v := range capture.Train() {
		named = named || strings.Contains(err.Error(), v.Image)
	}
	if r == nil || r.Steps < 1 || !named || !strings.HasPrefix(err.Error(), fmt.Sprintf("step %d: ", r.Steps)) {
		t.Errorf("result %+v, %v", r, err)
	}
}
