package config

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func nan() float64 { return math.NaN() }

// The defaults of each strategy, pinned: a change must be made twice.
func TestDefaults(t *testing.T) {
	want := Run{
		Data:  Data{Downscale: 1, MaxSize: 1920, TestEvery: 8, Alpha: "auto"},
		Model: Model{SHDegree: 3, MaxSplats: 1000000, InitSplats: 100000, InitOpacity: 0.5, InitScale: 0.1, Near: 0.01},
		Train: Train{Steps: 30000, Seed: 42, Background: "black", PlateauFraction: 0.001, LogEvery: 100, SaveEvery: -1},
		Loss:  Loss{SSIMLambda: 0.2, SSIMWindow: 11, OpacityReg: 0.01, ScaleReg: 0.01},
		Optim: Optim{
			LRMeans: 1.6e-4, LRMeansEnd: 1.6e-6, LRScales: 5e-3, LRQuats: 1e-3, LROpacities: 5e-2,
			LRSH0: 2.5e-3, LRSHRest: 1.25e-4, Beta1: 0.9, Beta2: 0.999, Eps: 1e-15,
		},
		Strategy: Strategy{
			Name: "mcmc", RefineEvery: 100, RefineStart: 1.0 / 60, RefineStop: 0.8333, PruneOpacity: 0.005,
			DecayFactor: 1, GrowthFactor: 1.05, NoiseLR: 7.5e6, GrowGrad: 2e-4, GrowScale: 0.01,
			PruneScale: 0.1, ResetEvery: 0.1, ResetOpacity: 0.01,
		},
		Backend: Backend{
			Device: "auto", InFlight: 3, Sync: "step", Record: "once", Targets: "resident",
			Variants: Variants{Sort: "auto", Emit: "plain", Raster: "f32", Backward: "auto"},
		},
	}
	if diff := cmp.Diff(want, Default("mcmc")); diff != "" {
		t.Errorf("mcmc (-want +got):\n%s", diff)
	}
	want.Strategy.Name, want.Strategy.RefineStop = "adc", 0.5
	want.Loss.OpacityReg, want.Loss.ScaleReg = 0, 0
	want.Model.InitOpacity, want.Model.InitScale = 0.1, 1
	if diff := cmp.Diff(want, Default("adc")); diff != "" {
		t.Errorf("adc (-want +got):\n%s", diff)
	}
}

// The defaults must pass the checks that every other value has to pass.
func TestDefaultsPassTheirOwnChecks(t *testing.T) {
	for _, strategy := range []string{"mcmc", "adc"} {
		var set []string
		for _, f := range Fields() {
			set = append(set, f.Name()+"="+f.Default(strategy))
		}
		got, err := Resolve(Source{Set: set})
		if err != nil {
			t.Errorf("%s: %v", strategy, err)
		}
		if diff := cmp.Diff(Default(strategy), got); diff != "" {
			t.Errorf("%s: the written defaults differ (-want +got):\n%s", strategy, diff)
		}
	}
}

func TestWriteReadsBack(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		want := drawRun(t)
		var text bytes.Buffer
		if err := Write(&text, want); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "run.toml")
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := Resolve(Source{File: file})
		if err != nil {
			t.Fatalf("%v\n%s", err, &text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the written file reads back differently (-want +got):\n%s\n%s", diff, &text)
		}
	})
}

// drawRun draws a value for each field within its limits.
func drawRun(t *rapid.T) Run {
	r := Default(rapid.SampledFrom([]string{"mcmc", "adc"}).Draw(t, "strategy"))
	for _, f := range Fields() {
		v := f.value(&r)
		switch {
		case f.OneOf != nil:
			v.SetString(rapid.SampledFrom(f.OneOf).Draw(t, f.Name()))
		case f.Type == Int:
			v.SetInt(rapid.Int64Range(int64(f.Range.Min), int64(f.Range.Max)).Draw(t, f.Name()))
		case f.Type == Float:
			v.SetFloat(rapid.Float64Range(f.Range.Min, f.Range.Max).Draw(t, f.Name()))
		case f.Type == Bool:
			v.SetBool(rapid.Bool().Draw(t, f.Name()))
		case f.Type == Duration:
			v.SetInt(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, f.Name()))
		case f.Type == Bytes:
			v.SetInt(rapid.OneOf(rapid.Int64Min(0), rapid.Map(rapid.Int64Range(0, 1<<12), func(n int64) int64 { return n << 28 })).Draw(t, f.Name()))
		case f.Type == List:
			if names := rapid.SliceOf(rapid.StringN(1, -1, -1)).Draw(t, f.Name()); len(names) > 0 {
				v.Set(reflect.ValueOf(names))
			}
		default:
			v.SetString(rapid.String().Draw(t, f.Name()))
		}
	}
	consistent(t, &r)
	return r
}

