package spz

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

// some returns n random splats within what the format can hold.
func some(n, degree int) *gaussian.Cloud {
	rng := rand.New(rand.NewPCG(1, 2))
	c := gaussian.New(n, degree)
	fill := func(v []float32, scale float64) {
		for k := range v {
			v[k] = float32(scale * (2*rng.Float64() - 1))
		}
	}
	fill(c.Means, 10)
	fill(c.Quats, 1)
	fill(c.LogScales, 4)
	fill(c.Opacities, 3)
	fill(c.SH, 0.9)
	return c
}

func encode(t testing.TB, c *gaussian.Cloud, version int) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := Encode(&b, c, version); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func worst(a, b []float32) (d float64) {
	for k := range a {
		d = max(d, math.Abs(float64(a[k]-b[k])))
	}
	return d
}

// turn is the largest angle between rotations, in radians.
func turn(a, b []float32) (d float64) {
	for i := 0; i < len(a); i += 4 {
		p, q := pack.Unit(a[i:i+4]), pack.Unit(b[i:i+4])
		dot := math.Abs(p[0]*q[0] + p[1]*q[1] + p[2]*q[2] + p[3]*q[3])
		d = max(d, 2*math.Acos(min(dot, 1)))
	}
	return d
}

func TestRoundTrip(t *testing.T) {
	for version := 2; version <= Newest; version++ {
		for _, degree := range []int{0, 1, 3, 4} {
			c := some(300, degree)
			c.Antialiased = degree == 1
			got, report, err := Decode(encode(t, c, version), "a.spz")
			if err != nil || len(report.Warnings) != 0 {
				t.Fatalf("version %d degree %d: %v %v", version, degree, err, report)
			}
			angle := 0.005
			if version == 2 {
				angle = 0.24 // w is what 8 bits of x, y, z leave
			}
			for name, d := range map[string]float64{
				"mean":      worst(c.Means, got.Means) * 8192,
				"log scale": worst(c.LogScales, got.LogScales) * 32,
				"SH":        worst(c.SH, got.SH) / (0.5/255/colorScale + 1e-6),
				"rotation":  turn(c.Quats, got.Quats) / angle,
			} {
				if d > 1.001 {
					t.Errorf("version %d degree %d: %s is off by %.3f steps", version, degree, name, d)
				}
			}
			if got.Antialiased != c.Antialiased || got.SHDegree != degree {
				t.Errorf("version %d degree %d: antialiased %v, degree %d", version, degree, got.Antialiased, got.SHDegree)
			}
		}
	}
}

func TestClampingIsTold(t *testing.T) {
	c := some(3, 1)
	c.Means[0], c.LogScales[3], c.SH[3], c.SH[12] = 3e7, 9, 2, -9
	var b bytes.Buffer
	lost, err := Encode(&b, c, 3)
	if err != nil || len(lost) != 4 {
		t.Errorf("%v, %q", err, lost)
	}
	if _, err := Encode(&b, c, 1); fault.ExitCode(err) != 2 {
		t.Error(err)
	}
}

// Far positions cost fractional bits, never the position.
func TestWideClouds(t *testing.T) {
	c := some(10, 0)
	c.Means[0] = 100000
	got, _, err := Decode(encode(t, c, 3), "a.spz")
	if err != nil || math.Abs(float64(got.Means[0]-100000)) > 0.01 {
		t.Errorf("%v, %v", got.Means[0], err)
	}
}

