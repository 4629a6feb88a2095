// Package exports reads cameras as capture programs export them: Polycam (keyframes
// with a JSON file each), Record3D (metadata.json), RealityCapture and RealityScan
// (CSV), Metashape (XML). All become frames of package nerfstudio, in the world frame of
// the export. None of them brings points.
package exports

import (
	"path/filepath"
	"strings"

	"splat/internal/archive"
	"splat/internal/dataset/nerfstudio"
	"splat/internal/fault"
)

// Source is an export: a file, or a folder of camera files.
type Source struct {
	Format string // "polycam", "record3d", "realitycapture", "metashape"
	Name   string // inside the capture's folder, slash-separated
}

// maxFile bounds the camera files that are read into memory.
const maxFile = 512 << 20

// Find returns the exports in a folder, the preferred one first.
func Find(dir string) []Source {
	var out []Source
	if name := findPolycam(dir); name != "" {
		out = append(out, Source{"polycam", name})
	}
	entries, _ := archive.ReadDir(dir)
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || strings.HasPrefix(name, ".") {
			continue
		}
		if format := recognise(filepath.Join(dir, name)); format != "" {
			out = append(out, Source{format, name})
		}
	}
	return out
}

// recognise tells the format of a camera file by its ending and content, "" for none.
func recognise(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		if head := beginning(path); strings.EqualFold(filepath.Base(path), "metadata.json") && (strings.Contains(head, `"poses"`) || strings.Contains(head, `"K"`)) {
			return "record3d"
		}
	case ".csv":
		if strings.Contains(strings.ToLower(beginning(path)), "#name,") {
			return "realitycapture"
		}
	case ".xml":
		if head := beginning(path); strings.Contains(head, "<document") && strings.Contains(head, "<chunk") {
			return "metashape"
		}
	}
	return ""
}

func beginning(path string) string {
	f, err := archive.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 1<<12)
	n := 0
	for n < len(head) {
		k, err := f.Read(head[n:])
		if n += k; err != nil {
			break
		}
	}
	return string(head[:n])
}

// Of returns the export that a file is, and whether it is one.
func Of(dir, name string) (Source, bool) {
	format := recognise(filepath.Join(dir, name))
	return Source{format, name}, format != ""
}

// Read reads an export in dir.
func Read(dir string, s Source) (*nerfstudio.File, error) {
	path := filepath.Join(dir, filepath.FromSlash(s.Name))
	if s.Format == "polycam" {
		return readPolycam(path, s.Name)
	}
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	var frames []nerfstudio.Given
	switch s.Format {
	case "record3d":
		frames, err = record3D(data)
	case "realitycapture":
		frames, err = realityCapture(data)
	default:
		frames, err = metashape(data)
	}
	if err != nil {
		return nil, fault.Dataf("%s: %w", path, err)
	}
	return nerfstudio.Build(path, frames), nil
}

func readFile(path string) ([]byte, error) {
	st, err := archive.Stat(path)
	if err != nil {
		return nil, fault.Unreadable(path, err)
	}
	if st.Size() > maxFile {
		return nil, fault.Dataf("%s: %d bytes, expected a camera file of at most %d", path, st.Size(), maxFile)
	}
	data, err := archive.ReadFile(path)
	if err != nil {
		return nil, fault.Unreadable(path, err)
	}
	return data, nil
}
