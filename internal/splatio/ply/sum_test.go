package ply

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"testing"

	"splat/internal/gaussian"
)

func TestSumIsThatOfTheFile(t *testing.T) {
	c := gaussian.New(3, 1)
	for i := range 3 {
		c.Quats[4*i] = 1
		c.Means[3*i] = float32(i)
	}
	c.Means[3] = float32(math.NaN())
	path := filepath.Join(t.TempDir(), "splats.ply")
	if _, err := Write(path, c); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256(file)
	sum, dropped, err := Sum(c)
	if err != nil || dropped != 1 || sum != hex.EncodeToString(want[:]) {
		t.Errorf("found %s, %d left out, %v; expected %x, 1 left out", sum, dropped, err, want)
	}
}
