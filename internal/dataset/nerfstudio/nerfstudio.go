// Package nerfstudio reads camera files in JSON as nerfstudio, instant-ngp and
// NeRF-synthetic captures have them: at the root a lens (a focal length in pixels
// or a field of view, distortion), a split and a point cloud, all optional; and
// frames, each a picture's path, a camera-to-world matrix in OpenGL axes (x right,
// y up, z backward) and whatever of the lens is its own.
//
// applied_transform, applied_scale and orientation_override tell what the program
// that wrote the file has done to the world. Poses and the cloud of ply_file_path
// are both in the frame that resulted, so nothing has to be applied or undone
// here: they are used as they stand.
package nerfstudio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"splat/internal/archive"
	"splat/internal/fault"
	"splat/internal/geom"
)

// File is the content of one camera file.
type File struct {
	Path    string
	Total   int      // frames listed
	Frames  []Frame  // usable ones, in the file's order
	Skipped []Skip   // the others
	PLY     string   // ply_file_path, "" where absent
	Split   Split    // empty where the file has none
	World   []string // the keys of the root that tell how the world was turned or scaled
}

// Frame is a picture with its camera.
type Frame struct {
	Index    int    // position in the file, from 0
	FilePath string // as written
	Mask     string // mask_path, "" where absent
	Lens     Lens
	Pose     geom.Pose
}

// Skip says why a frame cannot be used.
type Skip struct {
	Index    int
	FilePath string // "" where absent
	Reason   string
}

// String describes the skip for a warning, e.g. `frame 3 (./train/r_3): no
// transform_matrix`.
func (s Skip) String() string { return place(s.Index, s.FilePath) + ": " + s.Reason }

// String names the frame for a message, e.g. `frame 3 (./train/r_3)`.
func (f Frame) String() string { return place(f.Index, f.FilePath) }

func place(index int, path string) string {
	if path == "" {
		return fmt.Sprintf("frame %d", index)
	}
	return fmt.Sprintf("frame %d (%s)", index, path)
}

// Read reads a camera file. Frames that cannot be used are told in Skipped; what
// concerns the file as a whole is an error.
func Read(path string) (*File, error) {
	data, err := archive.ReadFile(path)
	if err != nil {
		return nil, fault.Unreadable(path, err)
	}
	return Parse(data, path)
}

// rootObject is the file as JSON has it.
type rootObject struct {
	keys
	Split
	Frames      *[]json.RawMessage `json:"frames"`
	PLY         string             `json:"ply_file_path"`
	Transform   json.RawMessage    `json:"applied_transform"`
	Scale       json.RawMessage    `json:"applied_scale"`
	Orientation json.RawMessage    `json:"orientation_override"`
}

// Parse is Read for content in memory; path is for messages.
func Parse(data []byte, path string) (*File, error) {
	var raw rootObject
	data = nullNonFinite(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fault.Dataf("%s: %w", path, located(err, data))
	}
	if raw.Frames == nil {
		return nil, fault.Dataf("%s: no \"frames\" at the root, expected a list of frames", path)
	}
	if err := raw.check(); err != nil {
		return nil, fault.Dataf("%s: %w", path, err)
	}
	f := &File{Path: path, Total: len(*raw.Frames), PLY: raw.PLY, Split: raw.Split, World: raw.world()}
	for i, r := range *raw.Frames {
		f.add(i, r, &raw.keys)
	}
	return f, nil
}

func (r *rootObject) world() []string {
	var names []string
	for _, k := range []struct {
		name  string
		value json.RawMessage
	}{{"applied_transform", r.Transform}, {"applied_scale", r.Scale}, {"orientation_override", r.Orientation}} {
		if k.value != nil {
			names = append(names, k.name)
		}
	}
	return names
}

// add reads one frame.
func (f *File) add(i int, data json.RawMessage, root *keys) {
	var raw struct {
		keys
		FilePath string     `json:"file_path"`
		Mask     string     `json:"mask_path"`
		Matrix   [][]number `json:"transform_matrix"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		f.skip(i, raw.FilePath, frameError(err))
		return
	}
	if raw.FilePath == "" {
		f.skip(i, "", "no file_path")
		return
	}
	raw.inherit(root)
	if err := raw.checkFrame(); err != nil {
		f.skip(i, raw.FilePath, err.Error())
		return
	}
	pose, err := poseOf(raw.Matrix)
	if err != nil {
		f.skip(i, raw.FilePath, err.Error())
		return
	}
	f.Frames = append(f.Frames, Frame{i, raw.FilePath, raw.Mask, raw.lens(), pose})
}

// frameError is why a frame cannot be read; its syntax is that of the file, which
// was fine.
func frameError(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return mistyped(kind, "an object with file_path and transform_matrix")
	}
	return err.Error()
}

func (f *File) skip(i int, path, reason string) {
	f.Skipped = append(f.Skipped, Skip{i, path, reason})
}
