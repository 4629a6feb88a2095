package finding

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Check returns all that is wrong with the findings of a folder, in the order of
// files and lines: their form, what is missing at their state, what disagrees with
// other findings, with the experiment that they link to and, where runs names a
// folder, with the runs in it.
func (f *Folder) Check(runs string) []Problem {
	problems := slices.Clone(f.Problems)
	for _, one := range f.Findings {
		c := &checker{f: one}
		c.complete()
		c.order()
		c.others(f)
		c.runs(runs)
		c.experiment()
		problems = append(problems, c.problems...)
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		return a.Line - b.Line
	})
	return problems
}

// checker collects what is wrong with one finding, beyond its form.
type checker struct {
	f        *Finding
	problems []Problem
}

// at reports a problem at a key or a section.
func (c *checker) at(key, format string, args ...any) {
	line := c.f.lines[key]
	if s, ok := c.f.sections[key]; ok {
		line = s.line
	}
	c.problems = append(c.problems, Problem{c.f.File, line, key + ": " + fmt.Sprintf(format, args...)})
}

// has reports whether a key was given a value that can be read; without it, that is a
// problem already.
func (c *checker) has(key string) bool { return c.f.lines[key] != 0 && !c.f.bad[key] }

// need wants a text; where says from which state on.
func (c *checker) need(key, value, where string) {
	if value == "" && c.has(key) {
		c.at(key, "found nothing, expected a value%s", where)
	}
}

// complete looks for what must be there at the finding's state.
func (c *checker) complete() {
	f := c.f
	if name := strings.TrimSuffix(filepath.Base(f.File), ".md"); f.ID != "" && f.ID != name {
		c.at("id", "found %q, expected %q, the name of the file", f.ID, name)
	}
	for _, k := range []struct{ key, value string }{
		{"title", f.Title}, {"subtitle", f.Subtitle}, {"eyebrow", f.Eyebrow}, {"date", f.Date}, {"status", f.Status},
		{"category", f.Category}, {"cost", f.Cost}, {"risk", f.Risk},
	} {
		c.need(k.key, k.value, "")
	}
	if f.Status == "" {
		return
	}
	if len(f.Axes) == 0 && c.has("axes") {
		c.at("axes", "found nothing, expected at least one word")
	}
	c.section("Hypothesis", Hypothesis)
	c.section("Prediction", Predicted)
	c.section("Measurement", Measured)
	c.section("Interpretation", Interpreted)
	if f.Status != Retrospective {
		c.section("Correction", Corrected)
	}
	c.outcome()
}

func (c *checker) section(name, from string) {
	if c.f.sections[name].line != 0 && c.f.reaches(from) && c.f.Text(name) == "" {
		c.at(name, "found no text, expected some: the status is %s", c.f.Status)
	}
}

// outcome looks for what a measured finding says about its measurement.
func (c *checker) outcome() {
	f := c.f
	if !f.Done() {
		return
	}
	where := ": the status is " + f.Status
	c.need("polarity", f.Polarity, where)
	c.need("impact.verdict", f.Impact.Verdict, where)
	if f.Impact.DeltaPSNR == nil && f.Impact.DeltaWallclock == nil && c.has("impact.delta_psnr") && c.has("impact.delta_wallclock") {
		c.at("impact", "found neither delta_psnr nor delta_wallclock, expected a number for one of them%s", where)
	}
	if f.reaches(Interpreted) {
		c.need("impact.summary", f.Impact.Summary, where)
		c.need("confidence", f.Confidence, where)
	}
	switch {
	case f.Status == Corrected && f.First == nil && c.has("first_reading"):
		c.at("first_reading", "found nothing, expected summary, verdict and deltas as they were before the correction")
	case f.Status == Corrected && f.First != nil:
		c.need("first_reading.summary", f.First.Summary, "")
		c.need("first_reading.verdict", f.First.Verdict, "")
	case f.Status != Corrected && f.First != nil:
		c.at("first_reading", "found a first reading, expected null: the status is %s, not corrected", f.Status)
	}
}

// order wants the prediction before the measurement.
func (c *checker) order() {
	f := c.f
	p := f.Prediction
	if p.Low != nil && p.High != nil && *p.Low > *p.High {
		c.at("prediction.low", "found %v above high %v, expected low <= high", *p.Low, *p.High)
	}
	switch {
	case f.Status == "":
	case f.Status == Retrospective:
		c.unpredicted()
	case f.reaches(Predicted):
		c.predicted()
	}
	if f.Status == "" || f.Done() {
		return
	}
	where := ": the status is " + f.Status + ", and a prediction comes before its measurement"
	for key, v := range map[string]*float64{"impact.delta_psnr": f.Impact.DeltaPSNR, "impact.delta_wallclock": f.Impact.DeltaWallclock} {
		if v != nil {
			c.at(key, "found %v, expected null%s", *v, where)
		}
	}
	if f.Impact.Verdict != "" {
		c.at("impact.verdict", "found %q, expected nothing%s", f.Impact.Verdict, where)
	}
	if f.Text("Measurement") != "" {
		c.at("Measurement", "found text, expected none%s", where)
	}
}

