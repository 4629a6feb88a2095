package ply

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"splat/internal/gaussian"
)

func seeds(f *testing.F) {
	for _, e := range []encoding{ascii, littleEndian, bigEndian} {
		b := fileOf(e, "float", degree0, someSplat, someSplat)
		f.Add(b)
		f.Add(b[:len(b)-9])
		f.Add([]byte(strings.Replace(string(b), "float opacity", "double opacity", 1)))
		f.Add([]byte(strings.Replace(string(b), "property float x", "property list uchar int l\nproperty float x", 1)))
		f.Add([]byte(strings.Replace(string(b), "element", "comment antialiased 1\nelement face 1\nproperty list int char i\nelement", 1)))
		f.Add(fileOf(e, "float", "x y z red green blue", make([]float64, 6)))
	}
	c := gaussian.New(2, 1)
	var b bytes.Buffer
	if _, err := encode(&b, c); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	var packed bytes.Buffer
	if _, err := EncodePacked(&packed, c); err != nil {
		f.Fatal(err)
	}
	f.Add(packed.Bytes())
	f.Add(packed.Bytes()[:packed.Len()-3])
	f.Add(bytes.Replace(packed.Bytes(), []byte("little"), []byte("big"), 1))
	f.Add([]byte("ply\nformat ascii 1.0\nelement vertex 1\nproperty list uint float x\nend_header\n4294967295 1"))
}

// FuzzHeader checks that a header either parses into something consistent or is
// refused with a data error.
func FuzzHeader(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := readHeader(bufio.NewReaderSize(bytes.NewReader(b), bufferSize), "x.ply")
		if err != nil {
			wantDataError(t, err)
			return
		}
		if h.size > int64(len(b)) || h.encoding == "" {
			t.Fatalf("header of %d bytes in %d, encoding %q", h.size, len(b), h.encoding)
		}
		for _, e := range h.elements {
			if e.rows < 0 {
				t.Fatalf("element %s has %d rows", e.name, e.rows)
			}
		}
	})
}

// FuzzRead checks that any file gives a sound cloud of finite values, not larger
// than the file can explain, or a data error; and that a cloud that was read can
// be written and read again.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if xyz, rgb, err := pointsOf(b); err != nil {
			wantDataError(t, err)
		} else if len(xyz)%3 != 0 || rgb != nil && len(rgb) != len(xyz) || len(xyz) > 3*len(b) {
			t.Fatalf("%d coordinates, %d colours from %d bytes", len(xyz), len(rgb), len(b))
		}
		c, _, err := decodeBytes(b)
		if err != nil {
			wantDataError(t, err)
			return
		}
		if err := c.Check(); err != nil || c.Len() > len(b) {
			t.Fatalf("%d splats from %d bytes: %v", c.Len(), len(b), err)
		}
		if n, first := c.NonFinite(); n != 0 {
			t.Fatal(first)
		}
		if again := mustDecodeQuiet(t, encodeBytes(t, c)); again.Len() != c.Len() || again.SHDegree != c.SHDegree {
			t.Fatalf("written and read again: %d splats of degree %d, were %d of %d", again.Len(), again.SHDegree, c.Len(), c.SHDegree)
		}
	})
}

func mustDecodeQuiet(t *testing.T, b []byte) *gaussian.Cloud {
	t.Helper()
	c, _, err := decodeBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
