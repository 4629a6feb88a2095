package vk

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

func TestPipelineMistakes(t *testing.T) {
	r := newRig(t)
	g := r.Info().Subgroup
	for name, c := range map[string]struct {
		change func(s *PipelineSpec)
		want   string
	}{
		"empty":       {func(s *PipelineSpec) { s.Code = nil }, "0 bytes of code"},
		"no SPIR-V":   {func(s *PipelineSpec) { s.Code = bytes.Repeat([]byte{1}, 64) }, "not SPIR-V"},
		"cut":         {func(s *PipelineSpec) { s.Code = s.Code[:41] }, "41 bytes of code"},
		"bindings":    {func(s *PipelineSpec) { s.Bindings = -1 }, "-1 storage buffers"},
		"push":        {func(s *PipelineSpec) { s.PushBytes = 6 }, "6 bytes of push constants"},
		"push size":   {func(s *PipelineSpec) { s.PushBytes = 1 << 20 }, "1048576 bytes of push constants"},
		"subgroup":    {func(s *PipelineSpec) { s.SubgroupSize = 2 * g.Max }, "subgroup size"},
		"subgroup 12": {func(s *PipelineSpec) { s.SubgroupSize = 12 }, "subgroup size"},
	} {
		s := copySpec(t)
		c.change(&s)
		_, err := r.NewPipeline(s)
		if err == nil || !strings.HasPrefix(err.Error(), `pipeline "copy": `) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
	}
	if n := r.Counters().Pipelines; n != 0 {
		t.Errorf("%d pipelines made", n)
	}
}

func TestDescriptorMistakes(t *testing.T) {
	r := newRig(t)
	b, p := r.buffer("b", 4, DeviceMemory), r.pipeline(copySpec(t))
	for want, s := range map[string][]SetSpec{
		"descriptor set 1 has no pipeline":                             {{p, []*Buffer{b, b}}, {}},
		`descriptor set 0 of pipeline "copy": 1 buffers, expected 2`:   {{p, []*Buffer{b}}},
		`descriptor set 0 of pipeline "copy": no buffer for binding 1`: {{p, []*Buffer{b, nil}}},
	} {
		if _, err := r.NewDescriptors(s); err == nil || err.Error() != want {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

// A pinned subgroup size is what the kernel sees.
func TestSubgroupSize(t *testing.T) {
	r := newRig(t)
	g := r.Info().Subgroup
	sizes := []int{0}
	for n := g.Min; g.Pin && n <= g.Max; n *= 2 {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		out := r.buffer("out", 4, ReadbackMemory)
		p := r.pipeline(PipelineSpec{Name: "subgroup", Code: code(t, "subgroup"), Bindings: 1,
			SubgroupSize: n, FullSubgroups: g.FullGroups && n > 0 && 128%n == 0})
		sets := r.sets(SetSpec{p, []*Buffer{out}})
		r.run(func(c *Commands) {
			c.Bind(p, sets, 0)
			c.Dispatch(1, 1, 1)
			c.Barrier(ToHost)
		})
		got := int(getWords(out.Bytes())[0])
		if n > 0 && got != n || got < 1 {
			t.Errorf("pinned to %d, the kernel has %d", n, got)
		}
	}
}

func TestParallelPipelines(t *testing.T) {
	r := newRig(t)
	var g errgroup.Group
	for i := range 24 {
		g.Go(func() error {
			s := scaleSpec(t, uint32(i))
			s.Bindings = 1 + i%3
			p, err := r.NewPipeline(s)
			if err == nil && i%2 == 0 {
				p.Free()
			}
			return err
		})
	}
	r.must(g.Wait())
	if n := len(r.layouts); n != 3 {
		t.Errorf("%d layouts, expected 3", n)
	}
}

// What CacheData returned is accepted by the next device, and grows no more.
func TestCacheIsReused(t *testing.T) {
	r := newRig(t)
	r.pipeline(copySpec(t))
	blob, err := r.CacheData()
	r.must(err)
	if !r.physical.accepts(blob) {
		t.Fatalf("the device does not accept its own %d bytes", len(blob))
	}
	d := openDevice(t, r.instance, DeviceOptions{Cache: blob})
	again := &rig{t, d, r.instance}
	before, err := again.CacheData()
	r.must(err)
	again.pipeline(copySpec(t))
	after, err := again.CacheData()
	r.must(err)
	if len(after) > len(before) && len(before) > cacheHeader {
		t.Errorf("a kernel of the cache was compiled again: %d bytes, then %d", len(before), len(after))
	}
	roundTrip(again, 100)
}

func TestForeignCacheIsIgnored(t *testing.T) {
	r := newRig(t)
	blob, err := r.CacheData()
	r.must(err)
	for name, change := range map[string]func(b []byte) []byte{
		"cut":     func(b []byte) []byte { return b[:cacheHeader-1] },
		"version": func(b []byte) []byte { b[4]++; return b },
		"vendor":  func(b []byte) []byte { b[8]++; return b },
		"device":  func(b []byte) []byte { b[12]++; return b },
		"driver":  func(b []byte) []byte { b[20]++; return b },
		"noise":   func(b []byte) []byte { return bytes.Repeat([]byte{0xee}, 1000) },
	} {
		bad := change(slices.Clone(blob))
		if r.physical.accepts(bad) {
			t.Errorf("%s: accepted", name)
		}
		d := openDevice(t, r.instance, DeviceOptions{Cache: bad})
		roundTrip(&rig{t, d, r.instance}, 10)
		d.Close()
	}
}
