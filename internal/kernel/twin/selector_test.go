package twin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/config"
	"splat/internal/kernel"
	"splat/internal/kernel/kerneltest"
	"splat/internal/kernel/twin"
)

// recordings are everything that pipelines record.
func recordings(t *testing.T) (out []*kernel.Recording) {
	for _, sc := range kerneltest.Scenarios() {
		device := newSpy(fast())
		t.Cleanup(device.Close)
		load(t, device, sc)
		out = append(out, device.compiled...)
	}
	return out
}

func TestStagesAreThoseOfRecordings(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range recordings(t) {
		for _, d := range r.Dispatches {
			seen[d.Stage] = true
			if !slices.Contains(twin.Stages, d.Stage) {
				t.Errorf("recording %s has a stage %q that is not listed", r.Name, d.Stage)
			}
		}
	}
	for _, s := range twin.Stages {
		if !seen[s] {
			t.Errorf("no recording has the stage %s", s)
		}
	}
}

// Selectors of the step, with what the host must then run.
func TestSelectors(t *testing.T) {
	any := func(kernel.Dispatch) bool { return true }
	both := func(a, b func(kernel.Dispatch) bool) func(kernel.Dispatch) bool {
		return func(d kernel.Dispatch) bool { return a(d) && b(d) }
	}
	scans := isKernel("scan_reduce", "scan_top", "scan_apply")
	for selector, want := range map[string]func(kernel.Dispatch) bool{
		"all":                 any,
		"*.*":                 any,
		"update":              isKernel("update"),
		"sort_scatter":        isKernel("sort_scatter"),
		"depth-sort":          isStage("depth-sort"),
		"rasterize-backward":  isStage("rasterize-backward"),
		"loss":                isKernel("loss", "loss_gradient"), // a kernel and its stage
		"*.loss":              isKernel("loss"),
		"loss.loss":           isKernel("loss"),
		"loss.*":              isKernel("loss", "loss_gradient"),
		"loss.grad":           isKernel("loss_gradient"),
		"sort.scan":           both(isStage("depth-sort", "tile-sort"), scans),
		"depth-sort.scan_top": both(isStage("depth-sort"), isKernel("scan_top")),
		"*.scan":              scans,
		"sort.*":              isStage("depth-sort", "tile-sort"),
		"emit.emit":           isKernel("emit"),
		"emit":                isStage("emit"),
		"rasterize.*":         isStage("rasterize"), // not rasterize-backward
		"adc_mark":            func(kernel.Dispatch) bool { return false },
	} {
		host := newSpy(fast())
		be := join(t, fast(), host, twin.Options{Host: []string{selector}})
		pl := load(t, be, scenario(t, "smooth cutoff"))
		kerneltest.Submit(t, pl, pl.StepProgram, 1)
		expected := kernelsOf(pl.StepProgram.Recording(), want)
		if diff := cmp.Diff(expected, host.ran); diff != "" {
			t.Errorf("%s: the host ran (-want +got):\n%s", selector, diff)
		}
		if idle := be.Idle(); (len(idle) > 0) != (len(expected) == 0) {
			t.Errorf("%s: %d dispatches, idle are %v", selector, len(expected), idle)
		}
	}
}

func TestUnknownSelectors(t *testing.T) {
	for text, part := range map[string]string{
		"los":          `unknown selector "los", expected all, a kernel, a stage, or STAGE.KERNEL`,
		"depth-srot":   "; did you mean depth-sort?",
		"sort_scater":  "; did you mean sort_scatter?",
		"scan":         "scan_reduce, scan_top, scan_apply",
		"sort.scna":    `unknown selector "sort.scna"`,
		"srot.scan":    "stages: begin, project, compact, depth-sort, emit",
		"sort.":        "unknown",
		".scan":        "unknown",
		"":             "unknown",
		"*":            "unknown",
		"ALL":          "unknown",
		"sort.scan.in": "unknown",
	} {
		for _, o := range []twin.Options{{Host: []string{"loss", text}}, {Check: []string{text}}, {From: text}} {
			if text == "" && o.From == "" && o.Host == nil && o.Check == nil {
				continue // no selector
			}
			o.Compare, o.Nearest = kerneltest.Compare, config.Nearest
			_, err := twin.New(nil, nil, o)
			if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v, expected %q", text, err, part)
			}
		}
	}
	_, err := twin.New(nil, nil, twin.Options{Host: []string{"depth-srot"}})
	if err == nil || strings.Contains(err.Error(), "did you mean") {
		t.Errorf("without a way to find the nearest name: %v", err)
	}
}

// Names that are right but choose nothing are told, each use for itself.
func TestIdle(t *testing.T) {
	be := join(t, fast(), fast(), twin.Options{
		Host: []string{"loss", "adc_mark", "begin.scan"}, From: "adc_plan", Check: []string{"mcmc_plan", "all"},
	})
	load(t, be, scenario(t, "mcmc"))
	if diff := cmp.Diff([]string{"adc_mark", "begin.scan", "adc_plan"}, be.Idle()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
