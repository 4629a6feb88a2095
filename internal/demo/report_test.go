package demo

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sample is a report with two views of 3x2 pixels.
func sample() Report {
	view := func(name string, shade float32) ViewReport {
		v := ViewReport{Name: name, Width: 3, Height: 2, PSNR: 31.25, SSIM: 0.9375}
		for i := range 18 {
			v.Truth = append(v.Truth, float32(i)/18)
			v.Render = append(v.Render, shade)
		}
		return v
	}
	r := Report{
		Title: "splat demo", Capture: "out/capture", Model: "out/splats.ply",
		Device: "Some CPU", Backend: "cpu", Steps: 1500, Splats: 12345,
		TrainSeconds: 21.42, WallSeconds: 27.96, PSNR: 31.256, SSIM: 0.95321, ForegroundPSNR: 26.5,
		Views:    []ViewReport{view("r_0", 0.25), view("r_1", 0.75)},
		Commands: []Command{{"Turn it around.", "splat view 'out/splats.ply' && echo <done>"}},
	}
	for i := range 400 {
		r.LossCurve = append(r.LossCurve, LossPoint{4 * i, 0.3*math.Exp(-float64(i)/80) + 0.02})
	}
	return r
}

// write writes the report and returns the page.
func write(t *testing.T, r Report) string {
	t.Helper()
	dir := t.TempDir()
	if err := WriteReport(dir, r); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// elements parses the page as strictly as XML demands.
func elements(t *testing.T, page string) (all []xml.StartElement, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	var words strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, words.String()
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			all = append(all, token.Copy())
		case xml.CharData:
			words.Write(token)
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func TestReportShowsEveryFigure(t *testing.T) {
	_, text := elements(t, write(t, sample()))
	for _, want := range []string{"31.26 dB", "0.9532", "26.50 dB", "12\u2009345", "1\u2009500", "21.4 s", "28.0 s", "Some CPU",
		"out/capture", "out/splats.ply", "splat viewer", "r_0", "r_1", "PSNR 31.25 dB", "SSIM 0.9375",
		"splat view 'out/splats.ply' && echo <done>", "Loss"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestReportEmbedsThePictures(t *testing.T) {
	r := sample()
	all, _ := elements(t, write(t, r))
	var pictures [][]byte
	for _, e := range all {
		if e.Name.Local != "img" {
			continue
		}
		data, found := strings.CutPrefix(attribute(e, "src"), "data:image/png;base64,")
		raw, err := base64.StdEncoding.DecodeString(data)
		if !found || err != nil {
			t.Fatalf("not an embedded PNG: %.60s (%v)", attribute(e, "src"), err)
		}
		pictures = append(pictures, raw)
	}
	if len(pictures) != 3*len(r.Views) {
		t.Fatalf("%d pictures, want %d", len(pictures), 3*len(r.Views))
	}
	for i, raw := range pictures {
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil || img.Bounds().Dx() != 3 || img.Bounds().Dy() != 2 {
			t.Fatalf("picture %d: %v, %v", i, img, err)
		}
		view := r.Views[i/3]
		values := [][]float32{view.Truth, view.Render, nil}[i%3]
		for p := 0; p < len(values); p += 3 {
			red, _, blue, alpha := img.At(p/3%3, p/9).RGBA()
			if uint8(red>>8) != byteOf(float64(values[p])) || uint8(blue>>8) != byteOf(float64(values[p+2])) || alpha != 0xffff {
				t.Errorf("picture %d, pixel %d: %v", i, p/3, img.At(p/3%3, p/9))
			}
		}
	}
}

func TestReportLoadsNothing(t *testing.T) {
	page := write(t, sample())
	all, _ := elements(t, page)
	for _, e := range all {
		name := e.Name.Local
		if name == "script" || name == "iframe" || name == "object" {
			t.Errorf("the page holds a %s", name)
		}
		for _, key := range []string{"src", "srcset", "data"} {
			if v := attribute(e, key); v != "" && !strings.HasPrefix(v, "data:") {
				t.Errorf("%s loads %s", name, v)
			}
		}
		if name == "link" && attribute(e, "href") != "data:," {
			t.Errorf("the page links to %s", attribute(e, "href"))
		}
	}
	if regexp.MustCompile(`@import|url\(`).MatchString(page) {
		t.Error("the style sheet loads something")
	}
	for _, want := range []string{"prefers-color-scheme: dark", "width=device-width"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestReportEscapesNames(t *testing.T) {
	const evil = `"><script>alert(1)</script><b a='&amp;`
	r := sample()
	r.Title, r.Capture, r.Model, r.Device, r.Backend = evil, evil, evil, evil, evil
	r.Views[0].Name = evil
	r.Commands = []Command{{evil, evil}}
	page := write(t, r)
	if strings.Contains(page, "<script") || strings.Contains(page, "<b ") {
		t.Error("a name became markup")
	}
	all, text := elements(t, page)
	if n := strings.Count(text, evil); n < 7 {
		t.Errorf("the name is shown %d times only", n)
	}
	alts := 0
	for _, e := range all {
		if strings.Contains(attribute(e, "alt"), evil) {
			alts++
		}
	}
	if alts != 3 {
		t.Errorf("the name is in %d alternative texts, want 3", alts)
	}
}

func TestModelLinkIsRelativeAndASafeURL(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "splats.ply"):                    "splats.ply",
		filepath.Join(filepath.Dir(dir), "a b#c?.ply"):      "../a%20b%23c%3F.ply",
		filepath.Join(dir, "javascript:alert(1)"):           "./javascript:alert%281%29",
		filepath.Join(dir, "Dossiers triés", "画像", "1.ply"): "Dossiers%20tri%C3%A9s/%E7%94%BB%E5%83%8F/1.ply",
		"": "",
	} {
		if got := relativeLink(dir, path); got != want {
			t.Errorf("%s: link %q, want %q", path, got, want)
		}
	}
	r := sample()
	r.Model = filepath.Join(dir, "a b.ply")
	if err := WriteReport(dir, r); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), `href="a%20b.ply"`) {
		t.Error("the page does not link to the splat file")
	}
}

func TestReportRefusesViewsOfTheWrongSize(t *testing.T) {
	for _, spoil := range []func(*ViewReport){
		func(v *ViewReport) { v.Truth = v.Truth[1:] },
		func(v *ViewReport) { v.Render = nil },
		func(v *ViewReport) { v.Width = 0 },
		func(v *ViewReport) { v.Width, v.Height = -3, -2 },
	} {
		r := sample()
		spoil(&r.Views[1])
		dir := t.TempDir()
		err := WriteReport(dir, r)
		if err == nil || !strings.Contains(err.Error(), `view "r_1"`) {
			t.Errorf("%v, want an error that names the view", err)
		}
		if _, err := os.Stat(filepath.Join(dir, "index.html")); err == nil {
			t.Error("a page was written all the same")
		}
	}
}

func TestReportOfNothing(t *testing.T) {
	nan := math.NaN()
	page := write(t, Report{PSNR: nan, SSIM: nan, ForegroundPSNR: nan})
	_, text := elements(t, page)
	for _, unwanted := range []string{"NaN", "PSNR", "Loss", "Look at the splats", "Held out"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("an empty report speaks of %q", unwanted)
		}
	}
	if !strings.Contains(text, "splat demo") {
		t.Error("no heading")
	}
	if _, text := elements(t, write(t, Report{PSNR: math.Inf(1)})); !strings.Contains(text, "∞ dB") {
		t.Error("no sign for infinity")
	}
}

func TestHeatMapGrowsWithTheError(t *testing.T) {
	truth := []float32{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0}
	nan := float32(math.NaN())
	render := []float32{0, 0, 0, 0.03, 0.03, 0.03, 0.1, 0.1, 0.1, 0, 0, 0, nan, nan, nan}
	h := heatMap(truth, render)
	light := func(i int) float32 { return h[3*i] + h[3*i+1] + h[3*i+2] }
	if !(light(0) < light(1) && light(1) < light(2) && light(2) < light(3)) {
		t.Errorf("brightness %v %v %v %v", light(0), light(1), light(2), light(3))
	}
	if light(4) != light(0) {
		t.Error("NaN does not count as black")
	}
	for i, stop := range heatStops { // the legend is drawn with the same colours
		hex := "#"
		for _, c := range stop {
			hex += strconv.FormatInt(0x100+int64(c), 16)[1:]
		}
		if !strings.Contains(pageText, hex) {
			t.Errorf("stop %d, %s, is not in the legend", i, hex)
		}
	}
}

func TestCurveStaysInItsBox(t *testing.T) {
	point := regexp.MustCompile(`^-?[0-9.]+,-?[0-9.]+$`)
	for name, losses := range map[string][]float64{
		"falling":   {1, 0.5, 0.2, 0.1, 0.01},
		"constant":  {0.25, 0.25, 0.25},
		"zero":      {0, 0, 0},
		"negative":  {-1, 2, -3},
		"spoilt":    {math.NaN(), 1, math.Inf(1), 0.5, math.Inf(-1), 0.4},
		"huge":      {1e30, 1e-30, 3},
		"one value": {0.5, 0.5000001},
	} {
		var points []LossPoint
		for i, l := range losses {
			points = append(points, LossPoint{100 * i, l})
		}
		c := newCurve(points)
		if c == nil {
			t.Errorf("%s: no curve", name)
			continue
		}
		if len(c.X) < 2 || len(c.Y) < 1 || len(c.Y) > 12 {
			t.Errorf("%s: %d marks along x, %d along y", name, len(c.X), len(c.Y))
		}
		for _, p := range append(strings.Fields(c.Raw), strings.Fields(c.Smooth)...) {
			if !point.MatchString(p) {
				t.Fatalf("%s: point %q", name, p)
			}
			xs, ys, _ := strings.Cut(p, ",")
			x, _ := strconv.ParseFloat(xs, 64)
			y, _ := strconv.ParseFloat(ys, 64)
			if x < curveLeft || x > curveRight || y < curveTop || y > curveBottom {
				t.Errorf("%s: point %s lies outside", name, p)
			}
		}
	}
}

func TestCurveNeedsTwoSteps(t *testing.T) {
	for _, points := range [][]LossPoint{nil, {{1, 0.5}}, {{1, 0.5}, {1, 0.4}}, {{1, math.NaN()}, {2, 0.4}}} {
		if newCurve(points) != nil {
			t.Errorf("a curve of %v", points)
		}
	}
}

func TestThinKeepsTheMean(t *testing.T) {
	var points []LossPoint
	for i := range 1000 {
		points = append(points, LossPoint{i, float64(i % 2)})
	}
	thinned := thin(points, 100)
	if len(thinned) != 100 {
		t.Fatalf("%d points", len(thinned))
	}
	for i, p := range thinned {
		if p.Loss != 0.5 || p.Step/10 != i {
			t.Errorf("point %d is %v", i, p)
		}
	}
}

func TestTicksAreRound(t *testing.T) {
	got := newScale(0.02, 0.3).ticks()
	var labels []string
	for _, k := range got {
		labels = append(labels, k.Label)
	}
	if s := strings.Join(labels, " "); s != "0.02 0.05 0.1 0.2" {
		t.Errorf("ticks %q", s)
	}
	var steps []string
	for _, k := range stepTicks(0, 1500, func(v float64) float64 { return v }) {
		steps = append(steps, k.At)
	}
	if s := strings.Join(steps, " "); s != "0.0 500.0 1000.0 1500.0" {
		t.Errorf("steps %q", s)
	}
}
