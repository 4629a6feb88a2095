package vk

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// roundTrip copies n words up, through a kernel, and down again.
func roundTrip(r *rig, n int) {
	r.Helper()
	size := int64(4 * n)
	up := r.buffer("up", size, UploadMemory)
	from := r.buffer("from", size, DeviceMemory)
	to := r.buffer("to", size, DeviceMemory)
	down := r.buffer("down", size, ReadbackMemory)
	p := r.pipeline(copySpec(r))
	sets := r.sets(SetSpec{p, []*Buffer{from, to}})
	defer freeAll(up, from, to, down, p, sets)
	want := count(n, 3, 5)
	putWords(up.Bytes(), want...)
	r.run(func(c *Commands) {
		c.Copy(from, 0, up, 0, size)
		c.Fill(to, 0, size, 0xdead)
		c.Barrier(TransferToCompute)
		c.Bind(p, sets, 0)
		c.Push(p, []uint32{uint32(n - 1)}) // the last word stays
		c.Dispatch(uint32(n+63)/64, 1, 1)
		c.Barrier(ComputeToTransfer)
		c.Copy(down, 0, to, 0, size)
		c.Barrier(ToHost)
	})
	want[n-1] = 0xdead
	if d := cmp.Diff(want, getWords(down.Bytes())); d != "" {
		r.Error(d)
	}
}

func freeAll(list ...resource) {
	for _, f := range list {
		f.Free()
	}
}

func TestRoundTrip(t *testing.T) {
	r := newRig(t)
	for _, n := range []int{1, 64, 1000} {
		roundTrip(r, n)
	}
}

// scaled runs x = x*factor + add once with the given lists of push constants, ordered
// by barriers.
func scaled(r *rig, factor uint32, pushes ...[]uint32) []uint32 {
	const n = 100
	x := r.buffer("x", 4*n, ReadbackMemory)
	p := r.pipeline(scaleSpec(r, factor))
	sets := r.sets(SetSpec{p, []*Buffer{x}})
	defer freeAll(x, p, sets)
	putWords(x.Bytes(), count(n, 0, 1)...)
	r.run(func(c *Commands) {
		c.Bind(p, sets, 0)
		for _, w := range pushes {
			c.Push(p, w)
			c.Dispatch(2, 1, 1)
			c.Barrier(ComputeToCompute)
		}
		c.Barrier(ToHost)
	})
	return getWords(x.Bytes())
}

func TestPushAndSpecializationConstants(t *testing.T) {
	r := newRig(t)
	if d := cmp.Diff(count(100, 7, 3), scaled(r, 3, []uint32{100, 7})); d != "" {
		t.Error("factor 3, add 7:", d)
	}
	// A shorter push keeps the words behind it: the second adds 7 too, to half of x.
	got := scaled(r, 1, []uint32{100, 7}, []uint32{50})
	want := slices.Concat(count(50, 14, 1), count(50, 57, 1))
	if d := cmp.Diff(want, got); d != "" {
		t.Error("two pushes:", d)
	}
}

func TestIndirectDispatch(t *testing.T) {
	const n = 200
	r := newRig(t)
	counts := r.buffer("counts", 16, DeviceMemory)
	x := r.buffer("x", 4*1000, ReadbackMemory)
	make3 := r.pipeline(PipelineSpec{Name: "counts", Code: code(t, "counts"), Bindings: 1, PushBytes: 4})
	scale := r.pipeline(scaleSpec(t, 1))
	sets := r.sets(SetSpec{make3, []*Buffer{counts}}, SetSpec{scale, []*Buffer{x}})
	clear(x.Bytes())
	r.run(func(c *Commands) {
		c.Bind(make3, sets, 0)
		c.Push(make3, []uint32{n})
		c.Dispatch(1, 1, 1)
		c.Barrier(ComputeToCompute | ComputeToIndirect)
		c.Bind(scale, sets, 1)
		c.Push(scale, []uint32{1000, 1})
		c.DispatchIndirect(counts, 0)
		c.Barrier(ComputeToTransfer) // counts are read before they are replaced
		c.Update(counts, 4, []byte{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0})
		c.Barrier(TransferToIndirect | ComputeToCompute)
		c.DispatchIndirect(counts, 4)
		c.Barrier(ToHost)
	})
	want := slices.Concat(count(64, 2, 0), count(192, 1, 0), count(744, 0, 0))
	if d := cmp.Diff(want, getWords(x.Bytes())); d != "" {
		t.Error(d)
	}
}

