package finding

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rendered is a section with the given text as HTML.
func rendered(t *testing.T, markdown string) string {
	t.Helper()
	f, problems := Parse("f.md", []byte(fileOf(facts, strings.Replace(sectionsText, "Kept.", markdown, 1))))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	html, err := f.HTML("Interpretation", func(to string) string {
		if strings.HasPrefix(to, "https:") {
			return to
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(html)
}

func TestMarkdownBecomesHTML(t *testing.T) {
	for _, c := range []struct{ markdown, want string }{
		{"> [!WARNING]\n> Mind *this*.", "<aside class=\"callout warning\"><p class=\"label\">Warning</p>\n<p>Mind <em>this</em>.</p>\n</aside>"},
		{"> [!NOTE]\n>\n> One.\n> Two.", "<aside class=\"callout note\"><p class=\"label\">Note</p>\n<p>One.\nTwo.</p>\n</aside>"},
		{"> quoted", "<blockquote>\n<p>quoted</p>\n</blockquote>"},
		{"```kv\ndevice: H200: <b>\n```", "<div><dt>device</dt><dd>H200: &lt;b&gt;</dd></div>"},
		{"```go\na < b\n```", "<pre tabindex=\"0\"><code>a &lt; b\n</code></pre>"},
		{"| a | b |\n|---|--:|\n| 1 | 2 |", "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>"},
		{"[web](https://example.org) [file](../x.md) ![picture](p.png)", `<p><a href="https://example.org">web</a> file picture</p>`},
		{"a <script>alert(1)</script> b", "<p>a <!-- raw HTML omitted -->alert(1)<!-- raw HTML omitted --> b</p>"},
		{"[x](javascript:alert(1))", "<p>x</p>"},
	} {
		if got := rendered(t, c.markdown); !strings.Contains(got, c.want) {
			t.Errorf("%q: found\n%s\nexpected\n%s", c.markdown, got, c.want)
		}
	}
}

func TestNewFindingHasAllKeysAndSections(t *testing.T) {
	f, problems := Parse("a-b.md", []byte(New("a-b", `A: "b" # c`, "2026-12-01")))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if f.Title != `A: "b" # c` || f.Status != Hypothesis {
		t.Errorf("title %q, status %q", f.Title, f.Status)
	}
	got := (&Folder{Findings: []*Finding{f}}).Check("")
	if len(got) == 0 {
		t.Error("an empty finding is complete")
	}
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{"f16 in the raster pass": "f16-in-the-raster-pass", "  É, 3 % (less)": "3-less", "…": ""} {
		if got := Slug(title); got != want {
			t.Errorf("%q: %q, expected %q", title, got, want)
		}
	}
}

const record = `{"ab":1,"future":{},"plan":{"key":"sort","values":["4096","2048"],"gate_percent":3,"pairs":11},
"origin":{"sessions":[{"began":"2026-12-01T10:00:00Z","build":{"commit":"abc"},"device":{"name":"H200"}}]},"complete":true,
"analysis":{"verdict":"accepted","why":"beyond the gate","quantities":[
{"name":"step time","unit":"ms","a_seconds":0.002,"b_seconds":0.0019,"noise_floor_percent":0.8,"difference":{"median_percent":4.512,"interval_percent":{"low":4,"high":5}}}],
"kernels":{"rows":[{"name":"a|b","changed":true,"share_percent":0.5,"a_seconds":0.001,"b_seconds":0.0005,"difference":{"median_percent":50,"interval_percent":{"low":40,"high":60}}},
{"name":"minor","share_percent":0.4,"difference":{"median_percent":50}},{"name":"same","share_percent":60,"difference":{"median_percent":0}}]},
"arms":[{"psnr":30,"sha256":"a"},{"psnr":30.5,"sha256":"b"}]}}`

// experiment writes a record into a folder.
func experiment(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ExperimentFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestExperimentIsRead(t *testing.T) {
	e, err := ReadExperiment(experiment(t, record))
	if err != nil {
		t.Fatal(err)
	}
	if *e.DeltaWallclock != -4.512 || *e.DeltaPSNR != .5 || *e.SameBytes || e.Verdict != "accepted" || e.Date != "2026-12-01" || *e.Times[0].Low != -5 || *e.Times[0].High != -4 || len(e.Kernels) != 2 || e.Minor != 1 {
		t.Errorf("%+v", e)
	}
	slower := strings.Replace(record, `"verdict":"accepted"`, `"verdict":"refuted","slower":true`, 1)
	if e, err := ReadExperiment(experiment(t, slower)); err != nil || e.Verdict != "slower" {
		t.Errorf("verdict %v, error %v; expected slower", e, err)
	}
	for _, bad := range []string{"", "{}", "[]", strings.Replace(record, `"complete":true`, `"complete":false`, 1), strings.Replace(record, `["4096","2048"]`, `["4096"]`, 1)} {
		if _, err := ReadExperiment(experiment(t, bad)); err == nil || !strings.Contains(err.Error(), ExperimentFile) {
			t.Errorf("%.30q: error %v, expected one that names the file", bad, err)
		}
	}
}

// unmeasured is a finding in the state predicted.
func unmeasured(t *testing.T) string {
	s := replace(t, fileOf(facts, sectionsText), "status: interpreted", "status: predicted")
	s = replace(t, s, "verdict: accepted, delta_psnr: null, delta_wallclock: -4.5", `verdict: "", delta_psnr: null, delta_wallclock: null`)
	s = replace(t, s, "impact: {summary: Less time., rank: 1, verdict: \"\", delta_psnr: null, delta_wallclock: null}",
		"impact:\n  summary: \"\" # what\n  rank: null\n  verdict: \"\"       # word\n  delta_psnr: null\n  delta_wallclock: null # per cent")
	return replace(t, s, "1.98 ms, then 1.89 ms.", "<!-- numbers -->")
}

func TestFillPutsTheExperimentIntoAPrediction(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sort-blocks.md")
	exp := experiment(t, record)
	e, err := ReadExperiment(exp)
	if err != nil {
		t.Fatal(err)
	}
	rel, _ := filepath.Rel(dir, exp)
	out, err := Fill(path, unmeasured(t), e, filepath.ToSlash(rel))
	if err != nil {
		t.Fatal(err)
	}
	early := strings.Replace(unmeasured(t), "status: predicted", "status: hypothesis", 1) // the prediction counts, not the word
	if same, err := Fill(path, early, e, filepath.ToSlash(rel)); err != nil || same != out {
		t.Errorf("of a hypothesis with a prediction: %v\n%s", err, same)
	}
	for _, want := range []string{"status: measured", "  verdict: accepted # word\n", "  delta_wallclock: -4.51 # per cent", "  delta_psnr: 0.500\n", "| step time | 2 ms | 1.9 ms | -4.51 % | -5.00 to -4.00 % | 0.80 % |", "| a/b |", "> Accepted: beyond the gate"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "minor") || strings.Contains(out, "| same |") {
		t.Errorf("kernels that did not change are listed:\n%s", out)
	}
	if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := complaints(f, ""); got != nil {
		t.Errorf("problems after filling in: %q", got)
	}
	if _, err := Fill(path, out, e, "x"); err == nil {
		t.Error("a measurement was replaced")
	}
	wrong := strings.Replace(out, "-4.51", "-4.61", 1)
	if err := os.WriteFile(path, []byte(wrong), 0o644); err != nil {
		t.Fatal(err)
	}
	f, _ = ReadFolder(dir)
	if got := complaints(f, ""); len(got) != 1 || !strings.Contains(got[0], "impact.delta_wallclock: found -4.61, expected -4.51 as in the experiment") {
		t.Errorf("a number that is not the experiment's: %q", got)
	}
}

func TestFillWithoutAPredictionIsRetrospective(t *testing.T) {
	e, err := ReadExperiment(experiment(t, record))
	if err != nil {
		t.Fatal(err)
	}
	out, err := Fill("a.md", New("a", "A", "2026-01-01"), e, "../ab")
	if err != nil {
		t.Fatal(err)
	}
	f, problems := Parse("a.md", []byte(out))
	if len(problems) > 0 || f.Status != Retrospective || f.Text("Prediction") != "None was written before this measurement." || f.Date != "2026-12-01" || f.Experiment != "../ab" {
		t.Errorf("%v\n%s", problems, out)
	}
}

func TestCalibration(t *testing.T) {
	num := func(v float64) *float64 { return &v }
	of := func(low, high, measured *float64) *Finding {
		return &Finding{Status: Interpreted, Impact: Impact{DeltaWallclock: measured}, Prediction: Prediction{Quantity: "wallclock", Low: low, High: high}}
	}
	list := []*Finding{
		of(num(-6), num(-2), num(-4.5)), // inside, side right
		of(num(-6), num(-2), num(-1)),   // outside, side right
		of(num(-6), num(-2), num(1)),    // outside, side wrong
		of(nil, num(0), num(-3)),        // open, side right
		of(num(-1), num(1), num(.5)),    // inside, no side
		{Status: Predicted, Prediction: Prediction{Quantity: "psnr", Low: num(0)}},
		{Status: Retrospective, Impact: Impact{DeltaWallclock: num(5)}},
	}
	c := Calibrate(list)
	if len(c.Judgements) != 5 || c.Inside != 3 || c.Sided != 4 || c.Sign != 3 || len(c.Open) != 1 {
		t.Errorf("%d judged, %d inside, %d with a side, %d right, %d open; expected 5, 3, 4, 3, 1", len(c.Judgements), c.Inside, c.Sided, c.Sign, len(c.Open))
	}
}

func FuzzReadExperiment(f *testing.F) {
	f.Add(record)
	f.Add(`{"ab":1,"plan":{"values":["",""]},"analysis":{"quantities":[{}],"kernels":{},"arms":[{},{}]}}`)
	f.Fuzz(func(t *testing.T, s string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ExperimentFile), []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
		e, err := ReadExperiment(dir)
		if err != nil {
			return
		}
		// Whatever a record says, what is made of it is a finding that can be read.
		out, err := Fill("a.md", New("a", "A", "2026-01-01"), e, "x")
		if err != nil {
			t.Fatal(err)
		}
		if _, problems := Parse("a.md", []byte(out)); len(problems) > 0 {
			t.Fatalf("%v in\n%s", problems, out)
		}
	})
}
