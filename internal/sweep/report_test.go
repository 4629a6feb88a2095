package sweep

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/lab"
)

func score(psnr float64) *float64 { return &psnr }

// swept is a sweep of two values on two captures, of which all but one run are
// complete.
func swept(t *testing.T) *Plan {
	t.Helper()
	p := plan(t, t.TempDir(), nil, "strategy.name=mcmc,adc", "loss.ssim_lambda=0.1,0.2")
	must(t, p.Open())
	for i, r := range []lab.Result{
		{PSNR: score(30), SSIM: score(0.9), TrainSeconds: 10, Splats: 100},
		{PSNR: score(31), SSIM: score(0.8), TrainSeconds: 20, Splats: 300},
		{PSNR: score(29), SSIM: score(0.7), TrainSeconds: 15, Splats: 200},
		{PSNR: score(28), SSIM: score(0.6), TrainSeconds: 5, Splats: 50},
		{PSNR: score(20), SSIM: score(0.5), TrainSeconds: 30, Splats: 300},
		{PSNR: score(25), SSIM: score(0.4), TrainSeconds: 40, Splats: 100},
		{PSNR: score(26), SSIM: score(0.3), TrainSeconds: 45, Splats: 100},
	} {
		r.StopReason = "steps"
		finish(t, p.Jobs[i], r)
	}
	return p
}

func order(rows []Row) (names []string) {
	for _, r := range rows {
		names = append(names, r.Name)
	}
	return names
}

const (
	mcmc1, mcmc2 = "strategy=mcmc,ssim_lambda=0.1", "strategy=mcmc,ssim_lambda=0.2"
	adc1, adc2   = "strategy=adc,ssim_lambda=0.1", "strategy=adc,ssim_lambda=0.2"
)

func TestReport(t *testing.T) {
	p := swept(t)
	r, err := p.Report("psnr", map[string]Outcome{p.Jobs[7].Name: {Code: 1, Reason: "out of memory"}})
	must(t, err)
	if r.Complete != 7 || r.Runs != 8 {
		t.Errorf("%d of %d complete", r.Complete, r.Runs)
	}
	if diff := cmp.Diff([]string{mcmc2, adc1, mcmc1, adc2}, order(r.Rows)); diff != "" {
		t.Errorf("by mean PSNR, what is not complete last:\n%s", diff)
	}
	best := r.Rows[0]
	if best.Mean == nil || *best.Mean.PSNR != 28 || best.Mean.Seconds != 30 || best.Mean.Splats != 200 || !best.Pareto {
		t.Errorf("mean: %+v, %v", best.Mean, best.Pareto)
	}
	last := r.Rows[3]
	if last.Mean != nil || last.Runs[0].Scores == nil || last.Runs[1].State != Failed || last.Runs[1].Reason != "out of memory" {
		t.Errorf("the incomplete one: %+v", last)
	}
	if diff := cmp.Diff([]string{mcmc2, mcmc1, adc1, adc2}, r.Scenes[0].Order); diff != "" {
		t.Errorf("first capture:\n%s", diff)
	}
	var front []bool
	for _, name := range []string{mcmc1, mcmc2, adc1, adc2} {
		front = append(front, r.row(name).Runs[0].Pareto)
	}
	if diff := cmp.Diff([]bool{true, true, false, true}, front); diff != "" {
		t.Errorf("Pareto front:\n%s", diff)
	}
	for sort, want := range map[string][]string{"seconds": {mcmc1, mcmc2, adc1, adc2}, "splats": {adc1, mcmc1, mcmc2, adc2}} {
		r, err := p.Report(sort, nil)
		must(t, err)
		if diff := cmp.Diff(want, order(r.Rows)); diff != "" {
			t.Errorf("by %s:\n%s", sort, diff)
		}
		if r.Scenes[0].Order[0] != adc2 {
			t.Errorf("by %s on the first capture: %v", sort, r.Scenes[0].Order)
		}
	}
	if CheckSort("psnr") != nil || CheckSort("ssim") == nil {
		t.Error("orders are not checked")
	}
}

