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
		"sog/meta.json": "{}", "b.ply": "PK\x03\x04", "short.ply": "p", "c.obj": "v 1 2 3", "d": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"a.splat":       "SPLAT (antimatter15) files are not supported yet",
		"a.spz":         "SPZ (Niantic) files are not supported yet",
		"spz.ply":       "SPZ (Niantic) files are not supported yet",
		"a.KSPLAT":      "KSPLAT (GaussianSplats3D) files are not supported yet",
		"a.sog":         "SOG (PlayCanvas) files are not supported yet",
		"sog":           "SOG (PlayCanvas) files are not supported yet",
		"sog/meta.json": "SOG (PlayCanvas) files are not supported yet",
		"b.ply":         "not a PLY file",
		"short.ply":     "not a PLY file",
		"c.obj":         "not a known splat file",
		"d":             "not a known splat file",
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
		"a.spz":   "writing SPZ (Niantic) files is not supported yet",
		"a.plyx":  "must end in .ply",
		"noname":  "must end in .ply",
		"x.splat": "SPLAT",
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
	for path, want := range map[string]bool{"a.ply": true, "b/c.PLY": true, "a.spz": true, "a.sog": true, "a.json": false, "ply": false} {
		if IsSplatFile(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// Every shared file of a format that is not supported is refused by its name.
func TestRefuseRealFiles(t *testing.T) {
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set")
	}
	for name, want := range map[string]string{
		"biker.compressed.ply": "compressed PLY (SuperSplat)", "biker.spz": "SPZ", "minimal-v2.spz": "SPZ", "chair_radegs.splat": "SPLAT",
		"jfigbor_scene.sog": "SOG", "minimal.ksplat": "KSPLAT", "playbot": "SOG", "playbot/5_0/meta.json": "SOG",
	} {
		_, _, err := Read(filepath.Join(root, "splats", name))
		if fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
