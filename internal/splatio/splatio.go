// Package splatio reads and writes splat files. Which format a file has is
// decided by its content where that is telling, else by the name; the formats
// themselves live in sub-packages.
package splatio

import (
	"path/filepath"
	"strings"

	"splat/internal/gaussian"
)

// Info says what a splat file holds; it is the JSON document of "splat info".
type Info struct {
	Kind        string        `json:"kind"`   // "splats"
	Format      string        `json:"format"` // "ply", "compressed-ply", "splat", "spz", "sog", "ksplat"
	Splats      int           `json:"splats"`
	SHDegree    int           `json:"sh_degree"`
	Antialiased bool          `json:"antialiased"`
	Bounds      [2][3]float64 `json:"bounds"`     // corners of the box around the means
	NonFinite   int           `json:"non_finite"` // splats dropped because of NaN or infinite values
	Warnings    []string      `json:"warnings"`   // never null
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// Read reads a splat file. Splats with NaN or infinite values are dropped and
// counted in the Info.
func Read(path string) (*gaussian.Cloud, *Info, error) {
	read, err := readerOf(path)
	if err != nil {
		return nil, nil, err
	}
	cloud, found, err := read(path)
	if err != nil {
		return nil, nil, err
	}
	if cloud.Len() == 0 {
		found.Warnf("no splats in it")
	}
	lo, hi := cloud.Bounds()
	return cloud, &Info{
		Kind:        "splats",
		Format:      found.Format,
		Splats:      cloud.Len(),
		SHDegree:    cloud.SHDegree,
		Antialiased: cloud.Antialiased,
		Bounds:      [2][3]float64{lo, hi},
		NonFinite:   found.nonFinite,
		Warnings:    append([]string{}, found.Warnings...),
	}, nil
}
