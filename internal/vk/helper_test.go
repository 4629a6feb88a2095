package vk

import (
	"embed"
	"encoding/binary"
	"errors"
	"os"
	"testing"
	"time"
)

//go:embed testdata/*.spv
var spirv embed.FS

// requireEnv makes tests fail, not skip, where there is no Vulkan device.
const requireEnv = "SPLAT_REQUIRE_VULKAN"

// rig is a device for one test.
type rig struct {
	*testing.T
	*Device
	instance *Instance
}

// openInstance skips the test without a loader or a device.
func openInstance(t *testing.T, o Options) *Instance {
	t.Helper()
	i, err := Open(o)
	if err != nil && os.Getenv(requireEnv) == "1" {
		t.Fatalf("%s=1: %v", requireEnv, err)
	}
	if errors.Is(err, ErrNoLoader) || errors.Is(err, ErrNoDevice) {
		t.Skipf("no Vulkan here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	return i
}

// usable returns the first device that can be opened.
func usable(t *testing.T, i *Instance) *Physical {
	t.Helper()
	var why []string
	for _, p := range i.Devices() {
		if p.Info().Unusable == "" {
			return p
		}
		why = append(why, p.Info().Name+": "+p.Info().Unusable)
	}
	if os.Getenv(requireEnv) == "1" {
		t.Fatalf("%s=1 and no usable device: %q", requireEnv, why)
	}
	t.Skipf("no usable Vulkan device: %q", why)
	return nil
}

func openDevice(t *testing.T, i *Instance, o DeviceOptions) *Device {
	t.Helper()
	d, err := usable(t, i).Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func newRig(t *testing.T) *rig {
	t.Helper()
	i := openInstance(t, Options{})
	return &rig{t, openDevice(t, i, DeviceOptions{}), i}
}

// validating is a rig whose test fails on any message of the validation layer.
func validating(t *testing.T) *rig {
	t.Helper()
	skipWithoutLayer(t)
	i := openInstance(t, Options{Validate: true})
	r := &rig{t, nil, i}
	t.Cleanup(func() { // after the device and the instance are closed
		for _, m := range i.Messages() {
			t.Errorf("validation: %s", m)
		}
	})
	t.Cleanup(i.Close)
	r.Device = openDevice(t, i, DeviceOptions{})
	return r
}

// skipWithoutLayer skips only when the layer is really not there.
func skipWithoutLayer(t *testing.T) {
	t.Helper()
	i := openInstance(t, Options{})
	a := borrow()
	defer a.release()
	layers, err := i.loader.layers(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layers {
		if l == validationLayer {
			return
		}
	}
	if _, err := Open(Options{Validate: true}); err == nil {
		t.Error("Open validates without the layer")
	}
	t.Skipf("the layer %s is not installed", validationLayer)
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func code(t testing.TB, kernel string) []byte {
	t.Helper()
	b, err := spirv.ReadFile("testdata/" + kernel + ".spv")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// copySpec copies words from binding 0 to binding 1.
func copySpec(t testing.TB) PipelineSpec {
	return PipelineSpec{Name: "copy", Code: code(t, "copy"), Bindings: 2, PushBytes: 4}
}

// scaleSpec computes x*factor + add in place.
func scaleSpec(t testing.TB, factor uint32) PipelineSpec {
	return PipelineSpec{Name: "scale", Code: code(t, "scale"), Bindings: 1, PushBytes: 8,
		Constants: []Constant{{ID: 0, Value: 64}, {ID: 7, Value: factor}}}
}

func (r *rig) pipeline(s PipelineSpec) *Pipeline {
	r.Helper()
	p, err := r.NewPipeline(s)
	r.must(err)
	return p
}

func (r *rig) buffer(name string, size int64, kind MemoryKind) *Buffer {
	r.Helper()
	b, err := r.NewBuffer(name, size, kind)
	r.must(err)
	return b
}

func (r *rig) sets(specs ...SetSpec) *Descriptors {
	r.Helper()
	s, err := r.NewDescriptors(specs)
	r.must(err)
	return s
}

func (r *rig) timeline() *Timeline {
	r.Helper()
	t, err := r.NewTimeline()
	r.must(err)
	return t
}

// record makes a reusable list.
func (r *rig) record(f func(c *Commands)) *Commands {
	r.Helper()
	c, err := r.NewCommands(true)
	r.must(err)
	f(c)
	r.must(c.End())
	return c
}

// run records, submits and waits.
func (r *rig) run(f func(c *Commands)) {
	r.Helper()
	c := r.record(f)
	defer c.Free()
	r.finish(c)
}

// finish submits and waits.
func (r *rig) finish(c ...*Commands) {
	r.Helper()
	done := r.timeline()
	defer done.Free()
	r.must(r.Submit(c, nil, []Point{{done, 1}}))
	ok, err := done.Wait(1, time.Minute)
	r.must(err)
	if !ok {
		r.Fatal("the device is not done after a minute")
	}
}

func putWords(b []byte, words ...uint32) {
	for i, w := range words {
		binary.NativeEndian.PutUint32(b[4*i:], w)
	}
}

func getWords(b []byte) []uint32 {
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.NativeEndian.Uint32(b[4*i:])
	}
	return w
}

// count returns n words from, from+step, ...
func count(n int, from, step uint32) []uint32 {
	w := make([]uint32, n)
	for i := range w {
		w[i] = from + uint32(i)*step
	}
	return w
}
