package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"splat/internal/archive"
	"splat/internal/dataset/colmap"
	"splat/internal/dataset/nerfstudio"
	"splat/internal/fault"
)

// cameraNames says in a message which camera files are looked for.
const cameraNames = "transforms_train.json, transforms.json, exports of Polycam, Record3D, RealityCapture (CSV) or Metashape (XML)"

// unrecognised says why nothing in root can be read.
func unrecognised(root string) error {
	entries, err := archive.ReadDir(root)
	if err != nil {
		return fault.Unreadable(root, err)
	}
	if len(entries) == 0 {
		return fault.Dataf("%s: the folder is empty, expected a capture", root)
	}
	for _, dir := range subfolders(root) {
		if _, err := archive.ReadDir(dir); errors.Is(err, fs.ErrPermission) {
			return fault.Unreadable(dir, err) // what is in it may be the capture
		}
	}
	if names := nerfstudio.Candidates(root); len(names) > 0 {
		return fault.Dataf("%s: no camera file: looked for %s and for %s; found %s (a misspelt name? A file that is named is read by itself)",
			root, cameraNames, colmap.Places, few(names))
	}
	if model := modelParts(root); len(model) > 0 {
		return fault.Dataf("%s: no complete COLMAP model: looked for %s; found %s", root, colmap.Places, few(model))
	}
	if dir := pictureFolder(root); dir != "" {
		return picturesGuide(root, dir)
	}
	for _, e := range entries {
		if isVideo(e.Name()) {
			return videoGuide(filepath.Join(root, e.Name()))
		}
	}
	return fault.Dataf("%s: no capture: looked for %s and for %s; found %s", root, cameraNames, colmap.Places, few(names(entries)))
}

func names(entries []fs.DirEntry) []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Name()
	}
	return out
}

// modelParts lists what lies where a COLMAP model might be.
func modelParts(root string) []string {
	var parts []string
	for _, pattern := range []string{"sparse", "sparse/*", "colmap/sparse", "colmap/sparse/*", "dense/*/sparse", "."} {
		dirs, _ := filepath.Glob(filepath.Join(escapeGlob(root), filepath.FromSlash(pattern)))
		for _, dir := range dirs {
			entries, _ := archive.ReadDir(dir)
			for _, e := range entries {
				if isModelFile(e.Name()) {
					rel, _ := filepath.Rel(root, filepath.Join(dir, e.Name()))
					parts = append(parts, rel)
				}
			}
		}
	}
	return parts
}

func escapeGlob(s string) string {
	if filepath.Separator == '\\' {
		return s
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}

func isModelFile(name string) bool {
	stem, ext, _ := strings.Cut(strings.ToLower(name), ".")
	return (stem == "cameras" || stem == "images" || stem == "points3d") && (ext == "bin" || ext == "txt" || ext == "ply")
}

// pictureFolder returns the folder of pictures that have no cameras: root itself
// or the usual names inside it.
func pictureFolder(root string) string {
	for _, dir := range []string{root, filepath.Join(root, "images"), filepath.Join(root, "input")} {
		entries, _ := archive.ReadDir(dir)
		for _, e := range entries {
			if !hidden(e.Name()) && isPicture(e.Name()) {
				return dir
			}
		}
	}
	return ""
}

func isVideo(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v", ".mts", ".wmv":
		return true
	}
	return false
}

// picturesGuide says how to get cameras for a folder of pictures. The first line
// stands alone; the commands follow, ready to paste.
func picturesGuide(root, pictures string) error {
	if parent := filepath.Join(root, ".."); holdsCapture(parent) {
		return fault.Dataf("%s: a folder of pictures inside a capture, expected the capture itself: %s", root, parent)
	}
	work := root + "-colmap"
	if strings.HasSuffix(root, ".") {
		work = shortName(root) + "-colmap"
	}
	return fault.Dataf("%s: pictures without cameras: a training needs the pose of every picture; COLMAP computes them:\n%s",
		root, colmapCommands(pictures, work, "exhaustive_matcher", "  # sequential_matcher for the frames of a video"))
}

// videoGuide is the same for a video.
func videoGuide(path string) error {
	work := strings.TrimSuffix(path, filepath.Ext(path)) + "-colmap"
	frames := filepath.Join(work, "frames")
	return fault.Dataf("%s: a video without cameras: a training needs pictures and the pose of each; ffmpeg and COLMAP make them:\n"+
		"  mkdir -p %s\n  ffmpeg -i %s -vf fps=2 -qscale:v 2 %s\n%s",
		path, quote(frames), quote(path), quote(filepath.Join(frames, "%04d.jpg")),
		colmapCommands(frames, work, "sequential_matcher", "  # exhaustive_matcher for pictures in no order"))
}

// colmapCommands takes pictures to an undistorted capture in work/undistorted,
// which holds images and sparse.
func colmapCommands(pictures, work, matcher, remark string) string {
	db, sparse, out := quote(filepath.Join(work, "database.db")), quote(filepath.Join(work, "sparse")), quote(filepath.Join(work, "undistorted"))
	in := quote(pictures)
	lines := []string{
		"mkdir -p " + sparse,
		fmt.Sprintf("colmap feature_extractor --database_path %s --image_path %s", db, in),
		fmt.Sprintf("colmap %s --database_path %s%s", matcher, db, remark),
		fmt.Sprintf("colmap mapper --database_path %s --image_path %s --output_path %s", db, in, sparse),
		fmt.Sprintf("colmap image_undistorter --image_path %s --input_path %s --output_path %s", in, quote(filepath.Join(work, "sparse", "0")), out),
		"splat train " + out,
	}
	return "  " + strings.Join(lines, "\n  ")
}

// quote makes a path safe to paste into a shell.
func quote(path string) string {
	if strings.IndexFunc(path, func(r rune) bool {
		return r < 128 && !strings.ContainsRune("/._-+=:@%,", r) && !(r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z')
	}) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
