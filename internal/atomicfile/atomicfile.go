// Package atomicfile writes files so that a reader, a crash or a full disk never
// sees half of one: to a temporary name in the same folder, synced, then renamed.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// temporary is the middle of a temporary file's name: ".splats.ply.tmp-123".
const temporary = ".tmp-"

// longestName is how much of the target's name is in the temporary one, in bytes:
// file systems take names of 255 bytes, and what is added may be 16.
const longestName = 200

// pattern is the temporary name of a file, for os.CreateTemp.
func pattern(name string) string { return "." + beginning(name) + temporary + "*" }

// beginning is a name as far as it fits into a temporary one, whole characters.
func beginning(name string) string {
	if len(name) <= longestName {
		return name
	}
	n := longestName
	for n > longestName-utf8.UTFMax && !utf8.RuneStart(name[n]) {
		n--
	}
	return name[:n]
}

// Write creates or replaces path with what fill writes. On any error the old
// file, if there was one, is untouched and the temporary one is removed. Missing
// parent folders are created.
func Write(path string, fill func(io.Writer) error) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // such as a name that is too long, before the work and not after it
	}
	f, err := os.CreateTemp(dir, pattern(filepath.Base(path)))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// WriteBytes is Write for content that is already in memory.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteDurable is Write that returns only when the file and its name would
// survive a loss of power.
func WriteDurable(path string, fill func(io.Writer) error) error {
	made := absent(filepath.Dir(path))
	if err := Write(path, fill); err != nil {
		return err
	}
	for _, dir := range made {
		if err := SyncDir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	return SyncDir(filepath.Dir(path))
}

// absent lists the folders from dir upwards that do not exist.
func absent(dir string) []string {
	var list []string
	for {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			return list
		}
		list = append(list, dir)
		dir = filepath.Dir(dir)
	}
}

// RemoveTemporary removes from dir what a write that was killed left behind of a
// file whose name fits: fits is asked for the name that the file was to get, or the
// first 200 bytes of it. No write to these files may be under way.
func RemoveTemporary(dir string, fits func(name string) bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		hidden, dot := strings.CutPrefix(e.Name(), ".")
		name, _, tmp := strings.Cut(hidden, temporary)
		if !dot || !tmp || !e.Type().IsRegular() || !fits(name) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
