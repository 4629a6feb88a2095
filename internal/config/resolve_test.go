package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splat/internal/fault"
)

// folder writes files into a temporary folder and returns it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func flag(t *testing.T, key, text string) Setting {
	t.Helper()
	f, ok := Lookup(key)
	if !ok {
		t.Fatalf("no field %s", key)
	}
	s, err := FlagSetting(f, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPrecedence(t *testing.T) {
	dir := folder(t, map[string]string{
		"grand.toml":     "[train]\nsteps = 1\nseed = 1\nlog_every = 1\nsh_interval = 1\n",
		"sub/child.toml": "parent = '../grand.toml'\n[train]\nseed = 2\nlog_every = 2\nsh_interval = 2\n",
	})
	src := Source{
		Preset: "preview",
		File:   filepath.Join(dir, "sub", "child.toml"),
		Set:    []string{"train.log_every=3", "train.sh_interval=3", "train.sh_interval=4"},
		Flags:  []Setting{flag(t, "train.log_every", "5")},
	}
	r, err := Resolve(src)
	if err != nil {
		t.Fatal(err)
	}
	got := [5]int{r.Data.MaxSize, r.Train.Steps, r.Train.Seed, r.Train.SHInterval, r.Train.LogEvery}
	want := [5]int{800, 1, 2, 4, 5} // preset, grandparent, child, last --set, flag
	if got != want {
		t.Errorf("max_size, steps, seed, sh_interval, log_every: found %v, expected %v", got, want)
	}
	if r.Model.InitSplats != 100000 || r.Parent != "" {
		t.Errorf("untouched values: init_splats %d, parent %q", r.Model.InitSplats, r.Parent)
	}
}

// A strategy chosen in the strongest source must bring its own defaults, but not
// override values that a weaker source states.
func TestStrategyDefaultsComeFirst(t *testing.T) {
	dir := folder(t, map[string]string{"run.toml": "[model]\ninit_scale = 0.7\n[strategy]\nname = 'mcmc'\n"})
	r, err := Resolve(Source{File: filepath.Join(dir, "run.toml"), Flags: []Setting{flag(t, "strategy.name", "adc")}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Strategy.Name != "adc" || r.Strategy.RefineStop != 0.5 || r.Model.InitOpacity != 0.1 {
		t.Errorf("adc's defaults are not in force: %+v", r)
	}
	if r.Model.InitScale != 0.7 {
		t.Errorf("init_scale: found %v, expected the file's 0.7", r.Model.InitScale)
	}
}

func TestValuesOfEveryType(t *testing.T) {
	dir := folder(t, map[string]string{"run.toml": "\ufeff" + `
train = { time_limit = "90s", background = "0.1,0.2,0.3" }
model.near = 1
[strategy]
absgrad = true
noise_lr = 5e5
[train2]
`})
	_, err := Resolve(Source{File: filepath.Join(dir, "run.toml")})
	wantUsage(t, err, "run.toml:7: unknown section [train2]; did you mean train?")

	r, err := Resolve(Source{Set: []string{
		"train.time_limit=1m30s", `train.background="white"`, "model.near=1", "strategy.absgrad=true",
		"strategy.noise_lr=5e5", "model.max_splats=1_000", "data.path=a folder/with = signs", "data.images=", "data.sparse=\"",
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Train.TimeLimit != 90*time.Second || r.Train.Background != "white" || r.Model.Near != 1 ||
		!r.Strategy.AbsGrad || r.Strategy.NoiseLR != 5e5 || r.Model.MaxSplats != 1000 ||
		r.Data.Path != "a folder/with = signs" || r.Data.Images != "" || r.Data.Sparse != `"` {
		t.Errorf("--set gave %+v", r)
	}
}

func wantUsage(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("found %v, expected %q in it", err, want)
		return
	}
	if fault.ExitCode(err) != 2 {
		t.Errorf("%v: exit code %d, expected 2", err, fault.ExitCode(err))
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%q is more than one line", err)
	}
}

func TestFileErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown key":     {"[train]\nsteps = 5\nstepz = 5", `run.toml:3: unknown key "train.stepz"; did you mean train.steps?`},
		"other section":   {"[train]\nmax_splats = 5", `run.toml:2: unknown key "train.max_splats"; did you mean model.max_splats?`},
		"no section":      {"steps = 5", `run.toml:1: unknown key "steps"; did you mean train.steps?`},
		"far off":         {"[train]\nxylophone = 5", `run.toml:2: unknown key "train.xylophone"`},
		"unknown section": {"[trian]\nsteps = 5", `run.toml:1: unknown section [trian]; did you mean train?`},
		"inline unknown":  {"train = {steps = 5, stepz = 6}", `run.toml:1: unknown key "train.stepz"; did you mean train.steps?`},
		"dotted unknown":  {"\n\ntrain.stepz = 6", `run.toml:3: unknown key "train.stepz"`},
		"list of tables":  {"[[train]]\nsteps = 5", `run.toml:1: found [[train]], expected [train]`},
		"section scalar":  {"train = 5", `run.toml:1: train: found 5, expected a section`},
		"key as section":  {"[train.steps]\na = 1", `run.toml:1: unknown section [train.steps]`},
		"table value":     {"[train]\nsteps = {}", `run.toml:2: train.steps: found a table, expected a whole number in 1..10000000`},
		"list value":      {"[train]\nsteps = [1]", `run.toml:2: train.steps: found a list, expected`},
		"string for int":  {"[train]\nsteps = '5'", `run.toml:2: train.steps: found "5", expected a whole number in 1..10000000`},
		"float for int":   {"[train]\nsteps = 5.5", `run.toml:2: train.steps: found 5.5, expected a whole number`},
		"out of range":    {"[train]\nsteps = -5", `run.toml:2: train.steps: found -5, expected a whole number in 1..10000000`},
		"not a number":    {"[model]\nnear = nan", `run.toml:2: model.near: found NaN, expected a number in`},
		"infinite":        {"[model]\nnear = inf", `run.toml:2: model.near: found +Inf, expected a number in`},
		"int for bool":    {"[backend]\nprofile = 1", `run.toml:2: backend.profile: found 1, expected true or false`},
		"int for text":    {"[data]\npath = 1", `run.toml:2: data.path: found 1, expected text in quotes`},
		"wrong word":      {"[strategy]\nname = 'mcmcc'", `run.toml:2: strategy.name: found "mcmcc", expected mcmc, adc; did you mean mcmc?`},
		"bare duration":   {"[train]\ntime_limit = 90", `run.toml:2: train.time_limit: found 90, expected a duration in quotes such as "90s"`},
		"no unit":         {"[train]\ntime_limit = '90'", `run.toml:2: train.time_limit: found "90", expected a duration with its unit such as 90s or 5m`},
		"negative time":   {"[train]\ntime_limit = '-5s'", `run.toml:2: train.time_limit: found "-5s", expected a duration of 0s or more`},
		"long time":       {"[train]\ntime_limit = '99999999h'", `run.toml:2: train.time_limit: found "99999999h", expected a duration with its unit`},
		"whole as float":  {"[train]\nsteps = 1e3", `run.toml:2: train.steps: found 1000.0, expected a whole number`},
		"stop before":     {"[strategy]\nrefine_start = 0.9\nrefine_stop = 0.1", `strategy.refine_start = 0.9 (`},
		"stop before it":  {"[strategy]\nrefine_start = 0.9\nrefine_stop = 0.1", `run.toml:2) is beyond strategy.refine_stop = 0.1 (`},
		"default stop":    {"[strategy]\nname = 'adc'\nrefine_start = 0.75", `is beyond strategy.refine_stop = 0.5 (default)`},
		"no opacity":      {"[strategy]\nreset_opacity = 0", `run.toml:2: strategy.reset_opacity: found 0, expected a number in 1e-06..1`},
		"tiny eps":        {"[optim]\neps = 1e-19", `run.toml:2: optim.eps: found 1e-19, expected a number in 1e-18..1`},
		"syntax":          {"[train]\nsteps = = 5", `run.toml:2:9: not valid TOML`},
		"UTF-16":          {"\xff\xfe[\x00t\x00", `run.toml: found UTF-16 text, expected UTF-8`},
		"twice":           {"[train]\nsteps = 5\nsteps = 6", `run.toml:3`},
		"parent type":     {"parent = 5", `run.toml:1: parent: found 5`},
		"parent absent":   {"\nparent = 'nope.toml'", `run.toml:2: parent`},
		"date":            {"[train]\nsteps = 2020-01-01", `run.toml:2: train.steps: found 2020-01-01`},
		"background":      {"[train]\nbackground = 'grey'", `run.toml:2: train.background: found "grey"`},
		"device":          {"[backend]\ndevice = 'vulcan'", `backend.device = "vulcan" (`},
		"even window":     {"[loss]\nssim_window = 10", `loss.ssim_window = 10 (`},
		"stop beyond":     {"[train]\nsteps = 10\nstop_step = 11", `train.stop_step = 11 (`},
		"zero eps":        {"[optim]\neps = 0", `optim.eps: found 0`},
		"zero end rate":   {"[optim]\nlr_means_end = 0", `optim.lr_means = 0.00016 (default) and optim.lr_means_end = 0.0 (`},
		"text for list":   {"[backend]\nhost = 'loss'", `run.toml:2: backend.host: found "loss", expected a list of names in quotes such as ["loss", "update"]`},
		"number in list":  {"[backend]\nhost = ['loss', 5]", `run.toml:2: backend.host: found ["loss", 5], expected a list of names`},
		"empty in list":   {"[backend]\ncheck = ['']", `run.toml:2: backend.check: found [""], expected a list of names`},
		"size":            {"[backend]\nimage_budget = '5 parsec'", `run.toml:2: backend.image_budget: found "5 parsec", expected a size such as 512MB or 1.5GiB`},
		"negative size":   {"[backend]\nimage_budget = -1", `run.toml:2: backend.image_budget: found -1, expected a size in quotes such as "512MB" or "1.5GiB", or a number of bytes`},
		"fraction size":   {"[backend]\nimage_budget = 1.5", `run.toml:2: backend.image_budget: found 1.5, expected a size in quotes`},
		"variant":         {"[backend.variants]\nemit = 'subgruop'", `run.toml:2: backend.variants.emit: found "subgruop", expected plain, subgroup; did you mean subgroup?`},
		"variant's key":   {"[backend.variants]\nemti = 'plain'", `run.toml:2: unknown key "backend.variants.emti"; did you mean backend.variants.emit?`},
		"variant outside": {"[backend]\nemit = 'plain'", `run.toml:2: unknown key "backend.emit"; did you mean backend.variants.emit?`},
		"variants scalar": {"[backend]\nvariants = 5", `run.toml:2: backend.variants: found 5, expected a section`},
		"no subsection":   {"[backend.variant]\nsort = 'scan'", `run.toml:1: unknown section [backend.variant]; did you mean backend.variants?`},
		"overridden":      {"parent = 'bad.toml'\n[train]\nsteps = 5", `bad.toml:2: train.steps: found 0`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"run.toml": c.text, "bad.toml": "[train]\nsteps = 0"})
			_, err := Resolve(Source{File: filepath.Join(dir, "run.toml")})
			wantUsage(t, err, c.want)
		})
	}
}

