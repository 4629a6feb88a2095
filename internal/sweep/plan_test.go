package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/lab"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func axes(t *testing.T, args ...string) (list []Axis) {
	t.Helper()
	for _, arg := range args {
		axis, err := ParseAxis(arg)
		must(t, err)
		list = append(list, axis)
	}
	return list
}

func cases(t *testing.T, list []config.Entry, args ...string) []Case {
	t.Helper()
	c, err := Cases(list, axes(t, args...))
	must(t, err)
	return c
}

func caseNames(cases []Case) (names []string) {
	for _, c := range cases {
		names = append(names, c.Name)
	}
	return names
}

func TestGrid(t *testing.T) {
	got := cases(t, nil, "loss.ssim_lambda=0.1,0.20", "strategy.name = mcmc,adc")
	want := []string{"ssim_lambda=0.1,strategy=mcmc", "ssim_lambda=0.1,strategy=adc", "ssim_lambda=0.2,strategy=mcmc", "ssim_lambda=0.2,strategy=adc"}
	if diff := cmp.Diff(want, caseNames(got)); diff != "" {
		t.Errorf("names -expected +found:\n%s", diff)
	}
	if diff := cmp.Diff([]Value{{"loss.ssim_lambda", "0.2"}, {"strategy.name", "adc"}}, got[3].Values); diff != "" {
		t.Errorf("values: %s", diff)
	}
	run, err := config.Resolve(config.Source{Flags: got[3].Settings})
	if err != nil || run.Loss.SSIMLambda != 0.2 || run.Strategy.Name != "adc" {
		t.Errorf("the settings give %v, %v, %v", run.Loss.SSIMLambda, run.Strategy.Name, err)
	}
}

func TestNames(t *testing.T) {
	for want, arg := range map[string]string{
		"background=1,0,0 background=white":           "train.background=1,0,0;white",
		"preset=brush preset=quality":                 "preset=brush,quality",
		"steps=1000 steps=2000":                       "train.steps=1_000,2_000",
		"init=a_b.ply init=a_b.ply-2":                 "model.init=a/b.ply,a b.ply",
		"emit=plain emit=subgroup":                    "backend.variants.emit=plain,subgroup",
		"refine_stop=0.5":                             "strategy.refine_stop=0.5",
		"init=" + strings.Repeat("x", maxName-5) + "": "model.init=" + strings.Repeat("x", 400),
	} {
		if got := strings.Join(caseNames(cases(t, nil, arg)), " "); got != want {
			t.Errorf("%s: found %q, expected %q", arg, got, want)
		}
	}
	c := cases(t, nil, "preset=brush")
	if c[0].Preset != "brush" || len(c[0].Settings) != 0 {
		t.Errorf("preset: %+v", c[0])
	}
}

func TestListTimesGrid(t *testing.T) {
	s := func(key string, v any) config.Setting { return config.Setting{Key: key, Value: v, Origin: "l"} }
	list := []config.Entry{{Name: "soft one", Settings: []config.Setting{s("loss.ssim_lambda", 0.1)}}, {Settings: []config.Setting{s("optim.lr_sh0", 0.01)}}}
	got := caseNames(cases(t, list, "train.steps=5,6"))
	want := []string{"soft_one,steps=5", "soft_one,steps=6", "lr_sh0=0.01,steps=5", "lr_sh0=0.01,steps=6"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
	for arg, entry := range map[string]config.Setting{
		"is also given by --vary":          s("train.steps", int64(3)),
		"l: output.dir cannot vary":        s("output.dir", "x"),
		"l: backend.device cannot vary: -": s("backend.device", "cpu"),
	} {
		_, err := Cases([]config.Entry{{Settings: []config.Setting{entry}}}, axes(t, "train.steps=5,6"))
		if fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), arg) {
			t.Errorf("found %v, expected %s", err, arg)
		}
	}
}

func TestAxesThatAreNone(t *testing.T) {
	for arg, want := range map[string]string{
		"loss.ssim_lambda":            "expected KEY=A,B,C",
		"=1,2":                        "expected KEY=A,B,C",
		"loss.ssim_lambda=0.1,,0.2":   "found an empty value",
		"loss.ssim_lambda=":           "found an empty value",
		"loss.ssim_lambda=0.1,0.10":   "found 0.10 twice",
		"loss.ssim_lamda=0.1":         `unknown key "loss.ssim_lamda"; did you mean loss.ssim_lambda?`,
		"preset=brush,qality":         `found preset "qality"`,
		"data.path=a,b":               "name the captures as arguments",
		"backend.device=cpu,vulkan":   "--devices gives the devices",
		"train.steps=many":            "train.steps: found \"many\", expected a whole number",
		"output.overwrite=true,false": "choose another --out",
	} {
		_, err := ParseAxis(arg)
		if fault.ExitCode(err) != 2 || !strings.HasPrefix(err.Error(), "--vary "+arg) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, expected %s", arg, err, want)
		}
	}
	if _, err := Cases(nil, axes(t, "train.steps=1,2", "train.steps=3")); fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), "given twice") {
		t.Errorf("an axis twice: %v", err)
	}
}

