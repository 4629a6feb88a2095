package kerneltest

import (
	"fmt"
	"hash/fnv"
	"slices"

	"splat/internal/pipeline"
)

// stateOf hashes every persistent buffer of a pipeline by name: two runs are equal
// if and only if their states are.
func stateOf(pl *pipeline.Pipeline) (map[string]uint64, error) {
	out := map[string]uint64{}
	for _, b := range pl.All() {
		if !b.Persistent || b == pl.Image {
			continue
		}
		data := make([]byte, b.Bytes())
		if err := pl.Backend.ReadBytes(b, 0, data); err != nil {
			return nil, err
		}
		h := fnv.New64a()
		h.Write(data)
		out[b.Name] = h.Sum64()
	}
	return out, nil
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
