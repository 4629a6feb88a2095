package ply

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"splat/internal/gaussian"
)

// bits compares clouds bit by bit: -0 is not 0.
var bits = cmp.Comparer(func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) })

// anyCloud draws a cloud of any finite values, denormals and -0 included.
func anyCloud(t *rapid.T) *gaussian.Cloud {
	c := gaussian.New(rapid.IntRange(0, 12).Draw(t, "n"), rapid.IntRange(0, gaussian.MaxDegree).Draw(t, "degree"))
	c.Antialiased = rapid.Bool().Draw(t, "antialiased")
	value := rapid.OneOf(
		rapid.Map(rapid.Uint32(), math.Float32frombits),
		rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, math.MaxFloat32, -1e-40}),
	).Filter(func(v float32) bool { return !notFinite(v) })
	for _, a := range [][]float32{c.Means, c.Quats, c.LogScales, c.Opacities, c.SH} {
		for i := range a {
			a[i] = value.Draw(t, "v")
		}
	}
	return c
}

func encodeBytes(t interface{ Fatal(...any) }, c *gaussian.Cloud) []byte {
	var b bytes.Buffer
	if _, err := encode(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTripIsBitExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyCloud(t)
		got, report, err := decodeBytes(encodeBytes(t, c))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c, got, bits); d != "" {
			t.Fatalf("%+v\n%s", report, d)
		}
	})
}

// The layout as every other program expects it, to the byte.
func TestWriteClassicLayout(t *testing.T) {
	c := gaussian.New(1, 0)
	copy(c.Means, []float32{1, 2, 3})
	for k, col := range []float64{0.25, 0.5, 0.75} {
		c.SH[k] = float32(gaussian.RGBToSH0(col))
	}
	c.Opacities[0] = float32(gaussian.Logit(0.9))
	for k := range 3 {
		c.LogScales[k] = float32(math.Log(0.02))
	}
	copy(c.Quats, []float32{1, 0.5, 0.25, 0.125})
	for _, degree := range []int{0, 1, 2, 3} {
		c.SetDegree(degree)
		head, body, _ := strings.Cut(string(encodeBytes(t, c)), "end_header\n")
		if len(body) != 62*4 {
			t.Fatalf("degree %d: row of %d bytes, want 62 floats", degree, len(body))
		}
		names := []string{}
		for line := range strings.Lines(head) {
			if name, ok := strings.CutPrefix(line, "property float "); ok {
				names = append(names, strings.TrimSpace(name))
			}
		}
		want := strings.Fields("x y z nx ny nz f_dc_0 f_dc_1 f_dc_2")
		want = append(want, columnNames(45)[6:]...)
		if d := cmp.Diff(want, names); d != "" {
			t.Fatalf("degree %d: properties\n%s", degree, d)
		}
		values := map[string]float32{}
		for i, name := range names {
			values[name] = float32Type.decode([]byte(body[4*i:]), (&file{h: &header{}}).order())
		}
		for name, v := range map[string]float64{
			"x": 1, "y": 2, "z": 3, "nx": 0, "nz": 0, "f_dc_0": -0.8862269, "f_dc_1": 0, "f_dc_2": 0.8862269, "f_rest_0": 0, "f_rest_44": 0,
			"opacity": 2.1972246, "scale_0": -3.9120230, "scale_2": -3.9120230, "rot_0": 1, "rot_1": 0.5, "rot_3": 0.125,
		} {
			if math.Abs(float64(values[name])-v) > 1e-6 {
				t.Errorf("degree %d: %s = %g, want %g", degree, name, values[name], v)
			}
		}
	}
}

// At most one comment, no path, date or version: a file is a function of the
// cloud.
func TestWriteHeader(t *testing.T) {
	for _, c := range []struct {
		degree      int
		antialiased bool
		comment     string
	}{
		{3, false, ""},
		{4, false, ""},
		{3, true, "comment antialiased 1\n"},
		{1, false, "comment sh_degree 1\n"},
		{0, true, "comment antialiased 1 sh_degree 0\n"},
	} {
		cloud := gaussian.New(2, c.degree)
		cloud.Antialiased = c.antialiased
		got, _, _ := strings.Cut(string(encodeBytes(t, cloud)), "property")
		if want := "ply\nformat binary_little_endian 1.0\n" + c.comment + "element vertex 2\n"; got != want {
			t.Errorf("degree %d: header %q, want %q", c.degree, got, want)
		}
	}
}

// 1000 splats with two bad ones: 998 rows, none of them with a NaN.
func TestWriteDropsNonFinite(t *testing.T) {
	c := gaussian.New(1000, 3)
	for i := range 1000 {
		c.Means[3*i] = float32(i)
		c.Quats[4*i] = 1
	}
	c.Opacities[10] = float32(math.NaN())
	c.SH[48*999+47] = float32(math.Inf(1))
	path := filepath.Join(t.TempDir(), "new folder", "x.ply")
	dropped, err := Write(path, c)
	if err != nil || dropped != 2 {
		t.Fatalf("dropped %d, %v", dropped, err)
	}
	got, report, err := Read(path)
	if err != nil || len(report.Warnings) != 0 {
		t.Fatal(report, err)
	}
	if got.Len() != 998 || got.Means[3*9] != 9 || got.Means[3*10] != 11 || got.Means[3*997] != 998 {
		t.Errorf("%d splats, around the gap %g %g", got.Len(), got.Means[3*9], got.Means[3*10])
	}
}

func TestWriteFailureKeepsTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.ply")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := gaussian.New(2, 0)
	broken.Means = broken.Means[:3]
	if _, err := Write(path, broken); err == nil || !strings.Contains(err.Error(), "mean array") {
		t.Errorf("a broken cloud: %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "old" {
		t.Errorf("the old file now holds %q", b)
	}
	for _, after := range []int{0, 1, 2} {
		if _, err := encode(&failingWriter{left: after}, gaussian.New(1000, 3)); !errors.Is(err, errFull) {
			t.Errorf("disk full at write %d: %v", after, err)
		}
	}
}

var errFull = errors.New("disk full")

type failingWriter struct{ left int }

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func BenchmarkWrite(b *testing.B) {
	c := gaussian.New(100_000, 3)
	var buf bytes.Buffer
	for b.Loop() {
		buf.Reset()
		if _, err := encode(&buf, c); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(buf.Len()))
}

func BenchmarkRead(b *testing.B) {
	data := encodeBytes(b, gaussian.New(100_000, 3))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := decodeBytes(data); err != nil {
			b.Fatal(err)
		}
	}
}
