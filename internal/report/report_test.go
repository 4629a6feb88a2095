package report

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"splat/internal/fault"
)

func TestChartLibraryIsAsDelivered(t *testing.T) {
	for name, want := range map[string]string{"uPlot.iife.min.js": chartScript, "uPlot.min.css": chartStyle} {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s: sha256 %x, expected %s", name, sum, want)
		}
		if strings.HasSuffix(name, ".js") && !strings.Contains(string(text[:200]), "(v"+chartVersion+")") {
			t.Errorf("%s does not begin with version %s: %s", name, chartVersion, text[:120])
		}
	}
	if licence, err := assets.ReadFile("assets/uPlot.LICENSE.txt"); err != nil || !strings.Contains(string(licence), "The MIT License") {
		t.Errorf("licence: %v %.60s", err, licence)
	}
}

func TestRunsOfEveryAgeAreRead(t *testing.T) {
	dir, _ := fixture(t)
	runs, experiments, err := FindRuns(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	byName := map[string]*Run{}
	for _, r := range runs {
		names = append(names, r.Name)
		byName[r.Name] = r
	}
	if d := cmp.Diff([]string{"2026-11-30-lego", "old", "sweep/lambda=0.1 <b>"}, names); d != "" {
		t.Fatal(d)
	}
	if len(experiments) != 1 || filepath.Base(experiments[0]) != "ab-sort" {
		t.Errorf("experiments %v, expected ab-sort", experiments)
	}
	full, old, empty := byName["2026-11-30-lego"], byName["old"], byName["sweep/lambda=0.1 <b>"]
	if *full.Result.PSNR != 36.05 || full.Capture != "/captures/lego" || len(full.metrics) != 120 || len(full.evals) != 12 || full.Date() != "2026-11-30" {
		t.Errorf("full run: %+v", full)
	}
	want := []kernelShare{{"backward", "rasterize_backward", 37.5}, {"forward", "rasterize", 20.9}, {"update", "update", 10.8}, {"gaps", "gap: at a barrier", 0.3}}
	if d := cmp.Diff(want, full.kernels); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"metrics.jsonl: 1 of 121 lines cannot be read"}, full.Missing); d != "" {
		t.Error(d)
	}
	if !old.Done || old.Result.PSNR != nil || *old.Result.Steps != 7 {
		t.Errorf("old run: %+v", old.Result)
	}
	missing := strings.Join(old.Missing, "\n")
	for _, want := range []string{`result.json: psnr: found "high"`, "config.toml: this version cannot read it", "run.json is not there", "metrics.jsonl is not there", "splats.ply is not there"} {
		if !strings.Contains(missing, want) {
			t.Errorf("no %q in\n%s", want, missing)
		}
	}
	if empty.Done || !strings.Contains(strings.Join(empty.Missing, "\n"), "metrics.jsonl is empty") {
		t.Errorf("empty run: %+v", empty)
	}
}

func TestSharesOfLaterVersionsAreRead(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "log.txt", logText+newerLog)
	want := []kernelShare{{"update", "update", 30.3}, {"forward \u00b7 depth-sort 4/4", "sort_count", 2.3}, {"", "3 more", 0.4}}
	if d := cmp.Diff(want, ReadRun(dir, "run").kernels, cmpopts.EquateApprox(0, 1e-9)); d != "" {
		t.Error(d)
	}
}

