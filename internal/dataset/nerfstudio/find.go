package nerfstudio

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"

	"splat/internal/archive"
)

// Find returns the name of the transforms.json in dir, without regard to case (the
// exact name first), or "".
func Find(dir string) string {
	entries, _ := archive.ReadDir(dir)
	found := ""
	for _, e := range entries {
		if n := e.Name(); !e.IsDir() && (n == "transforms.json" || found == "" && strings.EqualFold(n, "transforms.json")) {
			found = n
		}
	}
	return found
}

// Candidates lists the JSON files in dir that speak of frames, whatever their
// names.
func Candidates(dir string) []string {
	entries, _ := archive.ReadDir(dir)
	var names []string
	for _, e := range entries {
		n := e.Name()
		if !strings.HasPrefix(n, ".") && !e.IsDir() && strings.EqualFold(filepath.Ext(n), ".json") && hasFrames(filepath.Join(dir, n)) {
			names = append(names, n)
		}
	}
	return names
}

// hasFrames looks for the word at a file's beginning, where it is unless a long
// split comes before it.
func hasFrames(path string) bool {
	f, err := archive.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 1<<16))
	return err == nil && bytes.Contains(head, []byte(`"frames"`))
}