// plan is a plan of two captures in a folder.
func plan(t *testing.T, dir string, change func(*config.Run), args ...string) *Plan {
	t.Helper()
	captures := []Capture{
		{Path: "/data/lego", Fingerprint: lab.Fingerprint{Name: "lego", SHA256: "aaaaaaaaaa"}},
		{Path: "/data/old/lego", Fingerprint: lab.Fingerprint{Name: "lego", SHA256: "bbbbbbbbbb"}},
	}
	p, err := NewPlan(dir, captures, cases(t, nil, args...), func(c Case, path string) (config.Run, error) {
		run, err := config.Resolve(config.Source{Flags: c.Settings})
		run.Data.Path = path
		if change != nil {
			change(&run)
		}
		return run, err
	})
	must(t, err)
	return p
}

func TestAnotherSweepInTheFolderIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	vary := []string{"loss.ssim_lambda=0.1,0.2"}
	must(t, os.Mkdir(dir, 0o755))
	first := plan(t, dir, nil, vary...)
	if first.Jobs[3].Name != "lego-2,ssim_lambda=0.2" {
		t.Errorf("jobs: %+v", first.Jobs[3].Name)
	}
	must(t, first.Open())
	must(t, first.Open())
	moved := plan(t, dir, func(r *config.Run) { r.Backend.Device, r.Backend.Threads, r.Data.Path = "cpu", 3, "/elsewhere" }, vary...)
	must(t, moved.Open())
	moved.Captures[0].Path = "/elsewhere"
	must(t, moved.Open())

	other := plan(t, dir, nil, vary...)
	other.Captures[1].SHA256 = "cccccccccccc"
	for want, p := range map[string]*Plan{
		"train.steps 30000 -> 7; ": plan(t, dir, func(r *config.Run) { r.Train.Steps = 7 }, vary...),
		"run lego,ssim_lambda=0.3 not there before, run lego-2,ssim_lambda=0.3 not there before, run lego,ssim_lambda=0.2 missing, run lego-2,ssim_lambda=0.2 missing; ": plan(t, dir, nil, "loss.ssim_lambda=0.1,0.3"),
		"capture lego has other pictures or cameras (fingerprint bbbbbbbb -> cccccccc); ":                                                                                other,
		", and 6 more; ": plan(t, dir, func(r *config.Run) { r.Train.Seed = 1 }, "train.steps=1,2,3,4"),
	} {
		if err := p.Open(); fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "sweep folder "+dir+": holds another sweep: ") {
			t.Errorf("found %v, expected %q in it", err, want)
		}
	}
	path := filepath.Join(dir, SettingsFile)
	for text, want := range map[string]string{"{": "not JSON", `{"sweep":2}`: "sweep: found 2, expected 1"} {
		must(t, os.WriteFile(path, []byte(text), 0o644))
		if err := first.Open(); fault.ExitCode(err) != 3 || !strings.HasPrefix(err.Error(), path+": "+want) {
			t.Errorf("%s: found %v", text, err)
		}
	}
	must(t, os.Rename(path, filepath.Join(dir, "mine")))
	if err := first.Open(); fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), "found mine and no sweep.json") {
		t.Errorf("a foreign folder: %v", err)
	}
}

func TestLook(t *testing.T) {
	p := plan(t, t.TempDir(), nil, "loss.ssim_lambda=0.1")
	j := p.Jobs[0]
	look := func(want State) {
		t.Helper()
		if state, res, err := j.Look(); state != want || err != nil || (res != nil) != (want == Complete) {
			t.Errorf("found %v, %v, %v, expected %v", state, res, err, want)
		}
	}
	look(Missing)
	must(t, lab.Prepare(j.Dir, j.Config))
	look(Partial)
	finish(t, j, lab.Result{Steps: 3, StopReason: "interrupted"})
	look(Partial)
	finish(t, j, lab.Result{Steps: 3, StopReason: "time-limit"})
	look(Complete)
	must(t, os.WriteFile(filepath.Join(j.Dir, lab.ModelFile), []byte("half"), 0o644))
	look(Partial)
	j.Config.Train.Seed = 5
	if _, _, err := j.Look(); fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), "train.seed 42 -> 5") {
		t.Errorf("a run with other settings: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(j.Dir, lab.ConfigFile), []byte("[trai"), 0o644))
	look(Partial)
}

// finish makes a run folder look as if the run had ended so.
func finish(t *testing.T, j Job, res lab.Result) {
	t.Helper()
	r, err := lab.Create(j.Dir, true, j.Config)
	must(t, err)
	sum, err := r.SaveModel(4, func(path string) error { return os.WriteFile(path, []byte("ply\n"), 0o644) })
	must(t, err)
	res.SHA256 = sum
	must(t, r.SaveResult(res))
	must(t, r.Close())
}
