package sog

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"splat/internal/fault"
	"splat/internal/splatio/pack"
)

const (
	metaFile = "meta.json"
	lodFile  = "lod-meta.json"

	// maxEntries limits the entries of a bundle: real ones have 8.
	maxEntries = 1000
)

// source is where the files of a SOG lie. It hands out files that it holds itself
// only, and in all not more bytes than budget.
type source struct {
	name   string // for messages: the bundle or the folder
	budget int64  // bytes that may still be taken
	open   func(name string) (io.ReadCloser, error)
}

// file reads one file.
func (s *source) file(name string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains(name, "\\") {
		return nil, fault.Dataf("%s: the file name %q leads out of it", s.name, name)
	}
	r, err := s.open(name)
	if err != nil {
		return nil, fault.Dataf("%s: %s: %w", s.name, name, fault.Reason(err))
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, s.budget+1))
	if err != nil {
		return nil, fault.Dataf("%s: %s: %w", s.name, name, fault.Reason(err))
	}
	return b, s.take(int64(len(b)), name)
}

// take counts bytes against the budget.
func (s *source) take(n int64, name string) error {
	if n > s.budget {
		return fault.Dataf("%s: %s needs %d bytes, more than files of this size can hold", s.name, name, n)
	}
	s.budget -= n
	return nil
}

// bundle is a source in a zip file; dir is the folder in it that has meta.json.
func bundle(data []byte, name string) (s *source, dir string, err error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, "", fault.Dataf("%s: damaged zip file: %w", name, err)
	}
	if len(z.File) > maxEntries {
		return nil, "", fault.Dataf("%s: a zip file of %d entries, expected the few of a SOG", name, len(z.File))
	}
	found := false
	for _, f := range z.File {
		if d, base := path.Split(f.Name); strings.EqualFold(base, metaFile) && (!found || len(d) < len(dir)) {
			dir, found = d, true
		}
	}
	if !found {
		return nil, "", fault.Dataf("%s: a zip file without %s, expected a SOG", name, metaFile)
	}
	open := func(name string) (io.ReadCloser, error) {
		for _, f := range z.File {
			if f.Name == name {
				return f.Open()
			}
		}
		return nil, errors.New("no such file in the bundle")
	}
	return &source{name: name, budget: pack.Limit(int64(len(data))), open: open}, dir, nil
}

// folder is a source in a folder. The root keeps links from leading out of it.
func folder(dir string) (*source, func() error, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fault.Unreadable(dir, err)
	}
	size, err := folderSize(root.FS())
	if err != nil {
		root.Close()
		return nil, nil, fault.Unreadable(dir, err)
	}
	open := func(name string) (io.ReadCloser, error) {
		info, err := root.Stat(name)
		if err == nil && !info.Mode().IsRegular() {
			return nil, errors.New("found a folder, a pipe or a device, expected a file")
		}
		return root.Open(name)
	}
	return &source{name: dir, budget: pack.Limit(size), open: open}, root.Close, nil
}

// folderSize sums the files of a SOG folder and of the folders in it.
func folderSize(dir fs.FS) (sum int64, err error) {
	for _, pattern := range []string{"*", "*/*"} {
		names, err := fs.Glob(dir, pattern)
		if err != nil {
			return 0, err
		}
		for _, name := range names {
			if info, err := fs.Stat(dir, name); err == nil && info.Mode().IsRegular() {
				sum += info.Size()
			}
		}
	}
	return sum, nil
}
