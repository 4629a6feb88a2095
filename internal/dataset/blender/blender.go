// Package blender reads the camera files of NeRF-synthetic captures:
// transforms_train.json, transforms_val.json and transforms_test.json, each a
// root with a field of view or a focal length, and frames with a picture's path
// and a camera-to-world matrix in OpenGL axes (x right, y up, z backward).
package blender

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"splat/internal/fault"
	"splat/internal/geom"
)

// Files names the camera files of a capture inside Dir; "" where absent.
type Files struct {
	Dir              string
	Train, Val, Test string
}

// Find looks for camera files in dir, without regard to case.
func Find(dir string) (Files, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Files{}, fault.Dataf("%w", err)
	}
	f := Files{Dir: dir}
	for _, e := range entries {
		switch strings.ToLower(e.Name()) {
		case "transforms_train.json":
			f.Train = e.Name()
		case "transforms_val.json":
			f.Val = e.Name()
		case "transforms_test.json":
			f.Test = e.Name()
		}
	}
	return f, nil
}

// IsName reports whether a file's name is that of a camera file of this format.
func IsName(name string) bool {
	switch strings.ToLower(name) {
	case "transforms_train.json", "transforms_val.json", "transforms_test.json":
		return true
	}
	return false
}

// File is the content of one camera file.
type File struct {
	Path    string
	Total   int     // frames listed
	Frames  []Frame // usable ones, in the file's order
	Skipped []Skip  // the others
	PLY     string  // ply_file_path, "" where absent
}

// Frame is a picture with its camera.
type Frame struct {
	Index      int    // position in the file, from 0
	FilePath   string // as written
	Intrinsics Intrinsics
	Pose       geom.Pose
}

// Skip says why a frame cannot be used.
type Skip struct {
	Index    int
	FilePath string // "" where absent
	Reason   string
}

// String describes the skip for a warning, e.g. `frame 3 (./train/r_3): no
// transform_matrix`.
func (s Skip) String() string {
	if s.FilePath == "" {
		return fmt.Sprintf("frame %d: %s", s.Index, s.Reason)
	}
	return fmt.Sprintf("frame %d (%s): %s", s.Index, s.FilePath, s.Reason)
}

// Read reads a camera file. Frames that cannot be used are told in Skipped; what
// concerns the file as a whole is an error.
func Read(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Dataf("%w", err)
	}
	return Parse(data, path)
}

// Parse is Read for content in memory; path is for messages.
func Parse(data []byte, path string) (*File, error) {
	var raw struct {
		keys
		Frames *[]json.RawMessage `json:"frames"`
		PLY    string             `json:"ply_file_path"`
	}
	data = nullNonFinite(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fault.Dataf("%s: %w", path, located(err, data))
	}
	if raw.Frames == nil {
		return nil, fault.Dataf("%s: no \"frames\" at the root, expected a list of frames", path)
	}
	if err := raw.check(false); err != nil {
		return nil, fault.Dataf("%s: %w", path, err)
	}
	f := &File{Path: path, Total: len(*raw.Frames), PLY: raw.PLY}
	for i, r := range *raw.Frames {
		if err := f.add(i, r, &raw.keys); err != nil {
			return nil, fault.Dataf("%s: %w", path, err)
		}
	}
	return f, nil
}

// add reads one frame; the error is for what must stop the reading, such as a
// lens that is not supported.
func (f *File) add(i int, data json.RawMessage, root *keys) error {
	var raw struct {
		keys
		FilePath string     `json:"file_path"`
		Matrix   [][]number `json:"transform_matrix"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		f.skip(i, raw.FilePath, "not a frame: "+err.Error())
		return nil
	}
	if raw.FilePath == "" {
		f.skip(i, "", "no file_path")
		return nil
	}
	raw.inherit(root)
	if err := raw.check(true); err != nil {
		var lens *lensError
		if errors.As(err, &lens) {
			return fmt.Errorf("frame %d (%s): %w", i, raw.FilePath, err)
		}
		f.skip(i, raw.FilePath, err.Error())
		return nil
	}
	pose, err := poseOf(raw.Matrix)
	if err != nil {
		f.skip(i, raw.FilePath, err.Error())
		return nil
	}
	f.Frames = append(f.Frames, Frame{i, raw.FilePath, raw.intrinsics(), pose})
	return nil
}

func (f *File) skip(i int, path, reason string) {
	f.Skipped = append(f.Skipped, Skip{i, path, reason})
}

// located adds the line to an error of encoding/json.
func located(err error, data []byte) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var offset int64
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return fmt.Errorf("not a camera file: %w", err)
	}
	line := 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
	return fmt.Errorf("line %d: not valid JSON for a camera file: %w", line, err)
}

// Candidates lists the JSON files in dir that speak of frames, for the message
// when none has the name of a camera file.
func Candidates(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		n := e.Name()
		if !strings.HasPrefix(n, ".") && strings.EqualFold(filepath.Ext(n), ".json") && hasFrames(filepath.Join(dir, n)) {
			names = append(names, n)
		}
	}
	return names
}

// hasFrames looks for the word at a file's beginning, where it always is.
func hasFrames(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 1<<16))
	return err == nil && bytes.Contains(head, []byte(`"frames"`))
}