func TestSetAndPresetErrors(t *testing.T) {
	for arg, want := range map[string]string{
		"train.steps":           `--set train.steps: found no =, expected section.key=value`,
		"train.stepz=5":         `--set train.stepz=5: unknown key "train.stepz"; did you mean train.steps?`,
		"steps=5":               `--set steps=5: unknown key "steps"; did you mean train.steps?`,
		"train.steps=-5":        `--set train.steps=-5: train.steps: found -5, expected a whole number in 1..10000000`,
		"train.steps=many":      `--set train.steps=many: train.steps: found "many", expected a whole number`,
		"train.steps=5\nx=6":    `train.steps: found "5\nx=6", expected a whole number`,
		"train.steps=":          `train.steps: found "", expected a whole number`,
		"backend.profile=maybe": `backend.profile: found "maybe", expected true or false`,
		"data.images=\xff":      `data.images: found "\xff", expected text in UTF-8`,
		"train.time_limit=-5s":  `train.time_limit: found "-5s", expected a duration of 0s or more`,
		"train.time_limit=5":    `train.time_limit: found "5", expected a duration with its unit such as 90s or 5m`,
		"strategy.name=acd":     `strategy.name: found "acd", expected mcmc, adc; did you mean adc?`,
		"parent=x.toml":         `unknown key "parent"`,
		"backend.check=loss,":   `backend.check: found ["loss", ""], expected a list of names in quotes`,
		`backend.check=["loss"`: `backend.check: found "[\"loss\"", expected a list of names in quotes`,
		"backend.image_budget=": `backend.image_budget: found "", expected a size such as 512MB or 1.5GiB`,
		"data.path=\xff":        `data.path: found "\xff", expected text`,
	} {
		_, err := Resolve(Source{Set: []string{arg}})
		if err == nil || !strings.Contains(err.Error(), want) || fault.ExitCode(err) != 2 {
			t.Errorf("--set %s: found %v, expected %q", arg, err, want)
		}
	}
	_, err := Resolve(Source{Preset: "qualty"})
	wantUsage(t, err, `--preset: found "qualty", expected one of brush, preview, quality; did you mean quality?`)
	_, err = Resolve(Source{File: filepath.Join(t.TempDir(), "none.toml")})
	wantUsage(t, err, "none.toml: no such file")
	_, err = Resolve(Source{File: t.TempDir()})
	wantUsage(t, err, "is a directory")
}

