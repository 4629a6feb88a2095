package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"path/filepath"
	"strings"

	"splat/internal/finding"
)

//go:embed pages
var pageFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"lower": strings.ToLower, "number": number, "signed": signed, "seconds": seconds, "grouped": grouped, "base": filepath.Base, "join": strings.Join,
	"rank":   func(i int) int { return i + 1 },
	"amount": func(v float64) string { return fmt.Sprintf("%.4g", v) },
	"height": func(rows int) int { return 64 + 26*rows }, // of a chart of intervals, in pixels
	"share":  func(v float64) string { return fmt.Sprintf("%.1f", v) },
}).ParseFS(pageFiles, "pages/*.gohtml"))

// page is what the frame of all pages needs.
type page struct {
	Title  string
	Root   string // the way to the site's folder: "" or "../"
	At     string // the part of the site: index, run, finding, experiment, calibration
	Charts []chart
	Body   any
}

// render writes a page from the template of its part.
func (b *builder) render(name string, p page) error {
	if strings.Contains(name, "/") {
		p.Root = "../"
	}
	if p.Charts == nil {
		p.Charts = []chart{}
	}
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, p.At+".gohtml", p); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	return b.write(name, out.Bytes())
}

// runPage is the body of a run's page.
type runPage struct {
	*Run
	Facts    []pair
	Config   string
	Strategy string
	Findings []*finding.Finding // that name it
	Kernels  []kernelShare
	Pictures []pictureRow
	Missing  []string
}

func (b *builder) runPages() error {
	for i, r := range b.site.Runs {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		p := runPage{Run: r, Facts: r.facts, Config: r.config, Strategy: r.strategy, Kernels: r.kernels, Missing: r.Missing}
		for _, f := range b.shown() {
			for _, name := range f.Related.Runs {
				if b.runNamed(name) == b.runs[i] {
					p.Findings = append(p.Findings, f)
				}
			}
		}
		var err error
		var note string
		if p.Pictures, note, err = b.pictures(r, strings.TrimSuffix(filepath.Base(b.runs[i].Page), ".html")); err != nil {
			return err
		}
		if note != "" {
			p.Missing = append(p.Missing, note)
		}
		if err := b.render(b.runs[i].Page, page{Title: r.Name, At: "run", Charts: runCharts(r), Body: p}); err != nil {
			return err
		}
		b.done.Runs++
	}
	return nil
}

// experimentPage is the body of an experiment's page.
type experimentPage struct {
	Name, Page string
	E          *finding.Experiment
}

func (b *builder) experimentPages() error {
	taken := map[string]bool{}
	for _, dir := range b.site.Experiments {
		p, ok := b.experiment(dir, taken)
		if !ok {
			continue
		}
		b.experiments = append(b.experiments, p)
		if err := b.render(p.Page, page{Title: p.E.Key, At: "experiment", Charts: intervalCharts(p.E), Body: p}); err != nil {
			return err
		}
		b.done.Experiments++
	}
	return nil
}

// findingPage is the body of a finding's page.
type findingPage struct {
	*finding.Finding
	Text     map[string]template.HTML
	Runs     []link
	Others   []link
	E        *finding.Experiment // nil where none is linked, or it cannot be read
	Missing  []string
	Judgment *finding.Judgement
}

func (b *builder) findingPages() error {
	for _, f := range b.shown() {
		p := findingPage{Finding: f, Text: map[string]template.HTML{}}
		for _, name := range finding.Sections {
			html, err := f.HTML(name, b.resolve)
			if err != nil {
				return fmt.Errorf("%s: %w", f.File, err)
			}
			p.Text[name] = html
		}
		b.relate(&p)
		var charts []chart
		if p.E != nil {
			charts = intervalCharts(p.E)
		}
		if j := finding.Calibrate([]*finding.Finding{f}).Judgements; len(j) == 1 {
			p.Judgment = &j[0]
		}
		if err := b.render("findings/"+f.ID+".html", page{Title: f.Title, At: "finding", Charts: charts, Body: p}); err != nil {
			return err
		}
		b.done.Findings++
	}
	return nil
}

// relate fills in what a finding refers to.
func (b *builder) relate(p *findingPage) {
	for _, name := range p.Related.Runs {
		p.Runs = append(p.Runs, b.runNamed(name))
	}
	for _, id := range p.Related.Findings {
		l := link{Name: id}
		if f := b.site.Findings.Find(id); f != nil && b.findings[id] {
			l = link{f.Title, id + ".html"}
		} else {
			p.Missing = append(p.Missing, "the related finding "+id+" is not there")
		}
		p.Others = append(p.Others, l)
	}
	if p.Experiment == "" {
		return
	}
	e, err := p.ReadExperiment()
	if err != nil {
		p.Missing = append(p.Missing, "the experiment "+p.Experiment+" cannot be read: no intervals")
		return
	}
	p.E = e
}

// resolve is where a link in a finding's text leads: to other findings and to the web.
func (b *builder) resolve(dest string) string {
	if strings.HasPrefix(dest, "https://") || strings.HasPrefix(dest, "http://") || strings.HasPrefix(dest, "mailto:") {
		return dest
	}
	if id, ok := strings.CutSuffix(dest, ".md"); ok && b.findings[strings.TrimPrefix(id, "./")] {
		return strings.TrimPrefix(id, "./") + ".html"
	}
	return ""
}

// calibrationBody is the body of the calibration page.
type calibrationBody struct {
	finding.Calibration
	Parts []calibrationPart
}

// calibrationPart is the predictions of one quantity.
type calibrationPart struct {
	Title, Unit, Chart string
	Rows               []finding.Judgement
}

func (b *builder) calibrationPage() error {
	body := calibrationBody{Calibration: finding.Calibrate(b.shown())}
	var charts []chart
	for _, q := range []calibrationPart{
		{Title: "Time", Unit: "%", Chart: "calibration-wallclock"}, {Title: "PSNR", Unit: "dB", Chart: "calibration-psnr"},
	} {
		for _, j := range body.Judgements {
			if "calibration-"+j.Finding.Prediction.Quantity == q.Chart {
				q.Rows = append(q.Rows, j)
			}
		}
		if len(q.Rows) > 0 {
			body.Parts = append(body.Parts, q)
			charts = append(charts, calibrationChart(q))
		}
	}
	return b.render("calibration.html", page{Title: "Calibration", At: "calibration", Charts: charts, Body: body})
}

// indexBody is the body of the first page.
type indexBody struct {
	Findings    []*finding.Finding
	Runs        []indexRun
	Experiments []experimentPage
	Calibration finding.Calibration
	Notes       []string
}

type indexRun struct {
	*Run
	Page, Strategy string
	CaptureName    string
	MSPerStep      *float64
}

func (b *builder) indexPage() error {
	body := indexBody{Findings: b.shown(), Experiments: b.experiments, Calibration: finding.Calibrate(b.shown()), Notes: b.notes}
	for i, r := range b.site.Runs {
		row := indexRun{Run: r, Page: b.runs[i].Page, Strategy: r.strategy}
		if r.Capture != "" {
			row.CaptureName = filepath.Base(r.Capture)
		}
		if r.Result.TrainSeconds != nil && r.Result.Steps != nil && *r.Result.Steps > 0 {
			v := 1000 * *r.Result.TrainSeconds / float64(*r.Result.Steps)
			row.MSPerStep = &v
		}
		body.Runs = append(body.Runs, row)
	}
	return b.render("index.html", page{Title: "Runs and findings", At: "index", Body: body})
}
