// Package safetensors reads files of the safetensors format: named arrays of
// numbers behind a JSON header. Tests use it for reference data of other
// programs.
//
// A file is a little-endian uint64 n, a JSON object of n bytes that gives each
// tensor's type, shape and byte range, and the data.
package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"splat/internal/fault"
)

// Tensor is one array of a file in row-major order.
type Tensor struct {
	DType string // such as "F32"
	Shape []int  // empty for a scalar
	Data  []byte // little-endian, as many bytes as type and shape need
}

// Len returns the number of elements.
func (t Tensor) Len() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Float32s returns the elements of a tensor of type F32.
func (t Tensor) Float32s() ([]float32, error) {
	if t.DType != "F32" {
		return nil, fault.Dataf("safetensors: type %s, expected F32", t.DType)
	}
	out := make([]float32, t.Len())
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:]))
	}
	return out, nil
}

// sizes are the bytes of an element by type.
var sizes = map[string]int64{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E5M2": 1, "F8_E4M3": 1,
	"U16": 2, "I16": 2, "F16": 2, "BF16": 2,
	"U32": 4, "I32": 4, "F32": 4,
	"U64": 8, "I64": 8, "F64": 8,
}

// Read reads all tensors of a file. Shapes, ranges and the size of the file must
// agree. The tensors share one block of memory.
func Read(path string) (map[string]Tensor, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Dataf("safetensors: %w", err)
	}
	tensors, err := decode(b)
	if err != nil {
		return nil, fault.Dataf("%s: %w", path, err)
	}
	return tensors, nil
}

// entry is a tensor in the JSON header.
type entry struct {
	DType   string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets []int64 `json:"data_offsets"` // from the start of the data, end exclusive
}

func decode(b []byte) (map[string]Tensor, error) {
	if len(b) < 8 {
		return nil, fmt.Errorf("%d bytes, a safetensors file begins with a length of 8", len(b))
	}
	n, rest := binary.LittleEndian.Uint64(b), b[8:]
	if n > uint64(len(rest)) {
		return nil, fmt.Errorf("header of %d bytes in a file of %d", n, len(b))
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(rest[:n], &entries); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	tensors := map[string]Tensor{}
	for name, raw := range entries {
		if name == "__metadata__" {
			continue
		}
		t, err := tensorOf(raw, rest[n:])
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		tensors[name] = t
	}
	return tensors, nil
}

func tensorOf(raw json.RawMessage, data []byte) (Tensor, error) {
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return Tensor{}, err
	}
	size := sizes[e.DType]
	if size == 0 {
		return Tensor{}, fmt.Errorf("unknown type %q", e.DType)
	}
	if len(e.Offsets) != 2 || e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] || e.Offsets[1] > int64(len(data)) {
		return Tensor{}, fmt.Errorf("bytes %v of %d", e.Offsets, len(data))
	}
	t := Tensor{DType: e.DType, Data: data[e.Offsets[0]:e.Offsets[1]]}
	elements := int64(1)
	for _, d := range e.Shape {
		// An array has fewer elements than the file bits, so the product is safe.
		if d < 0 || d > 0 && elements > math.MaxInt64/8/d {
			return Tensor{}, fmt.Errorf("impossible shape %v", e.Shape)
		}
		elements *= d
		t.Shape = append(t.Shape, int(d))
	}
	if elements*size != int64(len(t.Data)) {
		return Tensor{}, fmt.Errorf("%d bytes for shape %v of %s, expected %d", len(t.Data), e.Shape, e.DType, elements*size)
	}
	return t, nil
}
