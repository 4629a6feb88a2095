package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWriteReplacesAndMakesFolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "例", "file")
	for _, want := range []string{"first", "second"} {
		if err := WriteBytes(path, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("holds %q, want %q", got, want)
		}
	}
}

func TestFailureLeavesOldFileAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteBytes(path, []byte("good")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error {
		w.Write([]byte("half"))
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "good" {
		t.Errorf("the old file holds %q", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files left behind", len(entries)-1)
	}
}

func TestParentThatIsAFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteBytes(filepath.Join(dir, "file", "inside"), nil); err == nil {
		t.Error("wrote inside a file")
	}
}

func TestWriteDurableMakesFolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "file")
	for range 2 {
		err := WriteDurable(path, func(w io.Writer) error {
			_, err := w.Write([]byte("kept"))
			return err
		})
		if got, _ := os.ReadFile(path); err != nil || string(got) != "kept" {
			t.Errorf("holds %q, %v", got, err)
		}
	}
	if err := SyncDir(filepath.Join(filepath.Dir(path), "absent")); err == nil {
		t.Error("synced a folder that does not exist")
	}
}

// What a killed process left is removed, and nothing else.
func TestRemoveTemporary(t *testing.T) {
	dir := t.TempDir()
	var left string
	broken := Write(filepath.Join(dir, "file"), func(io.Writer) error {
		entries, _ := os.ReadDir(dir)
		left = entries[0].Name()
		return errors.New("broken")
	})
	if broken == nil || left == "" {
		t.Fatal("the temporary name is unknown")
	}
	keep := []string{".other.tmp-1", ".file", "file", "file.tmp-1"}
	for _, name := range append(keep, left) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveTemporary(dir, func(name string) bool { return name == "file" }); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != len(keep) {
		t.Errorf("%d files are left, expected %q", len(entries), keep)
	}
	if _, err := os.Stat(filepath.Join(dir, left)); err == nil {
		t.Errorf("%s is still there", left)
	}
}

// Names as long as file systems take them are written, and what a killed write of
// one leaves is recognised by its beginning.
func TestLongNames(t *testing.T) {
	for _, name := range []string{strings.Repeat("n", 255), strings.Repeat("例", 85), strings.Repeat("a", 199) + strings.Repeat("例", 18)} {
		dir := t.TempDir()
		left := ""
		err := Write(filepath.Join(dir, name), func(w io.Writer) error {
			entries, _ := os.ReadDir(dir)
			left = entries[0].Name()
			_, err := w.Write([]byte("kept"))
			return err
		})
		if got, _ := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != "kept" {
			t.Fatalf("%d bytes: %v, holds %q", len(name), err, got)
		}
		if !utf8.ValidString(left) {
			t.Errorf("the temporary name %q has half a character", left)
		}
		if err := os.WriteFile(filepath.Join(dir, left), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := RemoveTemporary(dir, func(s string) bool { return len(s) > 190 && strings.HasPrefix(name, s) }); err != nil {
			t.Fatal(err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 || entries[0].Name() != name {
			t.Errorf("left: %v", entries)
		}
	}
}

// A name that no file can have is refused before the work.
func TestNameTooLong(t *testing.T) {
	err := Write(filepath.Join(t.TempDir(), strings.Repeat("n", 256)), func(io.Writer) error { t.Error("the work was done"); return nil })
	if err == nil {
		t.Error("written")
	}
}
