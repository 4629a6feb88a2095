package finding

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Slug is the id that a title gives: small letters, digits and hyphens, "" where
// nothing is left of it.
func Slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	s := b.String()
	return strings.Trim(s[:min(len(s), 80)], "-")
}

// IsID reports whether a text is an id as it stands.
func IsID(s string) bool { return idPattern.MatchString(s) }

// New returns the text of a new finding: all facts with what they may hold, and all
// sections with what belongs there.
func New(id, title, date string) string {
	return fmt.Sprintf(skeleton, id, quote(title), date, strings.Join(Statuses, ", "), strings.Join(Categories, ", "),
		strings.Join(Polarities, ", "), strings.Join(Verdicts, ", "), strings.Join(Levels, ", "), strings.Join(Quantities, " or "))
}

const skeleton = `---
id: %s
title: %s
subtitle: ""             # one sentence: what was tried
eyebrow: ""              # the line above the title, such as "Raster pass, H200"
date: %s         # of the measurement
status: hypothesis       # %s
category: ""             # %s
polarity: ""             # %s
axes: []                 # what it is about: [time, quality, memory]
tags: []
task_code: ""
related:
  runs: []               # folders of runs
  findings: []           # ids
experiment: ""           # folder of the ab.json, as seen from this file
impact:
  summary: ""            # what to remember
  rank: null             # 1 matters most
  verdict: ""            # %s
  delta_psnr: null       # dB, with the change less without
  delta_wallclock: null  # per cent of the time without the change; negative is faster
first_reading: null      # of a corrected finding: impact as it was before
cost: ""                 # %s
risk: ""
confidence: ""
prediction:
  written: ""            # day on which it was written, before the measurement
  text: ""
  quantity: ""           # %s
  low: null              # bounds in the unit of impact; null is open
  high: null
---

## Hypothesis

<!-- What is expected to happen, and why. -->

## Prediction

<!-- Written before the measurement: the interval in words, and what would refute it. -->

## Measurement

<!-- Machine, commit, command, numbers. splat finding new ID --ab DIR fills it. -->

## Interpretation

<!-- What the numbers say, and what follows. -->

## Correction

<!-- What turned out to be wrong. The first reading stays above and in first_reading. -->
`

// quote writes a text as a YAML value.
func quote(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "?")) }

// Fill puts an experiment into the text of a finding that has no measurement yet. Of
// a finding with a prediction the status becomes measured; one without any cannot get
// one afterwards and becomes retrospective. folder is the experiment's, as seen from
// the finding's file.
func Fill(path, text string, e *Experiment, folder string) (string, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	f, problems := Parse(path, []byte(text))
	switch {
	case len(problems) > 0:
		return "", fmt.Errorf("%s", problems[0])
	case f.Done() || f.Text("Measurement") != "":
		return "", fmt.Errorf("%s: found a measurement, expected none: a correction goes into the section Correction", path)
	}
	lines := strings.Split(text, "\n")
	set := func(key, value string) {
		if n := f.lines[key]; n > 0 && value != "" {
			lines[n-1] = setValue(lines[n-1], value)
		}
	}
	predicted := f.predicts()
	set("status", Measured)
	if !predicted {
		set("status", Retrospective)
	}
	set("experiment", quote(folder))
	set("date", e.Date)
	set("impact.verdict", e.Verdict)
	set("impact.delta_psnr", decimals(e.DeltaPSNR, 3))
	set("impact.delta_wallclock", decimals(e.DeltaWallclock, 2))
	insert := []section{{from: f.sections["Measurement"].from, text: e.Markdown()}}
	if !predicted && f.Text("Prediction") == "" {
		insert = append(insert, section{from: f.sections["Prediction"].from, text: "None was written before this measurement."})
	}
	slices.SortFunc(insert, func(a, b section) int { return b.from - a.from })
	for _, s := range insert {
		at := min(max(s.from-1, 0), len(lines))
		lines = slices.Insert(lines, at, append([]string{""}, strings.Split(strings.TrimRight(s.text, "\n"), "\n")...)...)
	}
	return strings.Join(lines, "\n"), nil
}

// predicts reports whether there is a prediction, whatever the status says.
func (f *Finding) predicts() bool {
	p := f.Prediction
	return p.Written != "" && p.Quantity != "" && (p.Low != nil || p.High != nil)
}

var keyLine = regexp.MustCompile(`^(\s*[a-z_]+:)(\s*)("(?:[^"\\]|\\.)*"|[^#\s]*)(\s*)(#.*)?$`)

// setValue replaces the value on a line "key: value # comment".
func setValue(line, value string) string {
	m := keyLine.FindStringSubmatch(line)
	if m == nil {
		key, _, _ := strings.Cut(line, ":")
		return key + ": " + value
	}
	space := max(len(m[3])+len(m[4])-len(value), 1)
	if m[5] == "" {
		space = 0
	}
	return m[1] + " " + value + strings.Repeat(" ", space) + m[5]
}

func decimals(v *float64, digits int) string {
	if v == nil {
		return ""
	}
	return rounded(*v, "0."+strings.Repeat("0", digits))
}
