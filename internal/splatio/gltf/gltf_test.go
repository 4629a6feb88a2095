package gltf

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"splat/internal/gaussian"
)

type document struct {
	ExtensionsUsed []string
	Buffers        []struct{ ByteLength int }
	BufferViews    []struct{ ByteOffset, ByteLength int }
	Accessors      []struct {
		BufferView, ComponentType, Count int
		Type                             string
		Min, Max                         []float64
	}
	Meshes []struct {
		Primitives []struct {
			Mode       int
			Attributes map[string]int
			Extensions map[string]map[string]string
		}
	}
}

// parse splits a .glb file as its specification says.
func parse(t *testing.T, b []byte) (document, []byte) {
	t.Helper()
	u := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	if string(b[:4]) != "glTF" || u(4) != 2 || u(8) != len(b) || len(b)%4 != 0 || string(b[16:20]) != "JSON" {
		t.Fatalf("header %x of %d bytes", b[:20], len(b))
	}
	end := 20 + u(12)
	var doc document
	if err := json.Unmarshal(b[20:end], &doc); err != nil {
		t.Fatal(err)
	}
	if string(b[end+4:end+8]) != "BIN\x00" || u(end) != len(b)-end-8 {
		t.Fatalf("chunk %x", b[end:end+8])
	}
	return doc, b[end+8:]
}

func TestEncode(t *testing.T) {
	c := gaussian.New(2, 1)
	copy(c.Means, []float32{1, 2, 3, -4, 5, 6})
	copy(c.Quats, []float32{2, 0, 0, 0, 0.5, 0.5, 0.5, 0.5})
	copy(c.LogScales, []float32{0, float32(math.Log(2)), -1, 1, 1, 1})
	c.Opacities[1] = 2
	for k := range c.SH {
		c.SH[k] = float32(k)
	}
	var b bytes.Buffer
	lost, err := Encode(&b, c)
	if err != nil || len(lost) != 0 {
		t.Fatal(err, lost)
	}
	doc, bin := parse(t, b.Bytes())
	p := doc.Meshes[0].Primitives[0]
	if p.Mode != 0 || p.Extensions[extension]["kernel"] != "ellipse" || doc.ExtensionsUsed[0] != extension || len(p.Attributes) != 9 || doc.Buffers[0].ByteLength != len(bin) {
		t.Errorf("%+v", doc)
	}
	get := func(name string, i, width int) (v []float32) {
		a := doc.Accessors[p.Attributes[name]]
		view := doc.BufferViews[a.BufferView]
		if a.Count != 2 || a.ComponentType != 5126 || view.ByteLength != 8*width {
			t.Errorf("%s: %+v %+v", name, a, view)
		}
		for k := range width {
			v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(bin[view.ByteOffset+4*(width*i+k):])))
		}
		return v
	}
	for _, x := range []struct {
		name string
		i    int
		want []float32
	}{
		{"POSITION", 0, []float32{1, -2, -3}},
		{"POSITION", 1, []float32{-4, -5, -6}},
		{extension + ":ROTATION", 0, []float32{0, 0, 0, 1}},
		{extension + ":ROTATION", 1, []float32{0.5, -0.5, -0.5, 0.5}},
		{extension + ":SCALE", 0, []float32{1, 2, 0.36787944}},
		{extension + ":OPACITY", 0, []float32{0.5}},
		{extension + ":SH_DEGREE_0_COEF_0", 0, []float32{0, 1, 2}},
		{extension + ":SH_DEGREE_1_COEF_0", 0, []float32{-3, -4, -5}},
		{extension + ":SH_DEGREE_1_COEF_2", 1, []float32{21, 22, 23}},
		{"COLOR_0", 0, []float32{0.5, 0.7820948, 1, 0.5}},
	} {
		got := get(x.name, x.i, len(x.want))
		for k := range got {
			if math.Abs(float64(got[k]-x.want[k])) > 1e-6 {
				t.Errorf("%s of splat %d is %v, want %v", x.name, x.i, got, x.want)
				break
			}
		}
	}
	if a := doc.Accessors[p.Attributes["POSITION"]]; a.Min[1] != -5 || a.Max[2] != -3 {
		t.Errorf("bounds %v %v", a.Min, a.Max)
	}
}

func TestLossesAreTold(t *testing.T) {
	c := gaussian.New(1, 4)
	c.Antialiased = true
	lost, err := Encode(&bytes.Buffer{}, c)
	if all := strings.Join(lost, "\n"); err != nil || len(lost) != 2 || !strings.Contains(all, "degree 4 becomes 3") {
		t.Errorf("%q, %v", lost, err)
	}
	if _, err := Encode(&bytes.Buffer{}, gaussian.New(0, 0)); err != nil {
		t.Error(err)
	}
}
