// Package report makes a static site of runs, experiments and findings: pages with
// tables, charts and pictures that work from a folder, without a server or a network.
// It reads what is there: folders of older versions and of other programs too. What
// is missing is said on the page.
package report

import (
	"context"
	"embed"
	"os"
	"path"
	"path/filepath"
	"strings"

	"splat/internal/fault"
	"splat/internal/finding"
)

//go:embed assets
var assets embed.FS

// The version of the charts' library and the hashes of its files as npm delivers them
// (uplot@1.6.32, MIT).
const (
	chartVersion = "1.6.32"
	chartScript  = "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f" // uPlot.iife.min.js
	chartStyle   = "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04" // uPlot.min.css
)

// Site is what a report shows.
type Site struct {
	Runs        []*Run
	Experiments []string        // folders with an ab.json
	Findings    *finding.Folder // nil where there are none
	// Views hands test views of a run to emit, and returns why there are none, or not
	// all; nil: no run has pictures. An error ends the report.
	Views func(ctx context.Context, r *Run, emit func(View) error) (note string, err error)
}

// Summary is what was written.
type Summary struct {
	Out         string `json:"out"`
	Index       string `json:"index"`
	Runs        int    `json:"runs"`
	Findings    int    `json:"findings"`
	Experiments int    `json:"experiments"`
	Pictures    int    `json:"pictures"` // views that are shown
}

// Write makes the report in the folder out, in the place of an earlier one. Check says
// whether it may. On an error the earlier one stays.
func Write(ctx context.Context, out string, s Site) (Summary, error) {
	st, err := stage(out)
	if err != nil {
		return Summary{}, err
	}
	defer st.drop()
	b := &builder{site: s, staging: st, ctx: ctx}
	for _, step := range []func() error{b.assets, b.plan, b.runPages, b.experimentPages, b.findingPages, b.calibrationPage, b.indexPage, st.publish} {
		if err := ctx.Err(); err != nil {
			return Summary{}, err
		}
		if err := step(); err != nil {
			return Summary{}, err
		}
	}
	b.done.Out, b.done.Index = st.out, filepath.Join(st.out, "index.html")
	return b.done, nil
}

// builder makes the pages.
type builder struct {
	*staging
	ctx         context.Context // of one call of Write
	site        Site
	runs        []link // in the order of site.Runs
	experiments []experimentPage
	findings    map[string]bool // ids with a page
	notes       []string        // of what is left out
	done        Summary
}

func (b *builder) assets() error {
	entries, err := assets.ReadDir("assets")
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := assets.ReadFile("assets/" + e.Name())
		if err != nil {
			return err
		}
		if err := b.write("assets/"+e.Name(), text); err != nil {
			return err
		}
	}
	return nil
}

// link is a page as others refer to it.
type link struct{ Name, Page string }

// plan gives each page its name, so that pages can refer to each other.
func (b *builder) plan() error {
	taken := map[string]bool{}
	for _, r := range b.site.Runs {
		b.runs = append(b.runs, link{r.Name, "runs/" + pageName(r.Name, taken) + ".html"})
	}
	b.findings = map[string]bool{}
	for _, f := range b.allFindings() {
		if f.ID == "" || b.findings[f.ID] {
			b.notes = append(b.notes, filepath.Base(f.File)+": not shown: it has no id of its own")
			continue
		}
		b.findings[f.ID] = true
	}
	if b.site.Findings != nil {
		for _, p := range b.site.Findings.Problems {
			p.File = filepath.Base(p.File)
			b.notes = append(b.notes, p.String())
		}
	}
	return nil
}

func (b *builder) allFindings() []*finding.Finding {
	if b.site.Findings == nil {
		return nil
	}
	return b.site.Findings.Findings
}

// shown are the findings that have a page.
func (b *builder) shown() (list []*finding.Finding) {
	seen := map[string]bool{}
	for _, f := range b.allFindings() {
		if b.findings[f.ID] && !seen[f.ID] {
			seen[f.ID] = true
			list = append(list, f)
		}
	}
	return list
}

// pageName makes a name that is good for files and links of any, and that is not
// taken, also where case does not count.
func pageName(name string, taken map[string]bool) string {
	base := strings.Map(func(r rune) rune {
		if r < 128 && (r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, name)
	base = base[:min(len(base), 100)]
	if strings.Trim(base, "._") == "" {
		base = "run"
	}
	unique := base
	for n := 2; taken[strings.ToLower(unique)]; n++ {
		unique = base + "-" + itoa(n)
	}
	taken[strings.ToLower(unique)] = true
	return unique
}

// runNamed finds the page of a run that a finding names, by its name or its folder's.
func (b *builder) runNamed(name string) link {
	for _, l := range b.runs {
		if l.Name == name || path.Base(l.Name) == path.Base(filepath.ToSlash(name)) {
			return l
		}
	}
	return link{Name: name}
}

// experiment reads an experiment's record and gives it a page.
func (b *builder) experiment(dir string, taken map[string]bool) (experimentPage, bool) {
	e, err := finding.ReadExperiment(dir)
	if err != nil {
		b.notes = append(b.notes, err.Error())
		return experimentPage{}, false
	}
	name := filepath.Base(dir)
	return experimentPage{Name: name, Page: "experiments/" + pageName(name, taken) + ".html", E: e}, true
}

// Open reads the site of a folder of runs and a folder of findings; "" leaves one out.
func Open(runs, findings string) (Site, error) {
	var s Site
	var err error
	if runs != "" {
		if s.Runs, s.Experiments, err = FindRuns(runs); err != nil {
			return s, err
		}
	}
	if findings != "" {
		if info, statErr := os.Stat(findings); statErr == nil && !info.IsDir() {
			return s, fault.Dataf("%s: found a file, expected a folder of findings", findings)
		}
		s.Findings, err = finding.ReadFolder(findings)
	}
	return s, err
}
