// Package splatio reads and writes splat files. Which format a file has is
// decided by its content where that is telling, else by the name; the formats
// themselves live in sub-packages.
package splatio

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/ply"
)

// Info says what a splat file holds; it is the JSON document of "splat info".
type Info struct {
	Kind        string        `json:"kind"`   // "splats"
	Format      string        `json:"format"` // "ply"
	Splats      int           `json:"splats"`
	SHDegree    int           `json:"sh_degree"`
	Antialiased bool          `json:"antialiased"`
	Bounds      [2][3]float64 `json:"bounds"`     // corners of the box around the means
	NonFinite   int           `json:"non_finite"` // splats dropped because of NaN or infinite values
	Warnings    []string      `json:"warnings"`   // never null
}

// unsupported are the formats that are known by name only, by extension.
var unsupported = map[string]string{
	".splat":  "SPLAT (antimatter15)",
	".spz":    "SPZ (Niantic)",
	".sog":    "SOG (PlayCanvas)",
	".ksplat": "KSPLAT (GaussianSplats3D)",
}

// IsSplatFile reports whether path is named like a splat file of any format,
// supported or not. It does not look inside: a .ply may be a point cloud.
func IsSplatFile(path string) bool {
	ext := extension(path)
	return ext == ".ply" || unsupported[ext] != ""
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// Read reads a splat file. Splats with NaN or infinite values are dropped and
// counted in the Info.
func Read(path string) (*gaussian.Cloud, *Info, error) {
	if err := checkReadable(path); err != nil {
		return nil, nil, err
	}
	cloud, report, err := ply.Read(path)
	if err != nil {
		return nil, nil, err
	}
	if cloud.Len() == 0 {
		report.Warnings = append(report.Warnings, "no splats in it")
	}
	lo, hi := cloud.Bounds()
	return cloud, &Info{
		Kind:        "splats",
		Format:      "ply",
		Splats:      cloud.Len(),
		SHDegree:    cloud.SHDegree,
		Antialiased: cloud.Antialiased,
		Bounds:      [2][3]float64{lo, hi},
		NonFinite:   report.NonFinite,
		Warnings:    append([]string{}, report.Warnings...),
	}, nil
}

// checkReadable reports why path cannot be read as PLY, if that can be told from
// its name and first bytes; a .ply with other content is left to the PLY reader.
func checkReadable(path string) error {
	head, err := firstBytes(path)
	if err != nil {
		return err
	}
	name, ext := unsupported[extension(path)], extension(path)
	switch {
	case bytes.HasPrefix(head, []byte("ply\n")), bytes.HasPrefix(head, []byte("ply\r")):
		return nil
	case bytes.HasPrefix(head, []byte("NGSP")):
		name = unsupported[".spz"]
	case isSOGFolder(path):
		name = unsupported[".sog"]
	}
	switch {
	case name != "":
		return fault.Dataf("%s: %s files are not supported yet, only .ply", path, name)
	case ext == ".ply":
		return nil
	}
	return fault.Dataf("%s: not a known splat file, expected .ply", path)
}

// firstBytes returns the start of a file; nothing for a folder. What is neither is
// refused before it is opened: a pipe may keep whoever opens it waiting.
func firstBytes(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fault.Unreadable(path, err)
	case info.IsDir():
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, fault.Dataf("%s: found a pipe or a device, expected a splat file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Unreadable(path, err)
	}
	defer f.Close()
	head := make([]byte, 4)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fault.Unreadable(path, err)
	}
	return head[:n], nil
}

// isSOGFolder recognises an unpacked SOG, by its folder or by its meta file.
func isSOGFolder(path string) bool {
	switch strings.ToLower(filepath.Base(path)) {
	case "meta.json", "lod-meta.json":
		return true
	}
	for _, name := range []string{"meta.json", "lod-meta.json"} {
		if _, err := os.Stat(filepath.Join(path, name)); err == nil {
			return true
		}
	}
	return false
}

// CheckName reports why Write knows no format for a file of this name.
func CheckName(path string) error {
	switch ext := extension(path); {
	case ext == ".ply":
		return nil
	case unsupported[ext] != "":
		return fault.Usagef("%s: writing %s files is not supported yet, only .ply", path, unsupported[ext])
	}
	return fault.Usagef("%s: unknown splat format, the name must end in .ply", path)
}

// Write creates or replaces path with the cloud, in the format that its
// extension names. Splats with NaN or infinite values are left out and counted.
func Write(path string, c *gaussian.Cloud) (dropped int, err error) {
	if err := CheckName(path); err != nil {
		return 0, err
	}
	return ply.Write(path, c)
}
