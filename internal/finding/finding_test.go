package finding

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// facts are those of a measured finding, one a line, so that tests can change one.
const facts = `id: sort-blocks
title: Shorter sort blocks
subtitle: 2048 keys instead of 4096
eyebrow: Sorts
date: 2026-12-01
status: interpreted
category: speed
polarity: positive
axes: [time]
tags: []
task_code: ""
related: {runs: [], findings: []}
experiment: ""
impact: {summary: Less time., rank: 1, verdict: accepted, delta_psnr: null, delta_wallclock: -4.5}
first_reading: null
cost: low
risk: low
confidence: high
prediction: {written: 2026-11-30, text: Two to six per cent less., quantity: wallclock, low: -6, high: -2}
`

const sectionsText = `
## Hypothesis

More workgroups.

## Prediction

Faster.

## Measurement

1.98 ms, then 1.89 ms.

## Interpretation

Kept.

## Correction

<!-- none -->
`

func fileOf(facts, body string) string { return "---\n" + facts + "---\n" + body }

func replace(t *testing.T, s, old, with string) string {
	t.Helper()
	if !strings.Contains(s, old) {
		t.Fatalf("no %q in the text", old)
	}
	return strings.Replace(s, old, with, 1)
}

// folder writes findings and reads them back.
func folder(t *testing.T, texts map[string]string) *Folder {
	t.Helper()
	dir := t.TempDir()
	for name, s := range texts {
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// complaints are problems without the folder's name.
func complaints(f *Folder, runs string) (out []string) {
	for _, p := range f.Check(runs) {
		out = append(out, strings.ReplaceAll(p.String(), f.Dir+string(filepath.Separator), ""))
	}
	return out
}

func TestCompleteFindingHasNoProblems(t *testing.T) {
	f := folder(t, map[string]string{"sort-blocks": fileOf(facts, sectionsText), "README": "no finding"})
	if got := complaints(f, ""); got != nil {
		t.Errorf("found %q", got)
	}
	if len(f.Findings) != 1 {
		t.Fatalf("%d findings, expected 1", len(f.Findings))
	}
	one := f.Findings[0]
	rank, low, high, wall := 1, -6.0, -2.0, -4.5
	want := Finding{
		File: one.File, ID: "sort-blocks", Title: "Shorter sort blocks", Subtitle: "2048 keys instead of 4096", Eyebrow: "Sorts", Date: "2026-12-01",
		Status: Interpreted, Category: "speed", Polarity: "positive", Axes: []string{"time"}, Tags: []string{},
		Related: Related{[]string{}, []string{}}, Impact: Impact{"Less time.", &rank, "accepted", nil, &wall},
		Cost: "low", Risk: "low", Confidence: "high",
		Prediction: Prediction{"2026-11-30", "Two to six per cent less.", "wallclock", &low, &high},
	}
	got := *one
	got.sections, got.lines, got.raw, got.bad = nil, nil, nil, nil
	if d := cmp.Diff(want, got, cmp.AllowUnexported(Finding{})); d != "" {
		t.Error(d)
	}
	if got := one.Text("Interpretation"); got != "Kept." {
		t.Errorf("interpretation %q", got)
	}
}

// TestOneErrorForEachMistake changes one thing of a good finding.
func TestOneErrorForEachMistake(t *testing.T) {
	for _, c := range []struct{ old, with, want string }{
		{"cost: low", "cost: low\nprice: 3", `sort-blocks.md:18: found the unknown key "price", expected one of id, title, subtitle, eyebrow, date, status, category, polarity, axes, tags, task_code, related, experiment, impact, first_reading, cost, risk, confidence, prediction`},
		{"rank: 1", "rung: 1, rank: 1", `sort-blocks.md:15: found the unknown key "impact.rung", expected one of summary, rank, verdict, delta_psnr, delta_wallclock`},
		{"cost: low", "cost: cheap", `sort-blocks.md:17: cost: found "cheap", expected one of low, medium, high`},
		{"cost: low\n", "", `sort-blocks.md:2: cost: found no such key, expected one`},
		{"cost: low", "cost: low\ncost: high", `sort-blocks.md:18: cost: found a second time, the first is on line 17; expected one`},
		{"2026-12-01", "12/1/2026", `sort-blocks.md:6: date: found "12/1/2026", expected a date YYYY-MM-DD`},
		{"rank: 1", "rank: 0", `sort-blocks.md:15: impact.rank: found "0", expected a whole number, 1 or more, or null`},
		{"-4.5", "fast", `sort-blocks.md:15: impact.delta_wallclock: found "fast", expected a number or null`},
		{"delta_psnr: null", "delta_psnr: .nan", `sort-blocks.md:15: impact.delta_psnr: found ".nan", expected a number or null`},
		{"axes: [time]", "axes: time", `sort-blocks.md:10: axes: found "time", expected a list such as [one, two]`},
		{"axes: [time]", "axes: []", `sort-blocks.md:10: axes: found nothing, expected at least one word`},
		{"tags: []", "tags: [a, a]", `sort-blocks.md:11: tags: found "a", expected different words`},
		{"title: Shorter sort blocks", `title: ""`, `sort-blocks.md:3: title: found nothing, expected a value`},
		{"title: Shorter sort blocks", `title: [1]`, `sort-blocks.md:3: title: found a list, expected text`},
		{"id: sort-blocks", "id: other", `sort-blocks.md:2: id: found "other", expected "sort-blocks", the name of the file`},
		{"verdict: accepted", `verdict: ""`, `sort-blocks.md:15: impact.verdict: found nothing, expected a value: the status is interpreted`},
		{"first_reading: null", "first_reading: {summary: a, rank: null, verdict: refuted, delta_psnr: null, delta_wallclock: 1}", `sort-blocks.md:16: first_reading: found a first reading, expected null: the status is interpreted, not corrected`},
		{"findings: []", "findings: [missing]", `sort-blocks.md:13: related.findings: found "missing", expected the id of a finding in DIR`},
		{"findings: []", "findings: [sort-blocks]", `sort-blocks.md:13: related.findings: found "sort-blocks", the finding itself, expected others`},
		{"written: 2026-11-30", "written: 2026-12-02", `sort-blocks.md:20: prediction.written: found 2026-12-02, expected a day up to 2026-12-01, the date of the measurement`},
		{"written: 2026-11-30", `written: ""`, `sort-blocks.md:20: prediction.written: found nothing, expected a value: the status is interpreted`},
		{"low: -6", "low: 6", `sort-blocks.md:20: prediction.low: found 6 above high -2, expected low <= high`},
		{"quantity: wallclock", "quantity: psnr", `sort-blocks.md:15: impact: found no delta_psnr, expected what was predicted to be measured`},
		{`experiment: ""`, `experiment: nowhere`, `sort-blocks.md:14: experiment: found "nowhere", expected a folder with ab.json`},
		{"Kept.", "<!-- later -->", `sort-blocks.md:35: Interpretation: found no text, expected some: the status is interpreted`},
		{"## Correction", "## Corrections", `sort-blocks.md:39: found the heading "Corrections", expected ## and one of Hypothesis, Prediction, Measurement, Interpretation, Correction; headings inside a section begin with ###`},
		{"## Hypothesis", "Words.\n\n## Hypothesis", `sort-blocks.md:22: found text before the first section, expected ## Hypothesis`},
		{"Kept.", "Kept.\n\n> [!JOKE]\n> ha", `sort-blocks.md:39: found the callout "JOKE", expected one of NOTE, TIP, IMPORTANT, WARNING, CAUTION`},
		{"Kept.", "Kept.\n\n```kv\na: b\nwrong\n```", `sort-blocks.md:41: found "wrong" in a kv block, expected key: value`},
		{"id: sort-blocks", "id: [", `sort-blocks.md:1: not YAML: did not find`},
	} {
		f := folder(t, map[string]string{"sort-blocks": replace(t, fileOf(facts, sectionsText), c.old, c.with)})
		got := complaints(f, "")
		if c.want = strings.Replace(c.want, "DIR", f.Dir, 1); strings.HasPrefix(c.old, "## Correction") && len(got) == 2 {
			got = got[1:] // the missing section is a problem too
		}
		if len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%q -> %q:\nfound    %q\nexpected %q", c.old, c.with, got, c.want)
		}
	}
}

func TestPredictionComesBeforeMeasurement(t *testing.T) {
	before := replace(t, fileOf(facts, sectionsText), "status: interpreted", "status: predicted")
	got := strings.Join(complaints(folder(t, map[string]string{"sort-blocks": before}), ""), "\n")
	for _, want := range []string{"impact.delta_wallclock: found -4.5, expected null", "impact.verdict: found \"accepted\", expected nothing", "Measurement: found text, expected none"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	late := replace(t, fileOf(facts, sectionsText), "status: interpreted", "status: retrospective")
	if got := complaints(folder(t, map[string]string{"sort-blocks": late}), ""); len(got) != 1 || !strings.Contains(got[0], "prediction: found a prediction, expected none") {
		t.Errorf("a retrospective finding with a prediction: %q", got)
	}
}

func TestCorrectionKeepsTheFirstReading(t *testing.T) {
	corrected := replace(t, fileOf(facts, sectionsText), "status: interpreted", "status: corrected")
	corrected = replace(t, corrected, "<!-- none -->", "The clock was not fixed.")
	got := complaints(folder(t, map[string]string{"sort-blocks": corrected}), "")
	if len(got) != 1 || !strings.Contains(got[0], "first_reading: found nothing, expected summary, verdict and deltas as they were before the correction") {
		t.Errorf("without the first reading: %q", got)
	}
	whole := replace(t, corrected, "first_reading: null", "first_reading: {summary: Much less., rank: null, verdict: accepted, delta_psnr: null, delta_wallclock: -9}")
	f := folder(t, map[string]string{"sort-blocks": whole})
	if got := complaints(f, ""); got != nil {
		t.Errorf("with it: %q", got)
	}
	if first := f.Findings[0].First; first == nil || *first.DeltaWallclock != -9 {
		t.Errorf("first reading %+v", first)
	}
}

func TestIDsAreUniqueAndRunsAreThere(t *testing.T) {
	other := replace(t, fileOf(facts, sectionsText), "runs: []", "runs: [here, gone, ../away]")
	f := folder(t, map[string]string{"sort-blocks": fileOf(facts, sectionsText), "second": other})
	runs := t.TempDir()
	if err := os.Mkdir(filepath.Join(runs, "here"), 0o755); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(complaints(f, runs), "\n")
	for want, n := range map[string]int{"sort-blocks.md:2: id: found \"sort-blocks\" again, the first is in second.md": 1, `found "gone"`: 1, `found "../away"`: 1, `found "here"`: 0} {
		if strings.Count(got, want) != n {
			t.Errorf("%q: expected %d times in\n%s", want, n, got)
		}
	}
	if got := strings.Join(complaints(f, ""), "\n"); strings.Contains(got, "gone") {
		t.Errorf("without a folder of runs: %s", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(fileOf(facts, sectionsText))
	f.Add("---\n---\n")
	f.Add("---\na: &a [*a]\n---\n## Hypothesis\n> [!NOTE]\n\n```kv\n")
	f.Add("---\nid: x\n---\nHypothesis\n---\n\n#\n\n##\n> [!]")
	f.Fuzz(func(t *testing.T, s string) {
		one, problems := Parse("f.md", []byte(s))
		if one == nil && len(problems) == 0 {
			t.Fatal("neither a finding nor a problem")
		}
		if one == nil {
			return
		}
		lines := strings.Count(s, "\n") + 1
		for _, p := range append(problems, (&Folder{Findings: []*Finding{one}}).Check("")...) {
			if p.Line < 0 || p.Line > lines || strings.Contains(p.String(), "\n") {
				t.Fatalf("problem %q in a text of %d lines", p, lines)
			}
		}
		for _, name := range Sections {
			if _, err := one.HTML(name, func(string) string { return "" }); err != nil {
				t.Fatal(err)
			}
		}
	})
}
