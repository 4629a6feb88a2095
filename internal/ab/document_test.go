package ab

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splat/internal/fault"
	"splat/internal/lab"
)

func samplesOf(p Plan) []Sample {
	s := simulate(p, rand.New(rand.NewPCG(1, 2)), noises["normal"], 1, [2]map[string]float64{stepOf(0.002), stepOf(0.003)})
	for i := range s {
		s[i].At = time.Unix(int64(i), 0).UTC()
		s[i].PSNR, s[i].SSIM = lab.Score(30), lab.Score(0.9)
	}
	return s
}

func TestADocumentCanBeReadAgain(t *testing.T) {
	p := planOf(Separate)
	p.Changed = []string{"k a -> b"}
	d := &Document{Version: Version, Plan: p, Complete: true, Notes: []string{}, Runs: samplesOf(p)}
	d.Analysis = Analyse(p, d.Runs)
	dir := t.TempDir()
	if err := d.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, got); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

// TestAnEmptyAnalysisIsJSON: no NaN or infinity gets into a document.
func TestAnEmptyAnalysisIsJSON(t *testing.T) {
	for _, n := range []int{0, 1, 3, 5} {
		p := planOf(Same)
		if _, err := json.Marshal(Analyse(p, samplesOf(p)[:n])); err != nil {
			t.Errorf("%d runs: %v", n, err)
		}
	}
}

func TestDamagedDocuments(t *testing.T) {
	p := planOf(None)
	good := &Document{Version: Version, Plan: p, Runs: samplesOf(p)}
	for want, damage := range map[string]func(d *Document){
		"ab: found version 2, expected 1":     func(d *Document) { d.Version = 2 },
		"found 0 pairs":                       func(d *Document) { d.Plan.Pairs = 0 },
		"found 11 pairs, and 2000 of A":       func(d *Document) { d.Plan.Floor = 2000 },
		"found level 1, expected":             func(d *Document) { d.Plan.Level = 1 },
		`kernel_times: found "all"`:           func(d *Document) { d.Plan.Kernels = "all" },
		"run 3: found 0 steps":                func(d *Document) { d.Runs[2].Steps = 0 },
		"run 4: found A against A, pair 1":    func(d *Document) { d.Runs[3].Role = d.Runs[2].Role },
		"pair 12, B, expected a run of the p": func(d *Document) { d.Runs[45].Pair, d.Runs[45].Role = 12, BRole },
	} {
		d := *good
		d.Runs = append([]Sample{}, good.Runs...)
		damage(&d)
		dir := t.TempDir()
		if err := d.Write(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), DocumentFile) {
			t.Errorf("found %v, expected %q", err, want)
		}
	}
	dir := t.TempDir()
	if _, err := Read(dir); fault.ExitCode(err) != 3 {
		t.Errorf("no document: found %v", err)
	}
}

func journalOf(t *testing.T, p Plan, samples []Sample) string {
	t.Helper()
	dir := t.TempDir()
	j, err := NewJournal(dir, p, lab.Origin{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		if err := j.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAJournalThatWasBrokenOff(t *testing.T) {
	p := planOf(None)
	all := samplesOf(p)
	dir := journalOf(t, p, all[:5])
	path := filepath.Join(dir, JournalFile)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"phase":"floor","pa`)
	f.Close()

	j, plan, origin, done, err := Reopen(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, plan); diff != "" || origin.Seed != 7 {
		t.Errorf("plan (-want +got):\n%s, origin %+v", diff, origin)
	}
	if diff := cmp.Diff(all[:5], done); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	again := all[4] // made anew, since its pair was not whole
	again.Seconds = 99
	if err := j.Add(again); err != nil {
		t.Fatal(err)
	}
	j.Close()
	_, _, _, done, err = Reopen(dir)
	if err != nil || len(done) != 5 || done[4].Seconds != 99 {
		t.Errorf("after going on: %d runs, %v", len(done), err)
	}
}

func TestJournalErrors(t *testing.T) {
	if _, _, _, _, err := Reopen(t.TempDir()); fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), "splat ab --out") {
		t.Errorf("an empty folder: found %v", err)
	}
	p := planOf(None)
	dir := journalOf(t, p, samplesOf(p)[:2])
	if _, err := NewJournal(dir, p, lab.Origin{}); err == nil {
		t.Error("a second journal in the same folder")
	}
	path := filepath.Join(dir, JournalFile)
	text, _ := os.ReadFile(path)
	for name, damaged := range map[string][]byte{
		":3: ":          bytes.Replace(text, []byte("}\n{\"phase\":\"warm-up\",\"pair\":0,\"role\":\"B\""), []byte("}\n{\"phase\":1"), 1),
		":1: ":          bytes.Replace(text, []byte(`{"ab":1`), []byte(`{"ab":9`), 1),
		"found no plan": text[:20],
	} {
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, _, _, err := Reopen(dir); fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), name) {
			t.Errorf("found %v, expected %q", err, name)
		}
	}
}

func FuzzJournal(f *testing.F) {
	p := planOf(Same)
	head, _ := json.Marshal(head{Version, p, lab.Origin{}})
	run, _ := json.Marshal(samplesOf(p)[0])
	f.Add([]byte(string(head) + "\n" + string(run) + "\n"))
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"ab":1,"plan":{"pairs":1000000000}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, done, end, err := readJournal("j", bytes.NewReader(text))
		if err != nil {
			return
		}
		if end > int64(len(text)) {
			t.Fatal("the end is beyond the text")
		}
		if h.Plan.check("j", done) == nil {
			Analyse(h.Plan, done)
		}
	})
}