func TestOneRunIsAFolderOfRuns(t *testing.T) {
	dir, _ := fixture(t)
	runs, _, err := FindRuns(filepath.Join(dir, "old"))
	if err != nil || len(runs) != 1 || runs[0].Name != "old" {
		t.Errorf("%v, %v; expected the run old", runs, err)
	}
	if _, _, err := FindRuns(filepath.Join(dir, "none")); fault.ExitCode(err) != 3 {
		t.Errorf("a folder that is not there: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if os.Symlink(dir, link) != nil {
		return // a system without links
	}
	if runs, _, err := FindRuns(link); err != nil || len(runs) != 3 || runs[0].Dir != filepath.Join(link, "2026-11-30-lego") {
		t.Errorf("by a link: %d runs, %v; expected 3", len(runs), err)
	}
}

// TestPagesSayWhatThereIs looks for what each page must tell.
func TestPagesSayWhatThereIs(t *testing.T) {
	out := filepath.Join(t.TempDir(), "report")
	done := build(t, out)
	if d := cmp.Diff(Summary{Out: out, Index: filepath.Join(out, "index.html"), Runs: 3, Findings: 3, Experiments: 1, Pictures: 1}, done); d != "" {
		t.Error(d)
	}
	for name, wants := range map[string][]string{
		"index.html":                {"Of 3 predictions 1 held", "sweep/lambda=0.1 &lt;b&gt;", "300\u202f000", "broken.md:1: expected ---", "not finished", "runs/sweep_lambda_0.1__b_.html"},
		"runs/2026-11-30-lego.html": {"36.05", "c0ffee", "f13bcd1", "rasterize_backward", "1 of 121 lines", `type="range"`, "pictures/2026-11-30-lego/1-error.png"},
		"runs/old.html":             {"What is missing here", "this version cannot read it", "extra.key", "no pictures: no splats"},
		"findings/right.html":       {"inside the interval, on the predicted side", `<a href="corrected.html">the corrected one</a>`, "the plan and", "../runs/2026-11-30-lego.html", "−5.20 to −3.90 %"},
		"findings/corrected.html":   {"The first reading was", "A step takes 9 % less.", "−9 % of time", `<section class="prose" aria-labelledby="correction">`},
		"experiments/ab-sort.html":  {"4096 against 2048", "beyond the gate", "sort.histogram", "<strong>changed</strong>", "8.1 %"},
		"calibration.html":          {"interval right</dt><dd>1 <small>of 3", "sign right</dt><dd>2 <small>of 3", "<strong>wrong</strong>"},
	} {
		html := pageOf(t, out, name)
		for _, want := range wants {
			if !strings.Contains(html, want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
		if strings.Contains(html, "<script>alert") || strings.Contains(html, "ZgotmplZ") {
			t.Errorf("%s: a script of a finding, or a value that the template refused", name)
		}
	}
	charts := chartsOf(t, pageOf(t, out, "runs/2026-11-30-lego.html"))
	if len(charts) != 6 || len(charts[0].Points) != 12 || charts[0].Points[0] != (point{2500, 36.05 - 8*0.6703200460356393}) {
		t.Errorf("charts %+v", charts)
	}
}

// TestNothingComesFromTheNetwork looks at every address that a page loads, and at
// every link between pages.
func TestNothingComesFromTheNetwork(t *testing.T) {
	out := filepath.Join(t.TempDir(), "report")
	build(t, out)
	address := regexp.MustCompile(`(src|href)="([^"]*)"`)
	pages := 0
	err := filepath.WalkDir(out, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".html" {
			return err
		}
		pages++
		text, err := os.ReadFile(path)
		for _, m := range address.FindAllStringSubmatch(string(text), -1) {
			to, _, _ := strings.Cut(m[2], "#")
			if to == "" || to == "data:," || m[1] == "href" && strings.HasPrefix(to, "https://example.org") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: %s %s is not in the report", filepath.Base(path), m[1], m[2])
			}
		}
		return err
	})
	if err != nil || pages != 9 {
		t.Errorf("%d pages, error %v; expected 9", pages, err)
	}
	css, _ := assets.ReadFile("assets/site.css")
	js, _ := assets.ReadFile("assets/site.js")
	if s := string(css) + string(js); strings.Contains(s, "http") || strings.Contains(s, "url(") || strings.Contains(s, "fetch(") {
		t.Error("style or script load something")
	}
}

func TestErrorMapShowsWhereTheErrorIs(t *testing.T) {
	out := filepath.Join(t.TempDir(), "report")
	build(t, out)
	f, err := os.Open(filepath.Join(out, "pictures", "2026-11-30-lego", "1-error.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if s := img.Bounds().Size(); s.X != 560 || s.Y != 420 {
		t.Errorf("%v, expected 560 x 420", s)
	}
	left, _, _, _ := img.At(100, 300).RGBA()
	right, _, _, _ := img.At(500, 300).RGBA()
	if left != 0 || right < 0x8000 {
		t.Errorf("red of the left half %x, of the right %x; expected 0 and much", left, right)
	}
}

func TestPixelsThatDoNotCountAreBlack(t *testing.T) {
	v := View{Width: 2, Height: 1, Truth: make([]float32, 6), Render: []float32{1, 1, 1, 1, 1, 1}, Used: []bool{false, true}}
	if m := errorMap(v, 2, 1); m.Pix[0] != 0 || m.Pix[1] != 63 {
		t.Errorf("%v, expected 0 and 63", m.Pix)
	}
}

func TestEarlierReportIsReplaced(t *testing.T) {
	parent := t.TempDir()
	out := filepath.Join(parent, "report")
	build(t, out)
	first := pageOf(t, out, "index.html")
	if err := Check(out); err != nil {
		t.Fatal(err)
	}
	put(t, out, "index.html", "changed")
	build(t, out)
	if pageOf(t, out, "index.html") != first {
		t.Error("the same runs give another page")
	}
	if entries, _ := os.ReadDir(parent); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestFoldersOfOthersAreRefused(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "report")
	build(t, out)
	put(t, dir, "thesis/chapter.txt", "mine")
	put(t, dir, "file", "mine")
	put(t, dir, "fake/report.json", `{"kind":"of another program"}`)
	for name, want := range map[string]string{
		"thesis": "found chapter.txt, expected a new folder or an earlier report",
		"file":   "found a file",
		"fake":   "found report.json",
	} {
		if err := Check(filepath.Join(dir, name)); fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", name, err, want)
		}
	}
	if err := Check(out, filepath.Join(out, "runs")); fault.ExitCode(err) != 2 {
		t.Errorf("runs inside the report: %v", err)
	}
	put(t, out, "runs/notes.txt", "mine")
	if err := Check(out); fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), "runs/notes.txt") {
		t.Errorf("a file of the user in the report: %v", err)
	}
	for _, free := range []string{"new/deep", "empty"} {
		_ = os.Mkdir(filepath.Join(dir, "empty"), 0o755)
		if err := Check(filepath.Join(dir, free)); err != nil {
			t.Errorf("%s: %v", free, err)
		}
	}
}

