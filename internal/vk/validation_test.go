package vk

import (
	"strings"
	"testing"
)

// everything uses each part of the package once, with the barriers it needs.
func everything(r *rig) {
	r.Helper()
	roundTrip(r, 300)
	counts := r.buffer("counts", 12, DeviceMemory)
	x := r.buffer("x", 4*256, DeviceMemory)
	down := r.buffer("down", 4*256, ReadbackMemory)
	make3 := r.pipeline(PipelineSpec{Name: "counts", Code: code(r, "counts"), Bindings: 1, PushBytes: 4})
	spec := scaleSpec(r, 2)
	if g := r.Info().Subgroup; g.Pin && g.FullGroups && 64%g.Max == 0 {
		spec.SubgroupSize, spec.FullSubgroups = g.Max, true
	}
	scale := r.pipeline(spec)
	sets := r.sets(SetSpec{make3, []*Buffer{counts}}, SetSpec{scale, []*Buffer{x}})
	c := r.record(func(c *Commands) {
		c.Fill(x, 0, x.Size(), 1)
		c.Update(counts, 0, make([]byte, 12))
		c.Barrier(TransferToCompute | TransferToIndirect)
		c.Bind(scale, sets, 1)
		c.Push(scale, []uint32{256, 1})
		c.DispatchIndirect(counts, 0)
		c.Barrier(ComputeToCompute | ComputeToIndirect)
		c.Bind(make3, sets, 0)
		c.Push(make3, []uint32{256})
		c.Dispatch(1, 1, 1)
		c.Barrier(ComputeToCompute | ComputeToIndirect)
		c.Bind(scale, sets, 1)
		c.Push(scale, []uint32{256, 1})
		c.DispatchIndirect(counts, 0)
		c.Barrier(ComputeToTransfer)
		c.Copy(down, 0, x, 0, x.Size())
		c.Barrier(TransferToTransfer)
		c.Fill(x, 0, 4, 0)
		c.Barrier(TransferToCompute | TransferToIndirect | TransferToTransfer | ToHost)
	})
	done := r.timeline()
	r.must(r.Submit([]*Commands{c}, nil, []Point{{done, 1}}))
	r.must(r.Submit([]*Commands{c, c}, []Point{{done, 1}}, []Point{{done, 2}}))
	_, err := done.Wait(2, -1)
	r.must(err)
	if got := getWords(down.Bytes()); got[0] != 3 || got[255] != 3 {
		r.Errorf("x is %d ... %d, expected 3", got[0], got[255])
	}
	timed(r)
	_, err = r.CacheData()
	r.must(err)
}

func timed(r *rig) {
	r.Helper()
	if r.Info().Limits.TimestampBits == 0 {
		return
	}
	ts, err := r.NewTimestamps(2)
	r.must(err)
	r.run(func(c *Commands) {
		c.ResetTimestamps(ts, 0, 2)
		c.Timestamp(ts, 0)
		c.Timestamp(ts, 1)
	})
	out := make([]uint64, 2)
	if ready, err := ts.Read(0, out); !ready || err != nil || out[1] < out[0] {
		r.Errorf("%v, %v, %v", out, ready, err)
	}
}

// Validation has nothing to say about any of it, nor about what Close leaves behind.
func TestValidationIsSilent(t *testing.T) {
	r := validating(t)
	everything(r)
	once, err := r.NewCommands(false)
	r.must(err)
	once.Fill(r.buffer("b", 4, DeviceMemory), 0, 4, 0)
	r.must(once.End())
	r.finish(once)
	r.must(once.Reset())
	r.must(once.End())
	if _, err := r.NewDescriptors(nil); err != nil {
		t.Error(err)
	}
}

// complaints runs f on a validating device and returns what validation said until all
// was closed.
func complaints(t *testing.T, f func(r *rig)) []Message {
	t.Helper()
	skipWithoutLayer(t)
	i := openInstance(t, Options{Validate: true})
	f(&rig{t, openDevice(t, i, DeviceOptions{}), i})
	i.Close()
	return i.Messages()
}

