package report

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// put writes a file below a folder.
func put(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const resultText = `{"steps":30000,"train_seconds":57.5,"wall_seconds":64.1,"psnr":36.05,"ssim":0.9843,"split":"test","test_views":25,"splats":300000,` +
	`"device":"NVIDIA H200","backend":"vulkan","seed":42,"model":"splats.ply","sha256":"24f0b272f977","stop_reason":"steps"}`

const logText = `12:00:00 device: NVIDIA H200
12:01:00 stage               kernel                total ms     calls    ms/step  share
backward            rasterize_backward      405.0       600      0.675  37.5%
forward             rasterize               225.6       600      0.376  20.9%
update              update                  117.0       600      0.195  10.8%
gaps                gap: at a barrier         3.0       600      0.005   0.3%
backward            (all)                   405.0       600      0.675  37.5%
total                                      1080.0         0      1.800 100.0%
12:01:01 done
`

// newerLog is the table of later versions: a group, stages of two words, shares of the
// device's peak, a time in front of every line.
const newerLog = `12:01:00 profile: 120 steps measured, one of 1
12:01:00 group     stage               kernel                       total ms   calls    avg ms    median      95 %  share       MB   peak
12:01:00 update    update              update                          46.39     100    0.4639    0.4052    0.5418  30.3%     4.57   3.5%
12:01:00 forward   depth-sort 4/4      sort_count                       3.48     100    0.0348    0.0059    0.0067   2.3%     0.01      -
12:01:00 forward   emit                set_pairs                        0.04     100    0.0004    0.0004    0.0007   0.2%
12:01:00 forward   emit                set_visible                      0.04     100    0.0004    0.0004    0.0007   0.1%
12:01:00 gaps      gaps                gap: at a barrier                0.26    4400    0.0026    0.0023    0.0033   0.1%
12:01:00 forward   (all)                                               64.41    4000                                42.1%
12:01:00 sum: kernels 1.5275 ms + gaps 0.0027 ms = 1.5302 ms of a step of 1.5302 ms (off by 0.00 %)
12:01:00 most of the measured time: forward 42 %, update 30 %
`

// fixture makes runs of several ages, an experiment and findings.
func fixture(t testing.TB) (runs, findings string) {
	dir := t.TempDir()
	runs, findings = filepath.Join(dir, "runs"), filepath.Join(dir, "findings")
	full := filepath.Join(runs, "2026-11-30-lego")
	put(t, full, "result.json", resultText)
	put(t, full, "config.toml", "[data]\npath = \"/captures/lego\"\n\n[strategy]\nname = \"mcmc\"\n")
	put(t, full, "run.json", `{"record":1,"capture":{"path":"/captures/lego","fingerprint":"c0ffee"},"sessions":[{"began":"2026-11-30T12:00:00Z","build":{"commit":"f13bcd1"},"device":{"driver":"NVIDIA","driver_version":"570"}}]}`)
	put(t, full, "log.txt", logText)
	put(t, full, "splats.ply", "ply")
	var metrics, evals strings.Builder
	for i := 1; i <= 120; i++ {
		step := 250 * i
		fmt.Fprintf(&metrics, `{"step":%d,"loss":%g,"splats":%d,"ms_per_step":%g,"train_seconds":%g}`+"\n",
			step, .02+.18*math.Exp(-float64(i)/12)+.003*math.Sin(float64(i)), min(100000+4000*i, 300000), 1.5+.4*math.Min(float64(i)/50, 1), 57.5*float64(i)/120)
		if i%10 == 0 {
			fmt.Fprintf(&evals, `{"step":%d,"split":"test","views":25,"psnr":%g,"ssim":0.98,"train_seconds":%g}`+"\n", step, 36.05-8*math.Exp(-float64(i)/25), 57.5*float64(i)/120)
		}
	}
	put(t, full, "metrics.jsonl", metrics.String()+"not json\n")
	put(t, full, "eval.jsonl", evals.String())

	put(t, runs, "old/result.json", `{"psnr":"high","steps":7,"train_seconds":1.5,"extra":{"key":[1,2]}}`)
	put(t, runs, "old/config.toml", "[gone]\nkey = 1\n")
	put(t, runs, "sweep/lambda=0.1 <b>/metrics.jsonl", "\n")
	put(t, runs, "notes/readme.txt", "no run")
	put(t, runs, "ab-sort/ab.json", experimentText)
	for name, text := range findingTexts {
		put(t, findings, name+".md", text)
	}
	return runs, findings
}

const experimentText = `{"ab":1,"plan":{"key":"backend.variants.sort","values":["4096","2048"],"gate_percent":3,"pairs":11},
"origin":{"sessions":[{"began":"2026-12-01T10:00:00Z","build":{"commit":"abc1234"},"device":{"name":"NVIDIA H200"}}]},"complete":true,
"analysis":{"verdict":"accepted","slower":false,"why":"the whole interval lies beyond the gate of 3.00 %",
"quantities":[{"name":"step time","unit":"ms","a_seconds":0.00198,"b_seconds":0.00189,"noise_floor_percent":0.8,"verdict":"accepted","difference":{"median_percent":4.5,"interval_percent":{"low":3.9,"high":5.2}}},
{"name":"whole training","unit":"s","a_seconds":57.5,"b_seconds":55.1,"noise_floor_percent":1.1,"verdict":"accepted","difference":{"median_percent":4.2,"interval_percent":{"low":3.2,"high":5.0}}}],
"kernels":{"rows":[{"name":"sort.histogram","share_percent":8.1,"changed":true,"a_seconds":0.0001,"b_seconds":0.00007,"noise_floor_percent":2,"difference":{"median_percent":30,"interval_percent":{"low":25,"high":33}}},
{"name":"forward.rasterize","share_percent":21.3,"a_seconds":0.0004,"b_seconds":0.0004,"noise_floor_percent":2,"difference":{"median_percent":-0.1,"interval_percent":{"low":-1.5,"high":1.5}}}]},
"arms":[{"psnr":36.05,"sha256":"aa"},{"psnr":36.05,"sha256":"aa"}]},"notes":[]}`

// front is the facts of a finding.
func front(id, status, verdict, wall, experiment, first, prediction string) string {
	return fmt.Sprintf(`---
id: %s
title: Shorter sort blocks save time (%s)
subtitle: Blocks of 2048 keys instead of 4096.
eyebrow: Sorts, H200
date: 2026-12-01
status: %s
category: speed
polarity: positive
axes: [time]
tags: [sort]
task_code: L-5
related: {runs: [2026-11-30-lego], findings: []}
experiment: %q
impact: {summary: "A step takes 4.5 %% less.", rank: 1, verdict: %q, delta_psnr: null, delta_wallclock: %s}
first_reading: %s
cost: low
risk: low
confidence: high
prediction: %s
---

## Hypothesis

More workgroups, see [the corrected one](corrected.md), [the plan](../plan.md) and [the web](https://example.org).

## Prediction

Between two and six per cent.

## Measurement

`+"```kv\ndevice: NVIDIA H200\n```"+`

| change | ms |
|---|--:|
| none | 1.98 |

> [!WARNING]
> The *clock* was not fixed. <script>alert(1)</script>

## Interpretation

Kept.

## Correction

%s
`, id, id, status, experiment, verdict, wall, first, prediction, map[bool]string{true: "The first run had other steps.", false: ""}[status == "corrected"])
}

const predicted = `{written: 2026-11-30, text: Two to six per cent less., quantity: wallclock, low: -6, high: -2}`

var findingTexts = map[string]string{
	"right":     front("right", "interpreted", "accepted", "-4.5", "../runs/ab-sort", "null", predicted),
	"wrong":     front("wrong", "interpreted", "slower", "1.25", "", "null", predicted),
	"corrected": front("corrected", "corrected", "refuted", "-1", "", `{summary: "A step takes 9 % less.", rank: null, verdict: accepted, delta_psnr: null, delta_wallclock: -9}`, predicted),
	"broken":    "no front matter",
}

// drawn is a view with a known error: the render is darker on the right half.
func drawn(name string) View {
	const w, h = 800, 600
	v := View{Name: name, Width: w, Height: h}
	for y := range h {
		for x := range w {
			d := math.Hypot(float64(x-w/2), float64(y-h/2)) / 300
			rgb := [3]float32{float32(.5 + .5*math.Sin(d*9)), float32(y) / h, float32(x) / w}
			for _, c := range rgb {
				v.Truth = append(v.Truth, c)
				if x > w/2 {
					c *= .8
				}
				v.Render = append(v.Render, c)
			}
		}
	}
	return v
}

// build makes a report of the fixture.
func build(t testing.TB, out string) Summary {
	t.Helper()
	runs, findings := fixture(t)
	s, err := Open(runs, findings)
	if err != nil {
		t.Fatal(err)
	}
	s.Views = func(_ context.Context, r *Run, emit func(View) error) (string, error) {
		if !r.Done || r.Name == "old" {
			return "no pictures: no splats", nil
		}
		return "", emit(drawn("r_0"))
	}
	done, err := Write(t.Context(), out, s)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// pageOf reads a page of a report.
func pageOf(t testing.TB, out, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// chartsOf reads the data of a page's charts.
func chartsOf(t testing.TB, html string) (list []chart) {
	t.Helper()
	_, text, ok := strings.Cut(html, `<script type="application/json" id="charts">`)
	if !ok {
		return nil
	}
	text, _, _ = strings.Cut(text, "</script>")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return list
}