func TestRefusals(t *testing.T) {
	change := func(b []byte, at int, v ...byte) []byte {
		c := bytes.Clone(b)
		copy(c[at:], v)
		return c
	}
	zip := func(b []byte) []byte {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write(b)
		w.Close()
		return z.Bytes()
	}
	v4 := encode(t, some(20, 1), 4)
	plain := (&header{version: 3, points: 2, fraction: 12}).bytes()
	bomb := (&header{version: 3, points: 1 << 31, fraction: 12}).bytes()
	for want, b := range map[string][]byte{
		"not an SPZ file":                       []byte("hello, world, how are you"),
		"SPZ version 9":                         change(v4, 4, 9),
		"SH degree 7":                           change(v4, 12, 7),
		"99 fractional bits":                    change(v4, 13, 99),
		"5 streams, expected 6":                 change(v4, 15, 5),
		"the table of streams lies at byte 255": change(v4[:150], 16, 255),
		"stream 0 has":                          change(v4, 8, 21),
		"which need":                            change(v4, 8, 0, 0, 0, 255),
		"the file is cut in stream 5":           v4[:len(v4)-1],
		"stream 0: damaged zstd data":           change(v4, headerSize4+6*entrySize, 1, 2, 3, 4),
		"cut in its header":                     v4[:20],
		"2 splats need 40 bytes, 10 are there":  zip(append(plain, make([]byte, 10)...)),
		"damaged gzip data":                     {0x1f, 0x8b, 8, 0},
		"at most":                               zip(append(bomb, make([]byte, 1<<20)...)),
		"version 4 inside gzip":                 zip(v4),
	} {
		_, _, err := Decode(b, "a.spz")
		if fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "a.spz: ") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Version 1 has positions of 16 bits.
func TestVersion1(t *testing.T) {
	b := (&header{version: 1, points: 1}).bytes()
	for _, h := range []uint16{0x3c00, 0xc000, 0x4200} { // 1, -2, 3
		b = binary.LittleEndian.AppendUint16(b, h)
	}
	b = append(b, 128, 127, 127, 127, 160, 160, 160, 128, 128, 128)
	c, _, err := Decode(b, "a.spz")
	if err != nil || c.Means[0] != 1 || c.Means[1] != 2 || c.Means[2] != -3 || c.LogScales[0] != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestRealFiles(t *testing.T) {
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set")
	}
	for name, n := range map[string]int{"minimal-raw.spz": 4, "minimal-v2.spz": 4, "minimal-v3.spz": 4, "minimal-v4.spz": 4, "biker.spz": 152746} {
		b, err := os.ReadFile(filepath.Join(root, "splats", name))
		if err != nil {
			t.Fatal(err)
		}
		c, report, err := Decode(b, name)
		if err != nil || c.Len() != n || len(report.Warnings) != 0 {
			t.Fatalf("%s: %v, %v", name, report, err)
		}
		if n > 4 {
			continue
		}
		// Four small splats in the corners of a square, without rotation.
		for i := range n {
			if q := c.Quats[4*i : 4*i+4]; math.Abs(float64(q[0])) < 0.999 {
				t.Errorf("%s: splat %d is turned by %v", name, i, q)
			}
			if size := math.Exp(float64(c.LogScales[3*i])); math.Abs(size-0.1) > 0.003 {
				t.Errorf("%s: splat %d is of size %v", name, i, size)
			}
			if got := fmt.Sprint(c.Means[3*i+1]); got != "0" && got != "-0" {
				t.Errorf("%s: splat %d is at height %s", name, i, got)
			}
		}
	}
}

// FuzzDecode checks that any bytes give a sound cloud or a data error, without
// memory beyond the limit.
func FuzzDecode(f *testing.F) {
	for version := 2; version <= Newest; version++ {
		b := encode(f, some(3, version-2), version)
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Add((&header{version: 1, points: 0}).bytes())
	f.Add(append((&header{version: 3, points: 1}).bytes(), make([]byte, 20)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, _, err := Decode(b, "x.spz")
		if err != nil {
			if fault.ExitCode(err) != 3 {
				t.Fatal(err)
			}
			return
		}
		if err := c.Check(); err != nil || int64(c.Len()) > pack.Limit(int64(len(b))) {
			t.Fatalf("%d splats from %d bytes: %v", c.Len(), len(b), err)
		}
	})
}