func TestParentCircle(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.toml": "parent = 'b.toml'", "b.toml": "parent = 'sub/../c.toml'", "c.toml": "parent = 'a.toml'", "sub/x": "",
	})
	a := filepath.Join(dir, "a.toml")
	_, err := Resolve(Source{File: a})
	wantUsage(t, err, "the parent chain goes in a circle: "+a+" -> "+filepath.Join(dir, "b.toml")+" -> "+filepath.Join(dir, "c.toml")+" -> "+a)
}

// Two children of one parent are no circle, and a long chain is fine.
func TestLongChain(t *testing.T) {
	files := map[string]string{"00.toml": "[train]\nsteps = 7"}
	for i := 1; i < 40; i++ {
		files[fmt.Sprintf("%02d.toml", i)] = fmt.Sprintf("parent = '%02d.toml'", i-1)
	}
	r, err := Resolve(Source{File: filepath.Join(folder(t, files), "39.toml")})
	if err != nil || r.Train.Steps != 7 {
		t.Errorf("found %d steps (%v), expected 7 from the far end", r.Train.Steps, err)
	}
}

func TestHugeFileIsRefused(t *testing.T) {
	dir := folder(t, map[string]string{"run.toml": "# " + strings.Repeat("x", maxFile)})
	_, err := Resolve(Source{File: filepath.Join(dir, "run.toml")})
	wantUsage(t, err, "expected a short TOML file")
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "parent = 'x'", "[train]\nsteps = 5", "train = {steps = 5}", "[[train]]", "a.b.c = [1,{x=2}]",
		"[train.steps]", "\"\" = 1", "train.steps = 1\n[train]\nseed=2", "\xef\xbb\xbfx=1", "[train]\n\"st\\u0065ps\" = 5",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := parse("fuzz.toml", text)
		if err != nil {
			if fault.ExitCode(err) != 2 {
				t.Errorf("%v: exit code %d, expected 2", err, fault.ExitCode(err))
			}
			return
		}
		r := Default("mcmc")
		for _, s := range doc.settings {
			if err := s.apply(&r); err != nil && fault.ExitCode(err) != 2 {
				t.Errorf("%v: exit code %d, expected 2", err, fault.ExitCode(err))
			}
		}
	})
}