// consistent moves a drawn configuration to where its values fit together.
func consistent(t *rapid.T, r *Run) {
	r.Train.Background = rapid.SampledFrom([]string{"black", "white", "random", "0.1,0.2,0.3"}).Draw(t, "background")
	r.Backend.Device = rapid.SampledFrom([]string{"auto", "cpu", "vulkan", "vulkan:3"}).Draw(t, "device")
	r.Train.StopStep = min(r.Train.StopStep, r.Train.Steps)
	r.Loss.SSIMWindow |= 1
	r.Strategy.RefineStart = min(r.Strategy.RefineStart, r.Strategy.RefineStop)
	if r.Optim.LRMeans == 0 || r.Optim.LRMeansEnd == 0 {
		r.Optim.LRMeans, r.Optim.LRMeansEnd = 0, 0
	}
}

func TestShippedExamples(t *testing.T) {
	files, err := filepath.Glob("../../configs/*.toml")
	if err != nil || len(files) < 3 {
		t.Fatalf("configs: found %d files (%v), expected at least 3", len(files), err)
	}
	for _, file := range files {
		if _, err := Resolve(Source{File: file}); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	run, err := Resolve(Source{File: "../../configs/lego-profile-1500.toml"})
	if err != nil {
		t.Fatal(err)
	}
	if run.Train.Steps != 1500 || !run.Backend.Profile || run.Train.Background != "white" || run.Data.Path != "lego" {
		t.Errorf("lego-profile-1500 is not what its chain says: %+v", run)
	}
}

func TestPresets(t *testing.T) {
	for name, want := range map[string]struct{ steps, splats, size int }{
		"quality": {30000, 1000000, 1920},
		"preview": {2000, 150000, 800},
		"brush":   {30000, 1000000, 1920},
	} {
		run, err := Resolve(Source{Preset: name})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := (struct{ steps, splats, size int }{run.Train.Steps, run.Model.MaxSplats, run.Data.MaxSize}); got != want {
			t.Errorf("%s: found %v, expected %v", name, got, want)
		}
	}
	if len(Presets()) != 3 {
		t.Errorf("presets: found %v, this test knows 3", Presets())
	}
}

func TestReferenceIsCurrent(t *testing.T) {
	var want bytes.Buffer
	if err := WriteReference(&want); err != nil {
		t.Fatal(err)
	}
	const file = "../../docs/config.md"
	if os.Getenv("UPDATE_SNAPSHOTS") != "" {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("docs/config.md is out of date, run go generate ./internal/config (-want +got):\n%s", diff)
	}
}

func TestParseBackground(t *testing.T) {
	for text, want := range map[string]struct {
		random bool
		rgb    [3]float64
	}{
		"black": {}, "white": {rgb: [3]float64{1, 1, 1}}, "random": {random: true},
		"0.5,0,1": {rgb: [3]float64{0.5, 0, 1}}, "0.5, 0.25, 1": {rgb: [3]float64{0.5, 0.25, 1}},
	} {
		random, rgb, err := ParseBackground(text)
		if err != nil || random != want.random || rgb != want.rgb {
			t.Errorf("%q: found %v %v %v, expected %v", text, random, rgb, err, want)
		}
	}
	for _, text := range []string{"", "grey", "1,1", "1,1,1,1", "2,0,0", "-0.1,0,0", "NaN,0,0", "a,b,c", "White"} {
		if _, _, err := ParseBackground(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestParseDevice(t *testing.T) {
	for text, want := range map[string]struct {
		kind  string
		index int
	}{"auto": {"auto", -1}, "cpu": {"cpu", -1}, "vulkan": {"vulkan", -1}, "vulkan:0": {"vulkan", 0}, "vulkan:12": {"vulkan", 12}} {
		kind, index, err := ParseDevice(text)
		if err != nil || kind != want.kind || index != want.index {
			t.Errorf("%q: found %s %d %v, expected %v", text, kind, index, err, want)
		}
	}
	for _, text := range []string{"", "gpu", "cuda", "vulkan:", "vulkan:-1", "vulkan:x", "CPU"} {
		if _, _, err := ParseDevice(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestChanges(t *testing.T) {
	for _, strategy := range []string{"mcmc", "adc"} {
		if got := Changes(Default(strategy)); got != nil {
			t.Errorf("%s: the defaults differ from themselves: %v", strategy, got)
		}
	}
	r := Default("adc")
	r.Train.Steps, r.Data.Path, r.Train.TimeLimit = 7, "lego", 90*time.Second
	r.Backend.ImageBudget, r.Backend.Host, r.Backend.Variants.Emit = 3<<29, []string{"loss", "sort.scan"}, "subgroup"
	want := []string{
		`data.path = "lego"`, "train.steps = 7", `train.time_limit = "1m30s"`,
		`backend.image_budget = "1536MiB"`, `backend.host = ["loss", "sort.scan"]`, `backend.variants.emit = "subgroup"`,
	}
	if diff := cmp.Diff(want, Changes(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
