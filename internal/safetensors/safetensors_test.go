package safetensors

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"splat/internal/fault"
)

// fileOf puts the length before a header and the data behind it.
func fileOf(header, data string) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(b, header+data...)
}

func TestRead(t *testing.T) {
	var data []byte
	for _, v := range []float32{1, -2, float32(math.Inf(1)), 0.5, 4, 5} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	path := filepath.Join(t.TempDir(), "x.safetensors")
	header := `{"__metadata__":{"by":"hand"},"m":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},` +
		`"b":{"dtype":"U8","shape":[3],"data_offsets":[24,27]},"one":{"dtype":"F32","shape":[],"data_offsets":[0,4]},` +
		`"none":{"dtype":"F64","shape":[0,7],"data_offsets":[27,27]}}  `
	if err := os.WriteFile(path, fileOf(header, string(data)+"abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	tensors, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(tensors) != 4 {
		t.Errorf("%d tensors", len(tensors))
	}
	m := tensors["m"]
	if got, err := m.Float32s(); err != nil || !slices.Equal(got, []float32{1, -2, float32(math.Inf(1)), 0.5, 4, 5}) || !slices.Equal(m.Shape, []int{2, 3}) {
		t.Errorf("m: %v %v %v", m.Shape, got, err)
	}
	if string(tensors["b"].Data) != "abc" || tensors["none"].Len() != 0 || tensors["one"].Len() != 1 {
		t.Errorf("others: %v", tensors)
	}
	if _, err := tensors["b"].Float32s(); err == nil || !strings.Contains(err.Error(), "U8") {
		t.Errorf("bytes as floats: %v", err)
	}
	_, err = Read(filepath.Join(t.TempDir(), "absent"))
	if fault.ExitCode(err) != 3 {
		t.Errorf("absent file: %v", err)
	}
}

func TestReadDamaged(t *testing.T) {
	tensor := func(s string) []byte { return fileOf(`{"t":`+s+`}`, "12345678") }
	for want, b := range map[string][]byte{
		"begins with a length":           []byte("123"),
		"header of 1000000000000":        binary.LittleEndian.AppendUint64(nil, 1e12),
		"header: invalid":                fileOf("{nope", ""),
		`tensor "t": unknown type "F33"`: tensor(`{"dtype":"F33","shape":[2],"data_offsets":[0,8]}`),
		"bytes [0 9] of 8":               tensor(`{"dtype":"F32","shape":[2],"data_offsets":[0,9]}`),
		"bytes [4 0] of 8":               tensor(`{"dtype":"F32","shape":[2],"data_offsets":[4,0]}`),
		"bytes [-4 4] of 8":              tensor(`{"dtype":"F32","shape":[2],"data_offsets":[-4,4]}`),
		"bytes [] of 8":                  tensor(`{"dtype":"F32","shape":[2]}`),
		"expected 12":                    tensor(`{"dtype":"F32","shape":[3],"data_offsets":[0,8]}`),
		"impossible shape [-1 -2]":       tensor(`{"dtype":"F32","shape":[-1,-2],"data_offsets":[0,8]}`),
		"impossible shape [4294967296":   tensor(`{"dtype":"F32","shape":[4294967296,4294967296,1],"data_offsets":[0,0]}`),
		"json: cannot unmarshal":         tensor(`{"dtype":"F32","shape":["a"],"data_offsets":[0,0]}`),
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		if fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The reference scenes: splats, and the picture another renderer made of them.
func TestConformanceData(t *testing.T) {
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set")
	}
	for name, n := range map[string]int{"tiny_case": 4, "basic_case": 16} {
		tensors, err := Read(filepath.Join(root, "conformance", name+".safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		for key, shape := range map[string][]int{
			"means": {n, 3}, "quats": {n, 4}, "scales": {n, 3}, "opacities": {n}, "coeffs": {n, 16, 3}, "out_img": {82, 123, 4},
		} {
			tensor := tensors[key]
			if !slices.Equal(tensor.Shape, shape) {
				t.Errorf("%s: %s has shape %v, want %v", name, key, tensor.Shape, shape)
			}
			values, err := tensor.Float32s()
			if err != nil {
				t.Errorf("%s: %s: %v", name, key, err)
			}
			if i := slices.IndexFunc(values, func(v float32) bool { return v != v }); i >= 0 {
				t.Errorf("%s: %s[%d] is NaN", name, key, i)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(fileOf(`{"t":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`, "12345678"))
	f.Add(fileOf(`{"t":{"dtype":"I64","shape":[9223372036854775807,0,3],"data_offsets":[0,0]}}`, ""))
	f.Add(fileOf(`{"__metadata__":{}}`, ""))
	f.Fuzz(func(t *testing.T, b []byte) {
		tensors, err := decode(b)
		if err != nil {
			return
		}
		for name, tensor := range tensors {
			if int64(tensor.Len())*sizes[tensor.DType] != int64(len(tensor.Data)) {
				t.Fatalf("%s: %d bytes for %v of %s", name, len(tensor.Data), tensor.Shape, tensor.DType)
			}
			if _, err := tensor.Float32s(); err != nil && tensor.DType == "F32" {
				t.Fatal(err)
			}
		}
	})
}
