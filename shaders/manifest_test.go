package shaders

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"splat/internal/kernel"
)

// stale lists where the manifest of a folder of shaders, its builds and its files
// differ.
func stale(fsys fs.FS, m *Manifest, builds []Build) (wrong []string) {
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	var listed, wanted []string
	for _, e := range m.Files {
		listed = append(listed, e.File)
		if got := digest(fsys, "spv/"+e.File+".spv"); got != e.SHA256 {
			bad("spv/%s.spv has the hash %s, manifest.json says %s", e.File, got, e.SHA256)
		}
		sources := closure(fsys, e.Source)
		if !maps.Equal(sources, e.Sources) {
			bad("%s: its sources are %v, manifest.json says %v", e.File, sources, e.Sources)
		}
	}
	for i, b := range builds {
		wanted = append(wanted, b.File())
		if i < len(m.Files) && (m.Files[i].Source != b.Kernel+".comp" || !slices.Equal(m.Files[i].Defines, defines(b))) {
			bad("%s: %s with %q, expected %s.comp with %q", b.File(), m.Files[i].Source, m.Files[i].Defines, b.Kernel, defines(b))
		}
	}
	if !slices.Equal(listed, wanted) {
		bad("manifest.json lists %q, expected %q", listed, wanted)
	}
	var there []string
	for _, p := range glob(fsys, "spv/*") {
		there = append(there, strings.TrimSuffix(path.Base(p), ".spv"))
	}
	slices.Sort(there)
	if slices.Sort(wanted); !slices.Equal(there, wanted) {
		bad("spv/ holds %q, expected %q", there, wanted)
	}
	return append(wrong, unused(fsys, m)...)
}

// unused lists sources that no build is made of.
func unused(fsys fs.FS, m *Manifest) (wrong []string) {
	used := map[string]bool{}
	for _, e := range m.Files {
		for source := range e.Sources {
			used[source] = true
		}
	}
	for _, p := range slices.Concat(glob(fsys, "*.comp"), glob(fsys, "include/*.glsl"), glob(fsys, "include/gen/*.glsl")) {
		if !used[p] {
			wrong = append(wrong, p+" is part of no build")
		}
	}
	return wrong
}

func defines(b Build) (out []string) {
	for _, k := range sortedKeys(b.Defines) {
		out = append(out, k+"="+b.Defines[k])
	}
	return out
}

func glob(fsys fs.FS, pattern string) []string {
	paths, err := fs.Glob(fsys, pattern)
	if err != nil {
		panic(err)
	}
	return paths
}

func digest(fsys fs.FS, name string) string {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

var include = regexp.MustCompile(`(?m)^\s*#\s*include\s+["<]([^">]+)`)

// closure hashes a source and all that it includes. Includes lie below include/.
func closure(fsys fs.FS, source string) map[string]string {
	out := map[string]string{}
	for todo := []string{source}; len(todo) > 0; todo = todo[1:] {
		name := todo[0]
		if out[name] != "" {
			continue
		}
		out[name] = digest(fsys, name)
		text, _ := fs.ReadFile(fsys, name)
		for _, m := range include.FindAllSubmatch(text, -1) {
			todo = append(todo, "include/"+string(m[1]))
		}
	}
	return out
}

func TestManifestIsCurrent(t *testing.T) {
	m, err := ReadManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range stale(os.DirFS("."), m, Builds()) {
		t.Error(w)
	}
	if !strings.HasPrefix(m.Compiler, "shaderc ") || len(m.Flags) == 0 {
		t.Errorf("compiler %q with %q", m.Compiler, m.Flags)
	}
	if t.Failed() {
		t.Log("run: go generate ./shaders")
	}
}

// What Code returns is what the folder holds.
func TestCodeIsEmbedded(t *testing.T) {
	for _, b := range Builds() {
		file, err := os.ReadFile("spv/" + b.File() + ".spv")
		if err != nil {
			t.Fatal(err)
		}
		if string(mustCode(t, b.Kernel, b.Variant)) != string(file) {
			t.Errorf("%s: embedded code differs", b.File())
		}
	}
	if _, err := Code(kernel.Project.Name, "none"); err == nil {
		t.Error("Code returns a variant that does not exist")
	}
}

// folder is a small folder of shaders with a current manifest.
func folder() (fstest.MapFS, *Manifest, []Build) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	fsys := fstest.MapFS{
		"a.comp":               file("#include \"one.glsl\"\n"),
		"include/one.glsl":     file("#include \"gen/two.glsl\"\n"),
		"include/gen/two.glsl": file("x"),
		"spv/a.spv":            file("plain"),
		"spv/a.v.spv":          file("variant"),
	}
	entry := func(name string, defines ...string) Entry {
		return Entry{name, "a.comp", defines, digest(fsys, "spv/"+name+".spv"), closure(fsys, "a.comp")}
	}
	return fsys, &Manifest{Files: []Entry{entry("a"), entry("a.v", "V=1")}},
		[]Build{{Kernel: "a"}, {"a", "v", map[string]string{"V": "1"}}}
}

func TestStaleManifestsAreFound(t *testing.T) {
	fsys, m, builds := folder()
	if wrong := stale(fsys, m, builds); len(wrong) > 0 {
		t.Fatalf("a current manifest: %q", wrong)
	}
	for name, c := range map[string]struct {
		change func(fstest.MapFS, *Manifest, *[]Build)
		want   string
	}{
		"source":        {func(f fstest.MapFS, _ *Manifest, _ *[]Build) { f["a.comp"].Data[11] = '_' }, "a: its sources"},
		"include":       {func(f fstest.MapFS, _ *Manifest, _ *[]Build) { f["include/gen/two.glsl"].Data[0] = 'y' }, "a: its sources"},
		"code":          {func(f fstest.MapFS, _ *Manifest, _ *[]Build) { f["spv/a.v.spv"].Data[0] = 'w' }, "spv/a.v.spv has the hash"},
		"code missing":  {func(f fstest.MapFS, _ *Manifest, _ *[]Build) { delete(f, "spv/a.spv") }, "file does not exist"},
		"code too much": {func(f fstest.MapFS, _ *Manifest, _ *[]Build) { f["spv/b.spv"] = f["spv/a.spv"] }, "spv/ holds"},
		"include unused": {func(f fstest.MapFS, _ *Manifest, _ *[]Build) { f["include/b.glsl"] = f["a.comp"] },
			"include/b.glsl is part of no build"},
		"build too much": {func(_ fstest.MapFS, _ *Manifest, b *[]Build) { *b = append(*b, Build{Kernel: "c"}) }, "manifest.json lists"},
		"build missing":  {func(_ fstest.MapFS, _ *Manifest, b *[]Build) { *b = (*b)[:1] }, "manifest.json lists"},
		"defines":        {func(_ fstest.MapFS, m *Manifest, _ *[]Build) { m.Files[1].Defines = []string{"V=2"} }, "a.v: a.comp with"},
	} {
		t.Run(name, func(t *testing.T) {
			fsys, m, builds := folder()
			c.change(fsys, m, &builds)
			if wrong := strings.Join(stale(fsys, m, builds), "\n"); !strings.Contains(wrong, c.want) {
				t.Errorf("found %q, expected %q", wrong, c.want)
			}
		})
	}
}