func TestTransferOffsets(t *testing.T) {
	r := newRig(t)
	b := r.buffer("b", 40, DeviceMemory)
	down := r.buffer("down", 40, ReadbackMemory)
	r.run(func(c *Commands) {
		c.Fill(b, 0, 40, 1)
		c.Fill(b, 0, 0, 9) // nothing
		c.Barrier(TransferToTransfer)
		c.Fill(b, 8, 4, 2)
		c.Update(b, 12, []byte{3, 0, 0, 0})
		c.Barrier(TransferToTransfer)
		c.Copy(b, 32, b, 8, 8)
		c.Barrier(TransferToTransfer)
		c.Copy(down, 0, b, 0, 40)
		c.Barrier(ToHost)
	})
	if d := cmp.Diff([]uint32{1, 1, 2, 3, 1, 1, 1, 1, 2, 3}, getWords(down.Bytes())); d != "" {
		t.Error(d)
	}
}

// A list that is made once is reset and recorded anew.
func TestReset(t *testing.T) {
	r := newRig(t)
	down := r.buffer("down", 4, ReadbackMemory)
	c, err := r.NewCommands(false)
	r.must(err)
	for word := range uint32(3) {
		if word > 0 {
			r.must(c.Reset())
		}
		c.Fill(down, 0, 4, word)
		c.Barrier(ToHost)
		r.must(c.End())
		r.finish(c)
		if got := getWords(down.Bytes())[0]; got != word {
			t.Errorf("recording %d wrote %d", word, got)
		}
	}
}

// End returns the first mistake of a recording, which names what it is about.
func TestRecordingMistakes(t *testing.T) {
	r := newRig(t)
	b := r.buffer("heap", 64, DeviceMemory)
	p := r.pipeline(copySpec(t))
	none := r.sets()
	for name, record := range map[string]struct {
		f    func(c *Commands)
		want string
	}{
		"copy":      {func(c *Commands) { c.Copy(b, 32, b, 0, 36) }, `buffer "heap": 36 bytes at 32`},
		"overflow":  {func(c *Commands) { c.Copy(b, 4, b, 0, 1<<63-4) }, `buffer "heap"`},
		"alignment": {func(c *Commands) { c.Fill(b, 2, 4, 0) }, `buffer "heap": 4 bytes at 2`},
		"fill":      {func(c *Commands) { c.Fill(b, 0, 6, 0) }, `fill of 6 bytes`},
		"update":    {func(c *Commands) { c.Update(b, 0, make([]byte, 7)) }, `update of 7 bytes`},
		"indirect":  {func(c *Commands) { c.DispatchIndirect(b, 56) }, `buffer "heap": 12 bytes at 56`},
		"push":      {func(c *Commands) { c.Push(p, []uint32{1, 2}) }, `pipeline "copy": 8 bytes`},
		"unbound":   {func(c *Commands) { c.Bind(p, nil, 0) }, `pipeline "copy": bound without`},
		"set":       {func(c *Commands) { c.Bind(p, none, 0) }, `descriptor set 0 of 0`},
		"groups":    {func(c *Commands) { c.Dispatch(^uint32(0), 1, 1) }, `4294967295 x 1 x 1`},
		"first":     {func(c *Commands) { c.Fill(b, 0, 6, 0); c.Push(p, []uint32{1, 2}) }, `fill of 6`},
	} {
		c, err := r.NewCommands(false)
		r.must(err)
		record.f(c)
		if err := c.End(); err == nil || !strings.Contains(err.Error(), record.want) {
			t.Errorf("%s: %v, expected %q", name, err, record.want)
		}
		if err := r.Submit([]*Commands{c}, nil, nil); err == nil || !strings.Contains(err.Error(), "1 of 1") {
			t.Errorf("%s: submitting it: %v", name, err)
		}
	}
	c := r.record(func(c *Commands) {})
	c.Dispatch(1, 1, 1)
	if c.err != errEnded {
		t.Errorf("recording behind End: %v", c.err)
	}
}