// hazard writes a buffer in one dispatch and reads it in the next. The layer counts a
// binding as read only if the kernel declares it readonly, and releases of 2023 do not
// report two dispatches that both write.
func hazard(r *rig, barrier BarrierKind) {
	x, y := r.buffer("shared words", 4*64, DeviceMemory), r.buffer("y", 4*64, DeviceMemory)
	write, read := r.pipeline(scaleSpec(r, 1)), r.pipeline(copySpec(r))
	sets := r.sets(SetSpec{write, []*Buffer{x}}, SetSpec{read, []*Buffer{x, y}})
	r.run(func(c *Commands) {
		c.Bind(write, sets, 0)
		c.Push(write, []uint32{64, 1})
		c.Dispatch(1, 1, 1)
		c.Barrier(barrier)
		c.Bind(read, sets, 1)
		c.Push(read, []uint32{64})
		c.Dispatch(1, 1, 1)
	})
}

func TestMissingBarrierIsReported(t *testing.T) {
	list := complaints(t, func(r *rig) { hazard(r, 0) })
	if len(list) == 0 {
		t.Fatal("validation did not see it")
	}
	for _, m := range list {
		if m.Severity != Failure || !strings.HasPrefix(m.ID, "SYNC-HAZARD-") || !strings.Contains(m.Text, "shared words") {
			t.Errorf("%s", m)
		}
	}
}

// Barriers of other kinds do not hide it.
func TestWrongBarrierIsReported(t *testing.T) {
	for _, kind := range []BarrierKind{ComputeToIndirect, TransferToCompute, ToHost} {
		if len(complaints(t, func(r *rig) { hazard(r, kind) })) == 0 {
			t.Errorf("barrier %b hides a hazard between dispatches", kind)
		}
	}
	if list := complaints(t, func(r *rig) { hazard(r, ComputeToCompute) }); len(list) > 0 {
		t.Errorf("with the right barrier: %v", list)
	}
}

// A fill of what a dispatch wrote needs the barrier between the two stages.
func TestTransferHazardsAreReported(t *testing.T) {
	for name, kind := range map[string]BarrierKind{"right": ComputeToTransfer, "none": 0, "wrong": ComputeToCompute} {
		list := complaints(t, func(r *rig) {
			x := r.buffer("x", 4*64, DeviceMemory)
			p := r.pipeline(scaleSpec(r, 1))
			sets := r.sets(SetSpec{p, []*Buffer{x}})
			r.run(func(c *Commands) {
				c.Bind(p, sets, 0)
				c.Push(p, []uint32{64, 1})
				c.Dispatch(1, 1, 1)
				c.Barrier(kind)
				c.Fill(x, 0, 64, 0)
			})
		})
		if (len(list) == 0) != (name == "right") {
			t.Errorf("%s barrier: %v", name, list)
		}
	}
}

// A resource that Close does not know of is reported by the layer, under its name: so
// silence in the tests above means that all were destroyed.
func TestLeakIsReported(t *testing.T) {
	list := complaints(t, func(r *rig) {
		b := r.buffer("forgotten", 64, DeviceMemory)
		r.forget(b)
	})
	text := ""
	for _, m := range list {
		text += m.String() + "\n"
	}
	if !strings.Contains(text, "forgotten") || !strings.HasPrefix(text, "error: VUID-vkDestroyDevice") {
		t.Errorf("%q", text)
	}
}

func TestMessagesAreBounded(t *testing.T) {
	m := newMessages()
	defer m.retire()
	i := &Instance{log: m}
	data := put[debugUtilsMessengerCallbackDataEXT](newArena())
	for range keptMessages + 5 {
		receive(debugUtilsMessageSeverityWarningBitExt, 0, data, m.id)
	}
	receive(0, 0, data, m.id+1000) // nobody's
	if got := i.Messages(); len(got) != keptMessages || got[0] != (Message{}) {
		t.Errorf("%d messages, the first %v", len(got), got[0])
	}
	if (&Instance{}).Messages() != nil {
		t.Error("messages without validation")
	}
	if s := (Message{Failure, "VUID-x", "bad"}).String(); s != "error: VUID-x: bad" {
		t.Error(s)
	}
}