// TestFailureKeepsTheEarlierReport fails while pictures are made, and while it is
// interrupted.
func TestFailureKeepsTheEarlierReport(t *testing.T) {
	parent := t.TempDir()
	out := filepath.Join(parent, "report")
	build(t, out)
	before := pageOf(t, out, "report.json")
	runs, findings := fixture(t)
	s, err := Open(runs, findings)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	s.Views = func(context.Context, *Run, func(View) error) (string, error) { return "", full }
	if _, err := Write(t.Context(), out, s); !errors.Is(err, full) {
		t.Errorf("error %v, expected %v", err, full)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Write(ctx, out, s); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, expected %v", err, context.Canceled)
	}
	if pageOf(t, out, "report.json") != before {
		t.Error("the earlier report changed")
	}
	if entries, _ := os.ReadDir(parent); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestPageNamesAreUniqueAndHarmless(t *testing.T) {
	taken := map[string]bool{}
	var got []string
	for _, name := range []string{"a/b", "a_b", "A/b", "..", "é", "../../etc"} {
		got = append(got, pageName(name, taken))
	}
	if d := cmp.Diff([]string{"a_b", "a_b-2", "A_b-3", "run", "run-2", ".._.._etc"}, got); d != "" {
		t.Error(d)
	}
}

func TestNumbersForPeople(t *testing.T) {
	value, whole := -4.0, -1234567
	long, small := 271.4, 57.46
	for got, want := range map[string]string{
		number(2, &value): "−4.00", number(2, nil): "–", signed(1, 0.04): "0.0", signed(1, -0.04): "0.0", signed(2, 1.5): "+1.50",
		grouped(&whole): "-1\u202f234\u202f567", seconds(&long): "4:31 min", seconds(&small): "57.5 s",
	} {
		if got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}
