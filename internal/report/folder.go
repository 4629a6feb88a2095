package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"splat/internal/atomicfile"
	"splat/internal/fault"
)

// markFile makes a folder a report of ours; it lists all files that were written.
const markFile = "report.json"

// kind is what the mark says.
const kind = "splat report"

// mark is the content of markFile.
type mark struct {
	Kind    string   `json:"kind"`
	Version int      `json:"version"`
	Files   []string `json:"files"`
}

// Is reports whether a folder is a report of ours.
func Is(dir string) bool {
	_, err := readMark(dir)
	return err == nil
}

func readMark(dir string) (mark, error) {
	var m mark
	text, err := os.ReadFile(filepath.Join(dir, markFile))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && m.Kind != kind {
		err = fmt.Errorf("no report")
	}
	return m, err
}

// Check reports what keeps a report from being written to a folder: something there
// that is not an earlier report, or not all of it. Folders in inputs may not lie in
// it, since it is replaced as a whole.
func Check(out string, inputs ...string) error {
	for _, in := range inputs {
		if rel, err := filepath.Rel(absolute(out), absolute(in)); in != "" && err == nil && filepath.IsLocal(rel) {
			return fault.Usagef("--out %s: found %s in it, expected a folder of its own: the report replaces it", out, in)
		}
	}
	if at, found := atomicfile.Obstacle(out); at != "" {
		return fault.Usagef("--out %s: found %s at %s, expected a folder", out, found, at)
	}
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fault.AtFile(out, err)
	}
	m, err := readMark(out)
	if err != nil {
		return fault.Usagef("--out %s: found %s, expected a new folder or an earlier report", out, entries[0].Name())
	}
	return foreign(out, m)
}

// foreign looks for files in an earlier report that it did not write.
func foreign(out string, m mark) error {
	return filepath.WalkDir(out, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return fault.AtFile(path, err)
		}
		rel, _ := filepath.Rel(out, path)
		if rel = filepath.ToSlash(rel); e.IsDir() || rel == markFile || slices.Contains(m.Files, rel) {
			return nil
		}
		return fault.Usagef("--out %s: found %s, which is no part of the earlier report there; expected a folder of its own: the report replaces it", out, rel)
	})
}

// staging is a report while it is written: a folder beside the one that it replaces.
type staging struct {
	out, dir string
	files    []string
}

func stage(out string) (*staging, error) {
	out = absolute(out)
	if real, err := filepath.EvalSymlinks(out); err == nil {
		out = real
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return nil, fault.AtFile(filepath.Dir(out), err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+".tmp-*")
	if err != nil {
		return nil, fault.AtFile(filepath.Dir(out), err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // pages are for everybody
		return nil, fault.AtFile(dir, err)
	}
	return &staging{out: out, dir: dir}, nil
}

// drop removes what was written, unless it has been published.
func (s *staging) drop() { os.RemoveAll(s.dir) }

// write adds a file, named with slashes.
func (s *staging) write(name string, data []byte) error {
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.AtFile(path, err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil { // pages are for everybody
		return fault.AtFile(path, err)
	}
	s.files = append(s.files, name)
	return nil
}

// publish puts the folder in the place of the earlier one. Between two renames there
// is no folder of that name; if the second fails, the earlier one comes back.
func (s *staging) publish() error {
	slices.Sort(s.files)
	text, err := json.MarshalIndent(mark{kind, 1, s.files}, "", " ")
	if err != nil {
		return err
	}
	if err := s.write(markFile, append(text, '\n')); err != nil {
		return err
	}
	old := strings.Replace(s.dir, ".tmp-", ".old-", 1)
	moved := os.Rename(s.out, old)
	if moved != nil && !errors.Is(moved, fs.ErrNotExist) {
		return fault.AtFile(s.out, moved)
	}
	if err := os.Rename(s.dir, s.out); err != nil {
		if moved == nil {
			_ = os.Rename(old, s.out) // the failure before is what counts
		}
		return fault.AtFile(s.out, err)
	}
	if moved == nil {
		if err := os.RemoveAll(old); err != nil {
			return fault.AtFile(old, err)
		}
	}
	return nil
}
