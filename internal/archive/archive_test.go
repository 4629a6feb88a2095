package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// entry is a file of a zip file that a test makes.
type entry struct {
	name, content string
	method        uint16
}

func zipped(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: e.method})
		if err == nil {
			_, err = io.WriteString(f, e.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipFileOf(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Scene 1.ZIP")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestZipIsAFolder(t *testing.T) {
	long := strings.Repeat("0123456789", 100000)
	path := zipFileOf(t, zipped(t, entry{"images/", "", zip.Store}, entry{"images/b.jpg", long, zip.Deflate}, entry{`images\a.jpg`, "stored", zip.Store}, entry{"./c/d/e.txt", "deep", zip.Deflate}))
	for name, want := range map[string]string{"images/b.jpg": long, "images/a.jpg": "stored", "c/d/e.txt": "deep"} {
		got, err := ReadFile(filepath.Join(path, name))
		if err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v, want %d", name, len(got), err, len(want))
		}
		f, err := Open(filepath.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(f, []byte(want)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	entries, err := ReadDir(filepath.Join(path, "images"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if d := cmp.Diff([]string{"a.jpg", "b.jpg"}, names); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	for name, dir := range map[string]bool{"": true, "images": true, "c/d": true, "images/a.jpg": false} {
		if st, err := Stat(filepath.Join(path, name)); err != nil || st.IsDir() != dir {
			t.Errorf("%q: folder %v, %v", name, st, err)
		}
	}
	for _, name := range []string{"images/z.jpg", "images/a.jpg/x", "../x"} {
		if _, err := Open(filepath.Join(path, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v, want that it does not exist", name, err)
		}
	}
}

func TestFolderCalledZip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a.zip")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("y"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFile(filepath.Join(dir, "x")); err != nil || string(got) != "y" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestZipThatChanges(t *testing.T) {
	path := zipFileOf(t, zipped(t, entry{"a", "first", zip.Store}))
	if got, err := ReadFile(filepath.Join(path, "a")); err != nil || string(got) != "first" {
		t.Fatalf("%q, %v", got, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, zipped(t, entry{"a", "second one", zip.Store}), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFile(filepath.Join(path, "a")); err != nil || string(got) != "second one" {
		t.Errorf("%q, %v, want the new content", got, err)
	}
}

// Names that lead out, and trees that cannot be, are refused as a whole.
func TestZipNames(t *testing.T) {
	for name, want := range map[string]string{
		"../evil": "leads out", `..\evil`: "leads out", "a/../../evil": "leads out", "a/../b": "leads out", "/etc/passwd": "inside", `\\host\x`: "inside", `C:\x`: "inside",
		strings.Repeat("a/", 100) + "b": "deep",
	} {
		path := zipFileOf(t, zipped(t, entry{"ok", "", zip.Store}, entry{name, "x", zip.Store}))
		if _, err := Stat(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	for _, names := range [][]string{{"a", "a"}, {"a", "a/b"}, {"a/b", "a"}} {
		path := zipFileOf(t, zipped(t, entry{names[0], "x", zip.Store}, entry{names[1], "y", zip.Store}))
		if _, err := Stat(path); err == nil {
			t.Errorf("%q is accepted", names)
		}
	}
}

// A file of zeros packs a thousandfold: beyond a size it is a bomb.
func TestZipBomb(t *testing.T) {
	path := zipFileOf(t, zipped(t, entry{"bomb", strings.Repeat("\x00", freeInflate+1), zip.Deflate}, entry{"small", strings.Repeat("\x00", 1<<20), zip.Deflate}))
	if _, err := Open(filepath.Join(path, "bomb")); err == nil || !strings.Contains(err.Error(), "times as many") {
		t.Errorf("%v, want a refusal", err)
	}
	if got, err := ReadFile(filepath.Join(path, "small")); err != nil || len(got) != 1<<20 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// change overwrites fields of the table of a zip file with one entry.
func change(data []byte, offset int, value uint32) []byte {
	out := bytes.Clone(data)
	at := bytes.Index(out, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(out[at+offset:], value)
	return out
}

func TestDamagedZip(t *testing.T) {
	good := zipped(t, entry{"a", strings.Repeat("some text ", 1000), zip.Deflate})
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut":         {good[:len(good)-30], "damaged zip file, or none"},
		"empty":       {nil, "damaged zip file, or none"},
		"encrypted":   {change(good, 8, 1|8<<16), "encrypted"},
		"method":      {change(good, 8, 14<<16), "method 14"},
		"longer":      {change(good, 24, 20000), "damaged zip file"},
		"shorter":     {change(good, 24, 100), "damaged zip file"},
		"checksum":    {change(good, 16, 12345), "damaged zip file"},
		"packed size": {change(good, 20, 1<<30), "damaged zip file"},
	} {
		path := zipFileOf(t, c.data)
		if _, err := ReadFile(filepath.Join(path, "a")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func FuzzZip(f *testing.F) {
	good := zipped(f, entry{"a/b", strings.Repeat("some text ", 100), zip.Deflate}, entry{"c", "stored", zip.Store})
	f.Add(good)
	f.Add(change(good, 24, 1<<31))
	f.Add(good[:len(good)-9])
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := readTable(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		walk(t, root, 0, int64(len(data)))
	})
}

// walk reads every entry as the package does, a part of it.
func walk(t *testing.T, n *node, depth int, size int64) {
	if depth > maxDepth {
		t.Fatal("deeper than the limit")
	}
	for name, c := range n.children {
		if name == "" || name == ".." || strings.ContainsAny(name, `/\`) {
			t.Fatalf("an entry is called %q", name)
		}
		if c.entry == nil {
			walk(t, c, depth+1, size)
			continue
		}
		if check(c.entry, size) != nil || c.entry.Method == zip.Store {
			continue
		}
		r, err := c.entry.Open()
		if err != nil {
			continue
		}
		in := &inflated{path: name, r: r, info: c, size: c.Size()}
		_, _ = io.CopyN(io.Discard, in, 1<<20)
		if int64(len(in.buf)) > c.Size() {
			t.Fatalf("%d bytes of %d", len(in.buf), c.Size())
		}
		in.Close()
	}
}
