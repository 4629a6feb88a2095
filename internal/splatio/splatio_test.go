package splatio

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/fault"
	"splat/internal/gaussian"
)

func some() *gaussian.Cloud {
	c := gaussian.New(3, 2)
	copy(c.Means, []float32{1, -2, 3, 0.5, 4, -1, 9, 9, 9})
	for i := range 3 {
		c.Quats[4*i] = 1
	}
	c.Antialiased = true
	return c
}

func TestWriteThenRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b.PLY")
	c := some()
	c.Opacities[2] = float32(math.NaN())
	dropped, err := Write(path, c)
	if err != nil || dropped != 1 {
		t.Fatalf("dropped %d, %v", dropped, err)
	}
	got, info, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(c.Select([]int{0, 1}), got); d != "" {
		t.Error(d)
	}
	want := `{"kind":"splats","format":"ply","splats":2,"sh_degree":2,"antialiased":true,` +
		`"bounds":[[0.5,-2,-1],[1,4,3]],"non_finite":0,"warnings":[]}`
	if b, _ := json.Marshal(info); string(b) != want {
		t.Errorf("info\n%s, want\n%s", b, want)
	}
}

func TestReadByContent(t *testing.T) {
	dir := t.TempDir()
	ply := filepath.Join(dir, "x.ply")
	if _, err := Write(ply, some()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(ply)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"renamed.splat", "noextension", "x.txt"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if c, _, err := Read(path); err != nil || c.Len() != 3 {
			t.Errorf("%s with the content of a PLY: %v", name, err)
		}
	}
}

func TestReadRefusals(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "sog")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"a.splat": "12345678", "a.spz": "\x1f\x8b\x08", "spz.ply": "NGSP\x04", "a.KSPLAT": "", "a.sog": "PK\x03\x04",
		"sog/meta.json": "{}", "b.ply": "PK\x03\x04", "short.ply": "p", "c.obj": "v 1 2 3", "d": "", "e.glb": "glTF",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"a.splat":       "the file has 8 bytes, expected a multiple of 32",
		"a.spz":         "damaged gzip data",
		"spz.ply":       "the file is cut in its header",
		"a.KSPLAT":      "the file is cut in its header",
		"a.sog":         "damaged zip file",
		"sog":           "not a known splat file",
		"sog/meta.json": "not a known splat file",
		"b.ply":         "not a PLY file",
		"short.ply":     "not a PLY file",
		"c.obj":         "not a known splat file",
		"d":             "not a known splat file",
		"e.glb":         "not a known splat file",
		".":             "not a known splat file",
		"absent.ply":    "no such file",
	} {
		path := filepath.Join(dir, name)
		_, _, err := Read(path)
		if err == nil || fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestWriteRefusals(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		"a.ksplat":  "read, not written",
		"a.gltf":    "end the name in .glb",
		"a.plyx":    "must end in .ply",
		"noname":    "must end in .ply",
		"else.json": "meta.json",
	} {
		_, err := Write(filepath.Join(dir, name), some())
		if err == nil || fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("a refused name left %v", entries)
	}
}

func TestIsSplatFile(t *testing.T) {
	for path, want := range map[string]bool{"a.ply": true, "b/c.PLY": true, "a.spz": true, "a.sog": true, "a.ksplat": true, "a.splat": true, "a.json": false, "ply": false, ".": false} {
		if IsSplatFile(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// Every format that is written is read again, whatever its file is called where the
// content tells; what does not fit is dropped and counted in all.
func TestFormatsComeBack(t *testing.T) {
	dir := t.TempDir()
	for name, format := range map[string]string{"a.ply": "ply", "a.compressed.ply": "compressed-ply", "a.splat": "splat", "a.SPZ": "spz", "a.sog": "sog", "folder/meta.json": "sog"} {
		c := some()
		c.Antialiased = false
		c.Opacities[1] = float32(math.Inf(1))
		path := filepath.Join(dir, name)
		w, err := WriteWith(path, c, Options{})
		if err != nil || w.Dropped != 1 || w.Splats != 2 {
			t.Fatalf("%s: %+v, %v", name, w, err)
		}
		if lossy := name == "a.splat"; lossy != (len(w.Lost) > 0) {
			t.Errorf("%s: lost %q", name, w.Lost)
		}
		got, info, err := Read(path)
		if err != nil || got.Len() != 2 || info.Format != format {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
	for version := range 3 {
		path := filepath.Join(dir, "renamed.ply")
		if _, err := WriteWith(filepath.Join(dir, "b.spz"), some(), Options{SPZVersion: version + 2}); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "b.spz"), path); err != nil {
			t.Fatal(err)
		}
		_, info, err := Read(path)
		if named := version < 2; named != (err != nil) {
			t.Errorf("version %d under another name: %+v, %v", version+2, info, err)
		}
	}
}

// A KSPLAT under the name of another format is told by its content.
func TestRenamedKSPLAT(t *testing.T) {
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set")
	}
	b, err := os.ReadFile(filepath.Join(root, "splats/minimal.ksplat"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.splat")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, info, err := Read(path); err != nil || info.Format != "ksplat" || info.Splats != 4 {
		t.Errorf("%+v, %v", info, err)
	}
}

// A cloud without splats is a file of most formats, and is said to be empty; SOG has
// no such file.
func TestNoSplats(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.ply", "a.compressed.ply", "a.splat", "a.spz", "a.glb"} {
		path := filepath.Join(dir, name)
		if _, err := WriteWith(path, gaussian.New(0, 1), Options{SPZVersion: 4}); err != nil {
			t.Fatal(err)
		}
		if name == "a.glb" {
			continue
		}
		_, info, err := Read(path)
		if err != nil || info.Splats != 0 || len(info.Warnings) != 1 {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
	path := filepath.Join(dir, "a.sog")
	if _, err := Write(path, gaussian.New(0, 0)); fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), "a.sog: no splats") {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was left")
	}
}