func TestTable(t *testing.T) {
	p := swept(t)
	r, err := p.Report("psnr", map[string]Outcome{p.Jobs[7].Name: {Code: 1, Reason: "out of memory"}})
	must(t, err)
	const want = `lego (capture 1 of 2)
  strategy  ssim_lambda   PSNR    SSIM  seconds  splats
  mcmc      0.2          31.00  0.8000     20.0     300  *
  mcmc      0.1          30.00  0.9000     10.0     100  *
  adc       0.1          29.00  0.7000     15.0     200
  adc       0.2          28.00  0.6000     5.00      50  *

lego-2 (capture 2 of 2)
  strategy  ssim_lambda   PSNR    SSIM  seconds  splats
  adc       0.1          26.00  0.3000     45.0     100  *
  mcmc      0.2          25.00  0.4000     40.0     100  *
  mcmc      0.1          20.00  0.5000     30.0     300  *
  adc       0.2              -       -        -       -     failed (exit code 1): out of memory

mean of 2 captures
  strategy  ssim_lambda   PSNR    SSIM  seconds  splats
  mcmc      0.2          28.00  0.6000     30.0     200  *
  adc       0.1          27.50  0.5000     30.0     150
  mcmc      0.1          25.00  0.7000     20.0     200  *
  adc       0.2              -       -        -       -

* nothing else is as good and faster
`
	if diff := cmp.Diff(want, r.Table()); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
	must(t, r.Save())
	var again Report
	text, err := os.ReadFile(filepath.Join(p.Dir, ResultsFile))
	must(t, err)
	must(t, json.Unmarshal(text, &again))
	if diff := cmp.Diff(r, &again); diff != "" {
		t.Errorf("%s: %s", ResultsFile, diff)
	}
}

func TestPlot(t *testing.T) {
	p := swept(t)
	p.Captures[1].Name = "a<b&c"
	r, err := p.Report("psnr", nil)
	must(t, err)
	svg := r.SVG()
	d, circles, texts := xml.NewDecoder(bytes.NewReader(svg)), 0, []string{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local == "circle" {
				circles++
			}
		case xml.CharData:
			if s := strings.TrimSpace(string(e)); s != "" {
				texts = append(texts, s)
			}
		}
	}
	if circles != 3+4+3+2 { // the means, the captures, the legend
		t.Errorf("found %d points, expected 12:\n%s", circles, svg)
	}
	all := strings.Join(texts, "|")
	for _, want := range []string{"mean of 2 captures", "a_b_c", "training, seconds", "PSNR, dB", "ssim_lambda = 0.1", "labels: strategy; filled: ", "strategy=mcmc,ssim_lambda=0.2: 31.00 dB in 20.0 s", "|adc|"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in the plot: %s", want, all)
		}
	}
	empty, err := plan(t, t.TempDir(), nil, "strategy.name=mcmc,adc").Report("psnr", nil)
	must(t, err)
	if empty.SVG() != nil || !strings.Contains(empty.Table(), "not begun") {
		t.Error("a plot of nothing")
	}
}

func TestAxes(t *testing.T) {
	a := newAxis([]float64{30, 31.5}, 100, 0, false)
	if a.log || a.at(30) <= a.at(31.5) || a.at(30) > 100 || a.at(31.5) < 0 || len(a.ticks) < 4 || a.text(a.ticks[0]) != "30.0" {
		t.Errorf("%+v", a)
	}
	a = newAxis([]float64{2, 900}, 0, 100, true)
	if !a.log || a.at(2) >= a.at(900) {
		t.Errorf("%+v", a)
	}
	if diff := cmp.Diff([]float64{2, 5, 10, 20, 50, 100, 200, 500, 1000}, a.ticks); diff != "" {
		t.Errorf("ticks: %s", diff)
	}
	for _, same := range [][]float64{{5}, {0, 0}, {0.001, 0.001}} {
		if a := newAxis(same, 0, 100, true); !(a.at(same[0]) >= 0 && a.at(same[0]) <= 100) || len(a.ticks) == 0 {
			t.Errorf("%v: %+v", same, a)
		}
	}
}

// Labels do not cover each other, the points, or lie outside.
func TestLabelsKeepApart(t *testing.T) {
	var l labels
	placed := 0
	for i := range 60 {
		x, y := float64(100+i*7), float64(200+i%3)
		l.add(x-6, y-6, 12, 12)
		if at, _, ok := l.find(x, y, 40); ok {
			placed++
			if at[0] < 0 || at[0] > panelWidth {
				t.Errorf("outside: %v", at)
			}
		}
	}
	if placed < 5 || placed > 40 {
		t.Errorf("%d of 60 labels placed", placed)
	}
}