// Refining can be turned off, and one refine is enough.
func TestRefineBounds(t *testing.T) {
	for _, set := range [][]string{
		{"strategy.refine_stop=0"}, {"strategy.refine_stop=0", "strategy.refine_start=1"},
		{"strategy.refine_start=0.5", "strategy.refine_stop=0.5"}, {"strategy.refine_start=0"},
	} {
		if _, err := Resolve(Source{Set: set}); err != nil {
			t.Errorf("%v: %v", set, err)
		}
	}
}

// A flag for a name refuses an empty one; in files and with --set it clears the key.
func TestEmptyFlag(t *testing.T) {
	for name, want := range map[string]string{
		"model.init": "--init: model.init: found an empty text, expected FILE",
		"output.dir": "--out: output.dir: found an empty text, expected RUN", "data.images": "expected DIR",
		"backend.check": "--check: backend.check: found an empty text, expected KERNEL", "backend.gpu_from": "--gpu-from: ",
	} {
		f, _ := Lookup(name)
		_, err := FlagSetting(f, "")
		wantUsage(t, err, want)
		if _, err := Resolve(Source{Set: []string{name + "="}}); err != nil {
			t.Error(err)
		}
	}
}

// A pipe, as a shell's <(...) makes one, is a file like others.
func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	name := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skipf("no names for open files here: %v", err)
	}
	if _, err := w.WriteString("[train]\nsteps = 7\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	run, err := Resolve(Source{File: name})
	if err != nil || run.Train.Steps != 7 {
		t.Errorf("found %d steps, %v", run.Train.Steps, err)
	}
}

