package kerneltest

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"splat/internal/kernel"
)

// Run is one dispatch executed twice from the same inputs. The maps are keyed by
// binding and hold the 32-bit words of the buffers.
type Run struct {
	Dispatch *kernel.Dispatch
	Groups   int
	Before   map[string][]uint32 // what the backend under test was given
	Want     map[string][]uint32 // what the reference left
	Got      map[string][]uint32 // what the backend under test left
}

// Count is the value of a slot of counts after the reference ran.
func (r *Run) Count(slot int) uint32 { return r.Want["counts"][slot] }

// Constant is the value of the kernel's constant called name.
func (r *Run) Constant(name string) int {
	for i, c := range r.Dispatch.Kernel.Constants {
		if c == name {
			return int(r.Dispatch.Constants[i])
		}
	}
	panic("kerneltest: kernel " + r.Dispatch.Kernel.Name + " has no constant " + name)
}

// Step is the step record after the reference ran.
func (r *Run) Step() kernel.Step {
	var s kernel.Step
	if _, err := binary.Decode(encode(r.Want["step"]), binary.LittleEndian, &s); err != nil {
		panic(err) // a step of another size cannot have been compiled
	}
	return s
}

// poison fills what a kernel promises not to read: a NaN as a real, an index far
// outside anything as an integer.
const poison = 0xFFFFDEAD

// field is one word of an element.
type field struct {
	name string
	real bool
}

// recordTypes are the records by element name.
var recordTypes = map[kernel.Elem]reflect.Type{
	"Control":  reflect.TypeFor[kernel.Control](),
	"Schedule": reflect.TypeFor[kernel.Schedule](),
	"View":     reflect.TypeFor[kernel.View](),
	"Step":     reflect.TypeFor[kernel.Step](),
	"Refine":   reflect.TypeFor[kernel.Refine](),
	"Stats":    reflect.TypeFor[kernel.Stats](),
}

// layout lists the words of an element. All fields of records are 4 bytes wide.
func layout(elem kernel.Elem) []field {
	switch elem {
	case kernel.U32:
		return []field{{"", false}}
	case kernel.Real:
		return []field{{"", true}}
	}
	return flatten("", recordTypes[elem], nil)
}

func flatten(name string, t reflect.Type, out []field) []field {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			out = flatten(t.Field(i).Name, t.Field(i).Type, out)
		}
		return out
	case reflect.Array:
		for i := range t.Len() {
			out = flatten(fmt.Sprintf("%s[%d]", name, i), t.Elem(), out)
		}
		return out
	}
	return append(out, field{name, t.Kind() == reflect.Float32})
}

// readWords fetches all of a buffer.
func readWords(be kernel.Backend, b *kernel.Buffer) ([]uint32, error) {
	data := make([]byte, b.Bytes())
	if err := be.ReadBytes(b, 0, data); err != nil {
		return nil, err
	}
	out := make([]uint32, len(data)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return out, nil
}

// writeWords stores all of a buffer.
func writeWords(be kernel.Backend, b *kernel.Buffer, words []uint32) error {
	return be.WriteBytes(b, 0, encode(words))
}

func encode(words []uint32) []byte {
	out := make([]byte, 4*len(words))
	for i, w := range words {
		binary.LittleEndian.PutUint32(out[4*i:], w)
	}
	return out
}