func (c *checker) unpredicted() {
	p := c.f.Prediction
	if p.Written != "" || p.Text != "" || p.Quantity != "" || p.Low != nil || p.High != nil {
		c.at("prediction", "found a prediction, expected none: the status is %s, for measurements from before there were predictions", Retrospective)
	}
}

func (c *checker) predicted() {
	p := c.f.Prediction
	where := ": the status is " + c.f.Status
	c.need("prediction.written", p.Written, where)
	c.need("prediction.text", p.Text, where)
	c.need("prediction.quantity", p.Quantity, where)
	if p.Low == nil && p.High == nil && c.has("prediction.low") {
		c.at("prediction.low", "found neither low nor high, expected an interval, or one bound%s", where)
	}
	if c.f.Date != "" && p.Written > c.f.Date {
		c.at("prediction.written", "found %s, expected a day up to %s, the date of the measurement", p.Written, c.f.Date)
	}
	if c.f.Done() && p.Quantity != "" && c.f.Measurement() == nil && c.has("impact.delta_"+p.Quantity) {
		c.at("impact", "found no delta_%s, expected what was predicted to be measured", p.Quantity)
	}
}

// others looks for the findings that are named, and for others of the same id.
func (c *checker) others(folder *Folder) {
	for _, id := range c.f.Related.Findings {
		switch {
		case id == c.f.ID:
			c.at("related.findings", "found %q, the finding itself, expected others", id)
		case folder.Find(id) == nil:
			c.at("related.findings", "found %q, expected the id of a finding in %s", id, folder.Dir)
		}
	}
	for _, other := range folder.Findings {
		if other == c.f {
			return
		}
		if other.ID == c.f.ID && c.f.ID != "" {
			c.at("id", "found %q again, the first is in %s; expected an id of its own", c.f.ID, other.File)
			return
		}
	}
}

func (c *checker) runs(dir string) {
	if dir == "" {
		return
	}
	for _, name := range c.f.Related.Runs {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || !info.IsDir() || !filepath.IsLocal(filepath.FromSlash(name)) {
			c.at("related.runs", "found %q, expected the name of a run in %s", name, dir)
		}
	}
}

// experiment compares the facts with the experiment that they come from.
func (c *checker) experiment() {
	f := c.f
	if f.Experiment == "" {
		return
	}
	e, err := f.ReadExperiment()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.at("experiment", "found %q, expected a folder with %s", f.Experiment, ExperimentFile)
		return
	case err != nil:
		c.at("experiment", "%v", err)
		return
	case !f.Done():
		c.at("experiment", "found %q, expected nothing: the status is %s, and a prediction comes before its measurement", f.Experiment, f.Status)
		return
	}
	c.equal("impact.delta_wallclock", f.Impact.DeltaWallclock, e.DeltaWallclock)
	c.equal("impact.delta_psnr", f.Impact.DeltaPSNR, e.DeltaPSNR)
	if e.Verdict != "" && f.Impact.Verdict != e.Verdict {
		c.at("impact.verdict", "found %q, expected %q as in %s", f.Impact.Verdict, e.Verdict, e.File)
	}
	if e.Date != "" && f.Prediction.Written > e.Date {
		c.at("prediction.written", "found %s, expected a day up to %s, that of the experiment", f.Prediction.Written, e.Date)
	}
}

// equal wants a number to be the experiment's, at the digits that it is written with.
func (c *checker) equal(key string, have, want *float64) {
	switch {
	case !c.has(key) || want == nil:
	case have == nil:
		c.at(key, "found nothing, expected %s as in the experiment", plain(*want))
	case rounded(*want, c.f.raw[key]) != rounded(*have, c.f.raw[key]):
		c.at(key, "found %s, expected %s as in the experiment", c.f.raw[key], rounded(*want, c.f.raw[key]))
	}
}

// rounded writes a number with as many decimals as another is written with.
func rounded(v float64, like string) string {
	digits := 0
	if _, after, ok := strings.Cut(like, "."); ok {
		digits = len(after)
	}
	if strings.ContainsAny(like, "eE_") {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	scale := math.Pow(10, float64(digits))
	if v = math.Round(v*scale) / scale; v == 0 {
		v = 0 // not -0
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

func plain(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
