// Package archive opens files by path, also those inside zip files: in
// capture.zip/images/a.jpg the zip file stands for a folder. Nothing is ever unpacked to
// the disk, so nothing can be written outside and nothing has to be cleaned up. Paths
// without a zip file in them go to the operating system.
//
// Memory: the table of a zip file, bounded by the file's size; of a compressed file that
// is open, what was read of it, at most maxInflated bytes.
package archive

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File is an open file. Its methods may not be called at the same time.
type File interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
	Stat() (fs.FileInfo, error)
}

// Open opens a file for reading.
func Open(path string) (File, error) {
	z, inner, err := find(path)
	if err != nil || z == nil {
		return openFile(path, err)
	}
	return z.open(path, inner)
}

func openFile(path string, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err // not f, which would be a File that is not nil
	}
	return f, nil
}

// ReadFile returns a file's content.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// ReadDir lists a folder, or a zip file, by name.
func ReadDir(path string) ([]fs.DirEntry, error) {
	z, inner, err := find(path)
	if err != nil {
		return nil, err
	}
	if z == nil {
		return os.ReadDir(path)
	}
	return z.list(path, inner)
}

// Stat describes a file or folder; a zip file is a folder.
func Stat(path string) (fs.FileInfo, error) {
	z, inner, err := find(path)
	if err != nil {
		return nil, err
	}
	if z == nil {
		return os.Stat(path)
	}
	n, err := z.node(path, inner)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// IsZip reports whether a path is that of a zip file, by its ending and content.
func IsZip(path string) bool {
	if !strings.EqualFold(filepath.Ext(path), ending) {
		return false
	}
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

const ending = ".zip"

// find returns the zip file that a path leads through and the slash-separated path in
// it, "" for the zip file itself; nil where there is none.
func find(path string) (z *zipFile, inner string, err error) {
	if !strings.Contains(strings.ToLower(path), ending) {
		return nil, "", nil
	}
	path = filepath.Clean(path)
	for end := range ends(path) {
		if IsZip(path[:end]) {
			z, err := table(path[:end])
			return z, strings.TrimPrefix(filepath.ToSlash(path[end:]), "/"), err
		}
	}
	return nil, "", nil
}

// ends yields the lengths of the leading parts of a path, the shortest first.
func ends(path string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range path {
			if os.IsPathSeparator(path[i]) && i > 0 && !yield(i) {
				return
			}
		}
		yield(len(path))
	}
}

// sorted returns the entries of a folder by name.
func sorted(n *node) []fs.DirEntry {
	out := make([]fs.DirEntry, 0, len(n.children))
	for _, c := range n.children {
		out = append(out, fs.FileInfoToDirEntry(c))
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}
