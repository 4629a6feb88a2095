package demo

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"splat/internal/atomicfile"
)

// Report is what the page about a run shows. Empty strings, zero times and
// figures that are NaN are left out.
type Report struct {
	Title   string // heading; default "splat demo"
	Capture string // folder of the capture
	Model   string // path of the splat file; linked relative to the page where it can be

	Device  string // e.g. "NVIDIA H200"
	Backend string // e.g. "vulkan"
	Steps   int
	Splats  int

	TrainSeconds, WallSeconds float64

	// Means over the test views: dB, 0..1, dB over the pixels with true alpha > 0.
	PSNR, SSIM, ForegroundPSNR float64

	Views     []ViewReport
	LossCurve []LossPoint // in the order of steps
	Commands  []Command   // what the user may run next
}

// ViewReport is one test view: the true picture, composited on the run's
// background, and the render, both RGB of 3*Width*Height sRGB values 0..1.
type ViewReport struct {
	Name          string
	Width, Height int
	Truth, Render []float32
	PSNR, SSIM    float64
}

// LossPoint is one point of the loss curve.
type LossPoint struct {
	Step int
	Loss float64
}

// Command is a command line with what it does.
type Command struct{ Does, Line string }

//go:embed report.gohtml
var pageText string

var page = template.Must(template.New("report").Parse(pageText))

// WriteReport writes dir/index.html: one file without scripts that needs no
// other file and no network, pictures and curve embedded.
func WriteReport(dir string, r Report) error {
	doc, err := newDocument(dir, r)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	var buf bytes.Buffer
	if err := page.Execute(&buf, doc); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return atomicfile.WriteBytes(filepath.Join(dir, "index.html"), buf.Bytes())
}

// document is what the template shows; everything is text already.
type document struct {
	Title, Capture, Model, ModelLink string

	Headline []figure // the three that matter
	Facts    []figure
	Views    []viewSection
	Curve    *curve
	Commands []Command
	HeatEnd  string // the error at the bright end of the scale, of 255
}

// figure is a labelled number.
type figure struct{ Label, Value, Unit string }

// viewSection is one test view with its pictures as data URIs.
type viewSection struct {
	Name                 string
	Width, Height        int
	PSNR, SSIM           string
	Truth, Render, Error template.URL
}

func newDocument(dir string, r Report) (*document, error) {
	doc := &document{
		Title:     r.Title,
		Capture:   r.Capture,
		Model:     r.Model,
		ModelLink: relativeLink(dir, r.Model),
		Headline: figures(
			figure{"PSNR", fixed(r.PSNR, 2), "dB"},
			figure{"SSIM", fixed(r.SSIM, 4), ""},
			figure{"Foreground PSNR", fixed(r.ForegroundPSNR, 2), "dB"},
		),
		Facts:    facts(r),
		Curve:    newCurve(r.LossCurve),
		Commands: r.Commands,
		HeatEnd:  strconv.Itoa(int(math.Round(heatRange * 255))),
	}
	if doc.Title == "" {
		doc.Title = "splat demo"
	}
	for _, v := range r.Views {
		section, err := newViewSection(v)
		if err != nil {
			return nil, fmt.Errorf("view %q: %w", v.Name, err)
		}
		doc.Views = append(doc.Views, section)
	}
	return doc, nil
}

func facts(r Report) []figure {
	return figures(
		figure{"Splats", grouped(r.Splats), ""},
		figure{"Steps", grouped(r.Steps), ""},
		figure{"Training", seconds(r.TrainSeconds), "s"},
		figure{"In all", seconds(r.WallSeconds), "s"},
		figure{"Device", r.Device, ""},
		figure{"Backend", r.Backend, ""},
	)
}

// figures keeps those that have a value.
func figures(all ...figure) []figure {
	var kept []figure
	for _, f := range all {
		if f.Value != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

func newViewSection(v ViewReport) (viewSection, error) {
	n := 3 * v.Width * v.Height
	if v.Width <= 0 || v.Height <= 0 || len(v.Truth) != n || len(v.Render) != n {
		return viewSection{}, fmt.Errorf("%d true and %d rendered values for %dx%d pixels, expected 3 a pixel",
			len(v.Truth), len(v.Render), v.Width, v.Height)
	}
	s := viewSection{Name: v.Name, Width: v.Width, Height: v.Height, PSNR: fixed(v.PSNR, 2), SSIM: fixed(v.SSIM, 4)}
	for _, p := range []struct {
		uri    *template.URL
		values []float32
	}{
		{&s.Truth, v.Truth},
		{&s.Render, v.Render},
		{&s.Error, heatMap(v.Truth, v.Render)},
	} {
		uri, err := dataURI(p.values, v.Width, v.Height)
		if err != nil {
			return s, err
		}
		*p.uri = uri
	}
	return s, nil
}

// relativeLink returns the URL of path as seen from dir, "" where there is none.
func relativeLink(dir, path string) string {
	if path == "" {
		return ""
	}
	from, err1 := filepath.Abs(dir)
	to, err2 := filepath.Abs(path)
	if err1 != nil || err2 != nil {
		return ""
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return ""
	}
	return (&url.URL{Path: filepath.ToSlash(rel)}).String()
}

// fixed formats v with n decimals; "" for what is no number.
func fixed(v float64, n int) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.IsInf(v, 0):
		return "∞"
	}
	return strconv.FormatFloat(v, 'f', n, 64)
}

func seconds(v float64) string {
	if !(v > 0) {
		return ""
	}
	return fixed(v, 1)
}

// grouped writes a count with a thin space between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteRune('\u2009')
		}
		b.WriteRune(c)
	}
	return b.String()
}
