package ply

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/gaussian"
)

func pointsOf(b []byte) ([]float32, []uint8, error) {
	return decodePoints(bytes.NewReader(b), int64(len(b)), "x.ply")
}

// mixed replaces the type of some properties of a file with one type.
func mixed(b []byte, from, to string) []byte {
	return []byte(strings.ReplaceAll(string(b), from, to))
}

func TestPointsWithColours(t *testing.T) {
	xyz := []float32{1, 2, 3, 4, 5, 6}
	for name, c := range map[string]struct {
		file []byte
		rgb  []uint8
	}{
		"none":         {fileOf(littleEndian, "float", "x y z", []float64{1, 2, 3}, []float64{4, 5, 6}), nil},
		"half a set":   {fileOf(littleEndian, "float", "x y z red green", []float64{1, 2, 3, 9, 9}, []float64{4, 5, 6, 9, 9}), nil},
		"uchar":        {mixed(fileOf(ascii, "float", "x y z red green blue", []float64{1, 2, 3, 255, 0, 7}, []float64{4, 5, 6, 1, 2, 3}), "float red", "uchar red"), []uint8{255, 0, 7, 1, 2, 3}},
		"normals":      {fileOf(bigEndian, "double", "x y z nx ny nz red green blue", []float64{1, 2, 3, 0, 0, 1, 255, 0, 7}, []float64{4, 5, 6, 0, 1, 0, 1, 2, 3}), []uint8{255, 0, 7, 1, 2, 3}},
		"float 0..1":   {fileOf(littleEndian, "float", "red green blue x y z", []float64{1, 0, 0.5, 1, 2, 3}, []float64{0.2, 0.4, -3, 4, 5, 6}), []uint8{255, 0, 128, 51, 102, 0}},
		"float 0..255": {fileOf(littleEndian, "float", "x y z r g b", []float64{1, 2, 3, 255, 0, 300}, []float64{4, 5, 6, 1, 0.4, math.NaN()}), []uint8{255, 0, 255, 1, 0, 128}},
		"ushort":       {fileOf(littleEndian, "ushort", "x y z diffuse_red diffuse_green diffuse_blue", []float64{1, 2, 3, 65535, 0, 257}, []float64{4, 5, 6, 514, 0, 0}), []uint8{255, 0, 1, 2, 0, 0}},
		"short":        {fileOf(littleEndian, "short", "x y z red green blue", []float64{1, 2, 3, 255, -5, 300}, []float64{4, 5, 6, 1, 1, 1}), []uint8{255, 0, 255, 1, 1, 1}},
		"splats": {fileOf(littleEndian, "float", "x y z f_dc_0 f_dc_1 f_dc_2",
			[]float64{1, 2, 3, gaussian.RGBToSH0(1), gaussian.RGBToSH0(0), gaussian.RGBToSH0(0.2)}, []float64{4, 5, 6, 0, 99, -99}), []uint8{255, 0, 51, 128, 255, 0}},
	} {
		gotXYZ, gotRGB, err := pointsOf(c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(xyz, gotXYZ); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff(c.rgb, gotRGB); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestPointsErrors(t *testing.T) {
	_, _, err := pointsOf(fileOf(littleEndian, "float", "x y", []float64{1, 2}))
	wantDataError(t, err, "lacks the properties x y z")
	cut := fileOf(littleEndian, "float", "x y z", []float64{1, 2, 3}, []float64{1, 2, 3})
	_, _, err = pointsOf(cut[:len(cut)-1])
	wantDataError(t, err, "row 1", "24 bytes", "23 are there")
	_, _, err = pointsOf([]byte("not a ply"))
	wantDataError(t, err, "not a PLY file")
	_, _, err = ReadPoints(filepath.Join(t.TempDir(), "x.ply"))
	wantDataError(t, err, "no such file")
}

func TestPointsFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.ply")
	if err := os.WriteFile(path, fileOf(ascii, "float", "x y z", []float64{1, 2, 3}), 0o644); err != nil {
		t.Fatal(err)
	}
	xyz, rgb, err := ReadPoints(path)
	if err != nil || len(xyz) != 3 || rgb != nil {
		t.Errorf("%v %v %v", xyz, rgb, err)
	}
}

func TestPointsOfRealCaptures(t *testing.T) {
	for name, want := range map[string]int{"fox/sparse_pc.ply": 6448, "plush11/sparse_pc.ply": 28162} {
		xyz, rgb, err := ReadPoints(testdata(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(xyz) != 3*want || len(rgb) != 3*want {
			t.Errorf("%s: %d coordinates, %d colours, want %d points", name, len(xyz), len(rgb), want)
		}
	}
}
