package config

import (
	"strings"
	"testing"
)

// Every field must be describable: help, and words or a range where the type
// alone says too little.
func TestFieldsAreDescribed(t *testing.T) {
	flags := map[string]string{}
	for _, f := range Fields() {
		if f.Help == "" || strings.HasSuffix(f.Help, ".") {
			t.Errorf("%s: help %q: expected a phrase without a full stop", f.Name(), f.Help)
		}
		if (f.Type == Int || f.Type == Float) && f.Range == nil {
			t.Errorf("%s: a number without a range", f.Name())
		}
		if other, taken := flags[f.Flag]; taken && f.Flag != "" {
			t.Errorf("%s and %s share the flag --%s", other, f.Name(), f.Flag)
		}
		flags[f.Flag] = f.Name()
		if f.Flag != "" && f.Type == String && f.OneOf == nil && f.Arg == "" {
			t.Errorf("%s: a text flag without a placeholder", f.Name())
		}
	}
}

func TestFieldsFollowRun(t *testing.T) {
	f, ok := Lookup("optim.lr_sh_rest")
	if !ok {
		t.Fatal("optim.lr_sh_rest is not among the fields")
	}
	r := Default("mcmc")
	if got := f.value(&r).Float(); got != r.Optim.LRSHRest {
		t.Errorf("the field optim.lr_sh_rest reads %v, Run holds %v", got, r.Optim.LRSHRest)
	}
	if _, ok := Lookup("parent"); ok {
		t.Error("parent is a field, but it exists in files only")
	}
}

func TestRange(t *testing.T) {
	for _, c := range []struct {
		tag    string
		text   string
		inside []float64
		out    []float64
	}{
		{"0..1", "0..1", []float64{0, 0.5, 1}, []float64{-1e-9, 1.0000001}},
		{"1..", "1..", []float64{1, 1e300}, []float64{0.999}},
		{"..5", "..5", []float64{-1e300, 5}, []float64{5.1}},
		{"1e-6..1e6", "1e-06..1000000", []float64{1e-6, 1e6}, []float64{0, 1e7}},
	} {
		r := mustRange(c.tag)
		if r.String() != c.text {
			t.Errorf("%s is written %s, expected %s", c.tag, r, c.text)
		}
		for _, v := range c.inside {
			if !r.Contains(v) {
				t.Errorf("%s does not contain %v", c.tag, v)
			}
		}
		for _, v := range append(c.out, nan()) {
			if r.Contains(v) {
				t.Errorf("%s contains %v", c.tag, v)
			}
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"train", "eval", "render", "convert"}
	for word, want := range map[string]string{
		"trian": "train", "tarin": "train", "Train": "train", "evl": "eval", "rendr": "render",
		"covnert": "convert", "x": "", "something": "", "": "",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("Nearest(%q) = %q, expected %q", word, got, want)
		}
	}
}

func TestNearestKey(t *testing.T) {
	for name, want := range map[string]string{
		"train.stepz":      "train.steps",
		"steps":            "train.steps",      // no section
		"train.max_splats": "model.max_splats", // wrong section
		"trian.steps":      "train.steps",
		"optim.lr_mean":    "optim.lr_means",
		"eval.background":  "train.background",
		"zzz.qqqqqq":       "",
	} {
		if got := nearestKey(name); got != want {
			t.Errorf("nearestKey(%q) = %q, expected %q", name, got, want)
		}
	}
}
