package kerneltest

import (
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"splat/internal/kernel"
	"splat/internal/pipeline"
)

// State hashes every persistent buffer of a pipeline by name: two runs are equal
// if and only if their states are.
func State(t testing.TB, pl *pipeline.Pipeline) map[string]uint64 {
	t.Helper()
	out := map[string]uint64{}
	for _, b := range pl.All() {
		if !b.Persistent || b == pl.Image {
			continue
		}
		data := make([]byte, b.Bytes())
		if err := pl.Backend.ReadBytes(b, 0, data); err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		h.Write(data)
		out[b.Name] = h.Sum64()
	}
	return out
}

// Different lists the buffers in which two states differ.
func Different(a, b map[string]uint64) []string {
	var out []string
	for name, v := range a {
		if b[name] != v {
			out = append(out, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			out = append(out, fmt.Sprintf("%s (missing)", name))
		}
	}
	slices.Sort(out)
	return out
}

// Reals reads n numbers of a real buffer.
func Reals(t testing.TB, pl *pipeline.Pipeline, b *kernel.Buffer, n int) []float32 {
	t.Helper()
	out := make([]float32, n)
	if err := kernel.ReadSlice(pl.Backend, b, 0, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Words reads n numbers of a u32 buffer.
func Words(t testing.TB, pl *pipeline.Pipeline, b *kernel.Buffer, n int) []uint32 {
	t.Helper()
	out := make([]uint32, n)
	if err := kernel.ReadSlice(pl.Backend, b, 0, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// SetControl stores the device's state.
func SetControl(t testing.TB, pl *pipeline.Pipeline, c kernel.Control) {
	t.Helper()
	if err := kernel.WriteRecord(pl.Backend, pl.Control, 0, c); err != nil {
		t.Fatal(err)
	}
}
