package sog

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

// some returns n random splats.
func some(n, degree int) *gaussian.Cloud {
	rng := rand.New(rand.NewPCG(5, 6))
	c := gaussian.New(n, degree)
	for _, a := range []struct {
		values []float32
		scale  float64
	}{{c.Means, 10}, {c.Quats, 1}, {c.LogScales, 4}, {c.Opacities, 3}, {c.SH, 0.5}} {
		for k := range a.values {
			a.values[k] = float32(a.scale * (2*rng.Float64() - 1))
		}
	}
	return c
}

func encode(t testing.TB, c *gaussian.Cloud) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := Encode(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func worst(a, b []float32) (d float64) {
	for k := range a {
		d = max(d, math.Abs(float64(a[k]-b[k])))
	}
	return d
}

func TestRoundTrip(t *testing.T) {
	for degree := range 4 {
		c := some(500, degree)
		c.Antialiased = degree == 1
		b := encode(t, c)
		got, report, err := Decode(b, "a.sog")
		if err != nil || len(report.Warnings) != 0 || got.Len() != c.Len() || got.SHDegree != degree || got.Antialiased != c.Antialiased {
			t.Fatalf("degree %d: %v %v", degree, err, report)
		}
		want := c.Select(pack.Morton(c))
		for name, d := range map[string]float64{
			"mean":      worst(want.Means, got.Means) / 5e-4,
			"log scale": worst(want.LogScales, got.LogScales) / 0.04,
			"SH":        worst(want.SH, got.SH) / 0.01,
		} {
			if d > 1 {
				t.Errorf("degree %d: %s is off by %.2f of what is allowed", degree, name, d)
			}
		}
		for i := range c.Len() {
			p, q := pack.Unit(want.Quats[4*i:4*i+4]), pack.Unit(got.Quats[4*i:4*i+4])
			if dot := math.Abs(p[0]*q[0] + p[1]*q[1] + p[2]*q[2] + p[3]*q[3]); dot < 1-2e-4 {
				t.Fatalf("degree %d: rotation %v, was %v", degree, q, p)
			}
			if d := math.Abs(want.Opacity(i) - got.Opacity(i)); d > 0.5/255+1e-6 {
				t.Fatalf("degree %d: opacity is off by %v", degree, d)
			}
		}
		if again := encode(t, c); !bytes.Equal(b, again) {
			t.Errorf("degree %d: two writings differ", degree)
		}
	}
}

// Every byte of every pixel survives, also where alpha is small.
func TestPicturesAreExact(t *testing.T) {
	p := &picture{256, 256, make([]byte, 4*256*256)}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 256 * 256 {
		copy(p.pixel(i), []byte{byte(i), byte(rng.Uint32()), byte(rng.Uint32()), byte(i >> 8)})
	}
	s := memory(map[string][]byte{"a": encodeVP8L(p)})
	got, err := s.picture("a", 256*256)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.pix {
		if got.pix[i] != p.pix[i] {
			t.Fatalf("byte %d of pixel %d is %d, was %d (pixel %v)", i%4, i/4, got.pix[i], p.pix[i], p.pixel(i/4))
		}
	}
}

// memory is a source of files in memory.
func memory(files map[string][]byte) *source {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			panic(err)
		}
		w.Write(data)
	}
	w, _ := z.Create(metaFile)
	w.Write([]byte("{}"))
	z.Close()
	s, _, err := bundle(b.Bytes(), "a.sog")
	if err != nil {
		panic(err)
	}
	return s
}

