package ksplat

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"splat/internal/fault"
)

// builder makes files: of one section with splats rows of the level and degree.
func build(level, degree int, partial []uint32, full, bucketSize uint32, rows [][]byte) []byte {
	b := make([]byte, headerSize+sectionSize)
	le := binary.LittleEndian
	b[1] = 1
	le.PutUint32(b[4:], 1)
	le.PutUint32(b[8:], 1)
	le.PutUint32(b[16:], uint32(len(rows)))
	le.PutUint16(b[20:], uint16(level))
	le.PutUint32(b[36:], math.Float32bits(-2))
	le.PutUint32(b[40:], math.Float32bits(2))
	s := b[headerSize:]
	buckets := full + uint32(len(partial))
	le.PutUint32(s[0:], uint32(len(rows)))
	le.PutUint32(s[4:], uint32(len(rows)))
	le.PutUint32(s[8:], bucketSize)
	le.PutUint32(s[12:], buckets)
	le.PutUint32(s[16:], math.Float32bits(5))
	le.PutUint16(s[20:], 12)
	le.PutUint32(s[24:], 32767)
	le.PutUint32(s[32:], full)
	le.PutUint32(s[36:], uint32(len(partial)))
	le.PutUint16(s[40:], uint16(degree))
	for _, n := range partial {
		b = le.AppendUint32(b, n)
	}
	for k := range buckets {
		for a := range 3 {
			b = le.AppendUint32(b, math.Float32bits(float32(100*k)+float32(a)))
		}
	}
	for _, r := range rows {
		b = append(b, r...)
	}
	return b
}

// packedRow is a row of level 1 or 2 in the middle of its bucket.
func packedRow(rest []byte) []byte {
	var b []byte
	for _, v := range []uint16{32767, 32767, 32767, 0x3c00, 0x3c00, 0x4000, 0x3c00, 0, 0, 0} {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	return append(append(b, 255, 128, 0, 128), rest...)
}

func TestBuckets(t *testing.T) {
	row := packedRow(nil)
	c, report, err := Decode(build(1, 0, []uint32{1, 2}, 2, 2, [][]byte{row, row, row, row, row, row, row}), "a.ksplat")
	if err != nil || len(report.Warnings) != 0 {
		t.Fatal(err, report)
	}
	for i, want := range []float32{0, 0, 100, 100, 200, 300, 300} {
		if c.Means[3*i] != want || c.Means[3*i+2] != want+2 {
			t.Errorf("splat %d at %v, want bucket at %v", i, c.Means[3*i:3*i+3], want)
		}
	}
	if c.LogScales[0] != 0 || math.Abs(float64(c.LogScales[2])-math.Ln2) > 1e-6 || c.Quats[0] != 1 {
		t.Errorf("log scale %v, rotation %v", c.LogScales[:3], c.Quats[:4])
	}
}

// The bands are told apart, and in each the channels.
func TestSHOrder(t *testing.T) {
	rest := make([]byte, 24)
	for k := range rest {
		rest[k] = byte(10 * k)
	}
	c, _, err := Decode(build(2, 2, []uint32{1}, 0, 256, [][]byte{packedRow(rest)}), "a.ksplat")
	if err != nil || c.SHDegree != 2 {
		t.Fatal(err)
	}
	value := func(n int) float32 { return float32(-2 + float64(10*n)/255*4) }
	for _, x := range []struct{ coefficient, channel, n int }{{1, 0, 0}, {3, 0, 2}, {1, 1, 3}, {3, 2, 8}, {4, 0, 9}, {8, 0, 13}, {4, 1, 14}, {8, 2, 23}} {
		if got := c.SH[3*x.coefficient+x.channel]; math.Abs(float64(got-value(x.n))) > 1e-6 {
			t.Errorf("coefficient %d of channel %d is %v, want value %d, %v", x.coefficient, x.channel, got, x.n, value(x.n))
		}
	}
}

func TestRefusals(t *testing.T) {
	row := packedRow(nil)
	good := build(1, 0, []uint32{1}, 1, 1, [][]byte{row, row})
	change := func(at int, v uint32) []byte {
		b := append([]byte(nil), good...)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	for want, b := range map[string][]byte{
		"cut in its header":                  good[:300],
		"KSPLAT version 3.1":                 change(0, 0x103),
		"compression level 7":                change(20, 7),
		"900 sections":                       change(4, 900),
		"SH degree 9":                        change(headerSize+40, 9),
		"does not fit into":                  change(headerSize+4, 1<<31),
		"section 0 with 2 splats and 999999": change(headerSize+12, 999999),
		"has 3 splats in room for 2":         change(headerSize, 3),
		"splat 1 of 2 lies in no bucket":     change(headerSize+36, 0),
	} {
		_, _, err := Decode(b, "a.ksplat")
		if fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "a.ksplat: ") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if Is(good[:headerSize-1], true) || !Is(good[:headerSize], false) || Is(make([]byte, headerSize), true) {
		t.Error("the content is not recognised")
	}
}

func TestRealFile(t *testing.T) {
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set")
	}
	b, err := os.ReadFile(filepath.Join(root, "splats/minimal.ksplat"))
	if err != nil {
		t.Fatal(err)
	}
	c, report, err := Decode(b, "minimal.ksplat")
	if err != nil || c.Len() != 4 || len(report.Warnings) != 0 {
		t.Fatal(err, report)
	}
	for i, want := range [][3]float32{{-1, 0, -1}, {0, 0, -1}, {-1, 0, 0}, {0, 0, 0}} {
		if [3]float32(c.Means[3*i:3*i+3]) != want {
			t.Errorf("splat %d at %v, want %v", i, c.Means[3*i:3*i+3], want)
		}
	}
}

// FuzzDecode checks that any bytes give a sound cloud, not larger than the file can
// explain, or a data error. The long empty header is put before what the fuzzer
// makes.
func FuzzDecode(f *testing.F) {
	rest := make([]byte, 45)
	for _, b := range [][]byte{
		build(0, 0, nil, 0, 0, [][]byte{make([]byte, 44)}),
		build(1, 0, []uint32{1}, 1, 1, [][]byte{packedRow(nil), packedRow(nil)}),
		build(2, 3, []uint32{1}, 0, 256, [][]byte{packedRow(rest)}),
	} {
		f.Add(b[:44], b[headerSize:headerSize+44], b[headerSize+sectionSize:])
	}
	f.Fuzz(func(t *testing.T, head, section, body []byte) {
		b := make([]byte, headerSize+sectionSize)
		copy(b[:headerSize], head)
		copy(b[headerSize:], section)
		b = append(b, body...)
		c, _, err := Decode(b, "x.ksplat")
		if err != nil {
			if fault.ExitCode(err) != 3 {
				t.Fatal(err)
			}
			return
		}
		if err := c.Check(); err != nil || c.Len() > len(b) {
			t.Fatalf("%d splats from %d bytes: %v", c.Len(), len(b), err)
		}
	})
}
