package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var sample = []member{{"a/splat", 0o755, []byte("program")}, {"a/LICENSE", 0o644, []byte("text")}}

// describe writes a member as the tests compare it.
func describe(name string, mode fs.FileMode, unix int64, r io.Reader) string {
	data, _ := io.ReadAll(r)
	return fmt.Sprintf("%s %o %d %s", name, mode.Perm(), unix, data)
}

var described = []string{"a/splat 755 946684800 program", "a/LICENSE 644 946684800 text"}

func TestTar(t *testing.T) {
	var b, again bytes.Buffer
	if err := packTar(&b, sample); err != nil {
		t.Fatal(err)
	}
	if err := packTar(&again, sample); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("packed twice, the bytes differ (%v)", err)
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	a := tar.NewReader(z)
	for h, err := a.Next(); err != io.EOF; h, err = a.Next() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, describe(h.Name, h.FileInfo().Mode(), h.ModTime.Unix(), a))
	}
	if d := cmp.Diff(described, got); d != "" {
		t.Error(d)
	}
}

func TestZip(t *testing.T) {
	var b, again bytes.Buffer
	if err := packZip(&b, sample); err != nil {
		t.Fatal(err)
	}
	if err := packZip(&again, sample); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("packed twice, the bytes differ (%v)", err)
	}
	a, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range a.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, describe(f.Name, f.Mode(), f.Modified.Unix(), r))
	}
	if d := cmp.Diff(described, got); d != "" {
		t.Error(d)
	}
}

func TestNames(t *testing.T) {
	var got []string
	for _, x := range targets {
		got = append(got, x.name()+" "+x.program())
	}
	want := []string{"splat-linux-amd64 splat", "splat-linux-arm64 splat", "splat-darwin-arm64 splat",
		"splat-windows-amd64 splat.exe", "splat-linux-amd64-novulkan splat"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestSums(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("data"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeSums(dir, []string{"x"}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if want := fmt.Sprintf("%x  x\n", sha256.Sum256([]byte("data"))); err != nil || string(got) != want {
		t.Errorf("%q (%v), expected %q", got, err, want)
	}
	if err := writeSums(dir, []string{"missing"}); err == nil {
		t.Error("sums a file that does not exist")
	}
}

// program builds a small static program for Linux.
func program(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{"main.go": text, "go.mod": "module m\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-o", "m")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "m")
}

func TestStaticIsChecked(t *testing.T) {
	static := program(t, "package main\n\nfunc main() {}\n")
	if err := checkStatic(static); err != nil {
		t.Error(err)
	}
	data, err := os.ReadFile(static)
	if err != nil {
		t.Fatal(err)
	}
	const firstSegment, interpreter = 64, 3 // of a 64-bit ELF file, which Go starts with PT_PHDR
	data[firstSegment] = interpreter
	if err := os.WriteFile(static, data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := checkStatic(static); err == nil || !strings.Contains(err.Error(), "dynamic linker") {
		t.Errorf("%v, expected a complaint about a dynamic linker", err)
	}
	if err := checkStatic("main.go"); err == nil {
		t.Error("a text passes as a static binary")
	}
}