// bundleOf packs members, after a change.
func bundleOf(t testing.TB, c *gaussian.Cloud, change func(files map[string][]byte, m map[string]any)) []byte {
	t.Helper()
	members, _, err := Members(c)
	if err != nil {
		t.Fatal(err)
	}
	files, m := map[string][]byte{}, map[string]any{}
	for _, f := range members {
		files[f.Name] = f.Data
	}
	if err := json.Unmarshal(files[metaFile], &m); err != nil {
		t.Fatal(err)
	}
	change(files, m)
	if m != nil {
		files[metaFile], _ = json.Marshal(m)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range members {
		if data, ok := files[f.Name]; ok {
			w, _ := z.Create("inside/" + f.Name)
			w.Write(data)
		}
	}
	z.Close()
	return b.Bytes()
}

// Version 1 has no codebooks and its opacity is a logit.
func TestVersion1(t *testing.T) {
	c := some(5, 1)
	b := bundleOf(t, c, func(_ map[string][]byte, m map[string]any) {
		delete(m, "version")
		delete(m, "count")
		m["means"].(map[string]any)["shape"] = []int{5, 3}
		set := func(name string, lo, hi any) {
			p := m[name].(map[string]any)
			delete(p, "codebook")
			p["mins"], p["maxs"] = lo, hi
		}
		set("scales", []float64{-5, -5, -5}, []float64{-1, -1, -1})
		set("sh0", []float64{0, 0, 0, -4}, []float64{1, 1, 1, 4})
		set("shN", -0.5, 0.5)
	})
	got, _, err := Decode(b, "a.sog")
	if err != nil || got.Len() != 5 || got.SHDegree != 1 {
		t.Fatal(err)
	}
	for i := range 5 {
		opacity := float64(pack.AlphaByte(c.Select(pack.Morton(c)).Opacities[i]))
		if want := -4 + opacity/255*8; math.Abs(float64(got.Opacities[i])-want) > 1e-5 {
			t.Errorf("logit %v, want %v", got.Opacities[i], want)
		}
		for _, v := range got.LogScales[3*i : 3*i+3] {
			if v < -5 || v > -1 {
				t.Errorf("log scale %v", v)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	c := some(5, 1)
	type files = map[string][]byte
	type doc = map[string]any
	for want, change := range map[string]func(files, doc){
		"SOG version 9":                    func(_ files, m doc) { m["version"] = 9 },
		"neither a version nor the shape":  func(_ files, m doc) { delete(m, "version") },
		"-3 splats":                        func(_ files, m doc) { m["count"] = -3 },
		"9 pixels for 100000 splats":       func(_ files, m doc) { m["count"] = 100000 },
		"leads out of it":                  func(_ files, m doc) { m["quats"].(doc)["files"] = []string{"../../quats.webp"} },
		"quats has 0 files, expected 1":    func(_ files, m doc) { m["quats"].(doc)["files"] = []string{} },
		"no such file in the bundle":       func(f files, _ doc) { delete(f, "scales.webp") },
		"not a WebP picture":               func(f files, _ doc) { f["sh0.webp"] = []byte("RIFF") },
		"damaged WebP picture":             func(f files, _ doc) { f["sh0.webp"] = f["sh0.webp"][:40] },
		"lossy or moving WebP picture":     func(f files, _ doc) { copy(f["sh0.webp"][12:], "VP8 ") },
		"lack their codebooks":             func(_ files, m doc) { delete(m["sh0"].(doc), "codebook") },
		"rows of the palette in a picture": func(_ files, m doc) { m["shN"].(doc)["count"] = 99999 },
		"shN has a codebook of 256 values": func(_ files, m doc) { m["shN"].(doc)["bands"] = 9 },
		"192 pixels wide":                  func(_ files, m doc) { m["shN"].(doc)["bands"] = 2 },
		"means has 1 mins":                 func(_ files, m doc) { m["means"].(doc)["mins"] = []float64{1} },
	} {
		if want == "9 pixels for 100000 splats" {
			want = "pixels for 100000 splats"
		}
		_, _, err := Decode(bundleOf(t, c, change), "a.sog")
		if fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "a.sog") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for want, b := range map[string][]byte{"damaged zip file": []byte("PK\x03\x04"), "without meta.json": zipOf("a.txt", []byte("x"))} {
		if _, _, err := Decode(b, "a.sog"); fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, _, err := Members(gaussian.New(0, 0)); err == nil {
		t.Error("no splats are written")
	}
}

func zipOf(name string, data []byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, _ := z.Create(name)
	w.Write(data)
	z.Close()
	return b.Bytes()
}

// A small file that unpacks to much is refused before it is unpacked.
func TestBombs(t *testing.T) {
	if _, _, err := Decode(zipOf(metaFile, bytes.Repeat([]byte(" "), 64<<20)), "a.sog"); fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), "more than files of this size can hold") {
		t.Errorf("meta.json of 64 MiB: %v", err)
	}
	huge := (&picture{2, 2, make([]byte, 16)})
	data := encodeVP8L(huge)
	// The size of the picture is in the 28 bits after the signature byte.
	copy(data[21:], []byte{0xff, 0xff, 0xff, 0x1f})
	// The container may say that the picture is small.
	small := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00\x02\x00\x00\x02\x00\x00"), data[12:]...)
	for name, data := range map[string][]byte{"plain": data, "with a small frame": small} {
		b := bundleOf(t, some(3, 0), func(f map[string][]byte, _ map[string]any) { f["means_l.webp"] = data })
		if _, _, err := Decode(b, "a.sog"); fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), "more than files of this size can hold") {
			t.Errorf("a picture of 16384 x 16384, %s: %v", name, err)
		}
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	c := some(20, 1)
	members, _, err := Members(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range members {
		if err := os.WriteFile(filepath.Join(dir, m.Name), m.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{dir, filepath.Join(dir, metaFile)} {
		got, _, err := ReadFolder(name)
		if err != nil || got.Len() != 20 || !IsFolder(name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A link out of the folder is not followed.
	outside := filepath.Join(t.TempDir(), "quats.webp")
	if err := os.Rename(filepath.Join(dir, "quats.webp"), outside); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "quats.webp")); err != nil {
		t.Skip("no links here: ", err)
	}
	if _, _, err := ReadFolder(dir); fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), "quats.webp") {
		t.Errorf("a link that leads out: %v", err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, metaFile), []byte(`{"frames":[]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if IsFolder(other) || IsFolder(filepath.Join(other, "none")) {
		t.Error("a meta.json of something else is taken for a SOG")
	}
}

func TestRealFiles(t *testing.T) {
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set")
	}
	b, err := os.ReadFile(filepath.Join(root, "splats/jfigbor_scene.sog"))
	if err != nil {
		t.Fatal(err)
	}
	c, report, err := Decode(b, "jfigbor_scene.sog")
	if err != nil || c.Len() != 360196 || len(report.Warnings) != 0 {
		t.Fatalf("%v %v", err, report)
	}
	for name, want := range map[string]struct{ n, degree, warnings int }{"playbot/4_0": {8406, 2, 0}, "playbot/6_0/meta.json": {1873, 2, 0}, "playbot": {8406, 2, 1}, "playbot/lod-meta.json": {8406, 2, 1}} {
		c, report, err := ReadFolder(filepath.Join(root, "splats", name))
		if err != nil || c.Len() != want.n || c.SHDegree != want.degree || len(report.Warnings) != want.warnings {
			t.Errorf("%s: %v, %d splats of degree %d, %+v", name, err, c.Len(), c.SHDegree, report)
		}
	}
}

func TestCodebookAndClusters(t *testing.T) {
	book := codebook([]float32{5, 1, 1, 9})
	for _, v := range []float64{1, 5, 9} {
		if got := book[nearest(book, v)]; math.Abs(got-v) > 1e-6 {
			t.Errorf("%v becomes %v", v, got)
		}
	}
	rng := rand.New(rand.NewPCG(7, 8))
	rows := make([]float32, 3*1000)
	for i := range rows {
		rows[i] = float32(i/3%10) + 0.01*float32(rng.Float64())
	}
	means, labels := cluster(rows, 3, 64)
	if len(means) > 3*64 || len(means) < 3*10 {
		t.Fatalf("%d groups", len(means)/3)
	}
	for i, label := range labels {
		if d := math.Abs(float64(means[3*label] - rows[3*i])); d > 0.02 {
			t.Fatalf("row %d is %v away from its group", i, d)
		}
	}
}

// FuzzDecode checks that any bundle gives a sound cloud or a data error. The fuzzer
// makes the meta and one picture; the other pictures are sound.
func FuzzDecode(f *testing.F) {
	c := some(4, 1)
	members, _, err := Members(c)
	if err != nil {
		f.Fatal(err)
	}
	last := members[len(members)-1]
	for _, m := range members {
		f.Add(last.Data, m.Data)
	}
	f.Add([]byte(`{"means":{"shape":[4,3],"mins":[0,0,0],"maxs":[1,1,1],"files":["x","x"]},"scales":{"mins":[0,0,0],"maxs":[1,1,1],"files":["x"]},"quats":{"files":["x"]},"sh0":{"mins":[0,0,0,0],"maxs":[1,1,1,1],"files":["x"]},"shN":{"mins":0,"maxs":1,"files":["x","x"]}}`), members[0].Data)
	f.Fuzz(func(t *testing.T, doc, picture []byte) {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		put := func(name string, data []byte) {
			w, _ := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
			w.Write(data)
		}
		put(metaFile, doc)
		put("x", picture)
		for k, m := range members[:len(members)-1] {
			if k == 0 {
				m.Data = picture
			}
			put(m.Name, m.Data)
		}
		z.Close()
		c, _, err := Decode(b.Bytes(), "x.sog")
		if err != nil {
			if fault.ExitCode(err) != 3 {
				t.Fatal(err)
			}
			return
		}
		if err := c.Check(); err != nil || int64(c.Len()) > pack.Limit(int64(b.Len())) {
			t.Fatalf("%d splats from %d bytes: %v", c.Len(), b.Len(), err)
		}
	})
}

// FuzzZip checks the container.
func FuzzZip(f *testing.F) {
	f.Add(encode(f, some(2, 0)))
	f.Add(zipOf(metaFile, []byte("{}")))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, _, err := Decode(b, "x.sog"); err == nil && c.Check() != nil {
			t.Fatal(c.Check())
		} else if err != nil && fault.ExitCode(err) != 3 {
			t.Fatal(err)
		}
	})
}