// A section inside of a section can be written in every way that TOML has.
func TestSubsections(t *testing.T) {
	for _, text := range []string{
		"[backend]\nthreads = 3\n[backend.variants]\nemit = 'subgroup'\nraster = 'f16'",
		"[backend]\nthreads = 3\nvariants.emit = 'subgroup'\nvariants.raster = 'f16'",
		"[backend]\nthreads = 3\nvariants = {emit = 'subgroup', raster = 'f16'}",
		"backend = {threads = 3, variants = {emit = 'subgroup', raster = 'f16'}}",
		"backend.threads = 3\nbackend.variants.emit = 'subgroup'\nbackend.variants.raster = 'f16'",
		"[backend.variants]\nemit = 'subgroup'\nraster = 'f16'\n[backend]\nthreads = 3",
	} {
		r, err := Resolve(Source{File: filepath.Join(folder(t, map[string]string{"run.toml": text}), "run.toml")})
		want := Default("mcmc").Backend
		want.Threads, want.Variants.Emit, want.Variants.Raster = 3, "subgroup", "f16"
		if diff := cmp.Diff(want, r.Backend); diff != "" || err != nil {
			t.Errorf("%s\n%v (-want +got):\n%s", text, err, diff)
		}
	}
}

// Lists replace weaker ones; on the command line they are separated by commas.
func TestLists(t *testing.T) {
	dir := folder(t, map[string]string{"run.toml": "[backend]\nhost = [\n  'loss', # why\n  \"sort.scan\",\n]\ncheck = ['update']"})
	for want, set := range map[string][]string{
		"loss|sort.scan update": nil,
		"refine update":         {"backend.host=refine"},
		"a|b update":            {"backend.host= a , b "},
		"a|b,c update":          {`backend.host=a,"b`, `backend.host=["a", "b,c"]`},
		" update":               {"backend.host="},
		" ":                     {"backend.host=[]", "backend.check= "},
	} {
		r, err := Resolve(Source{File: filepath.Join(dir, "run.toml"), Set: set})
		if got := strings.Join(r.Backend.Host, "|") + " " + strings.Join(r.Backend.Check, "|"); err != nil || got != want {
			t.Errorf("%v: found %q (%v), expected %q", set, got, err, want)
		}
		if len(r.Backend.Host) == 0 && r.Backend.Host != nil {
			t.Errorf("%v: an empty list is not the default's", set)
		}
	}
}
