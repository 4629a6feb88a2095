package finding

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Parse reads a finding's text; path is for messages. The finding is nil where the
// front matter is no YAML mapping.
func Parse(path string, text []byte) (*Finding, []Problem) {
	r := &reader{file: path, lines: map[string]int{}, raw: map[string]string{}}
	front, body, line, err := split(string(text))
	if err != nil {
		r.problem(1, "%v", err)
		return nil, r.problems
	}
	f := &Finding{File: path, lines: r.lines, raw: r.raw}
	root, at, err := parseYAML(front)
	if err != nil {
		r.problem(at, "not YAML: %v", err)
		return nil, r.problems
	}
	if !r.mapping(root, "", r.fields(f)) {
		return nil, r.problems
	}
	f.bad = map[string]bool{}
	for _, p := range r.problems {
		name, _, _ := strings.Cut(p.Text, ": ")
		f.bad[name] = true
	}
	f.sections = r.body(body, line)
	return f, r.problems
}

// split parts a file into front matter and body; line is where the body begins,
// from 1. The front matter keeps its lines: it begins with an empty one.
func split(text string) (front, body string, line int, err error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", "", 0, errNoFront
	}
	front, body, ok = strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if front, ok = strings.CutSuffix("\n"+rest, "\n---"); !ok {
			return "", "", 0, errNoFront
		}
	}
	return front + "\n", body, strings.Count(front, "\n") + 3, nil
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

func parseYAML(text string) (*yaml.Node, int, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		message, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
		if m := yamlLine.FindStringSubmatch(message); m != nil {
			line, _ = strconv.Atoi(m[1])
			message = strings.Replace(message, m[0], "", 1)
		}
		return nil, line, fmt.Errorf("%s", strings.ReplaceAll(message, "\n", " "))
	}
	if len(doc.Content) == 0 {
		return &yaml.Node{Kind: yaml.MappingNode, Line: 1}, 1, nil
	}
	return doc.Content[0], 1, nil
}

// reader collects the problems of a file.
type reader struct {
	file     string
	problems []Problem
	lines    map[string]int
	raw      map[string]string
}

func (r *reader) problem(line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.file, line, fmt.Sprintf(format, args...)})
}

// field is a key and what reads its value.
type field struct {
	key  string
	read func(n *yaml.Node, name string)
}

// fields are the keys of the front matter, in the order of the template.
func (r *reader) fields(f *Finding) []field {
	return []field{
		{"id", r.pattern(&f.ID, idPattern, "small letters, digits and hyphens")},
		{"title", r.text(&f.Title)},
		{"subtitle", r.text(&f.Subtitle)},
		{"eyebrow", r.text(&f.Eyebrow)},
		{"date", r.date(&f.Date)},
		{"status", r.word(&f.Status, Statuses)},
		{"category", r.word(&f.Category, Categories)},
		{"polarity", r.word(&f.Polarity, Polarities)},
		{"axes", r.list(&f.Axes)},
		{"tags", r.list(&f.Tags)},
		{"task_code", r.text(&f.TaskCode)},
		{"related", r.group(
			field{"runs", r.list(&f.Related.Runs)},
			field{"findings", r.list(&f.Related.Findings)})},
		{"experiment", r.text(&f.Experiment)},
		{"impact", r.impact(&f.Impact)},
		{"first_reading", r.first(&f.First)},
		{"cost", r.word(&f.Cost, Levels)},
		{"risk", r.word(&f.Risk, Levels)},
		{"confidence", r.word(&f.Confidence, Levels)},
		{"prediction", r.group(
			field{"written", r.date(&f.Prediction.Written)},
			field{"text", r.text(&f.Prediction.Text)},
			field{"quantity", r.word(&f.Prediction.Quantity, Quantities)},
			field{"low", r.number(&f.Prediction.Low)},
			field{"high", r.number(&f.Prediction.High)})},
	}
}

func (r *reader) impact(p *Impact) func(*yaml.Node, string) {
	return r.group(
		field{"summary", r.text(&p.Summary)},
		field{"rank", r.rank(&p.Rank)},
		field{"verdict", r.word(&p.Verdict, Verdicts)},
		field{"delta_psnr", r.number(&p.DeltaPSNR)},
		field{"delta_wallclock", r.number(&p.DeltaWallclock)})
}

func (r *reader) first(p **Impact) func(*yaml.Node, string) {
	return func(n *yaml.Node, name string) {
		if !null(n) {
			*p = &Impact{}
			r.impact(*p)(n, name)
		}
	}
}

func (r *reader) group(fields ...field) func(*yaml.Node, string) {
	return func(n *yaml.Node, name string) { r.mapping(n, name+".", fields) }
}

// mapping reads the keys of a mapping: each that is expected, once, and no other.
func (r *reader) mapping(n *yaml.Node, prefix string, fields []field) bool {
	if n.Kind != yaml.MappingNode {
		where := strings.TrimSuffix(prefix, ".")
		if where == "" {
			where = "front matter"
		}
		r.problem(max(n.Line, 1), "%s: found %s, expected keys and values: %s", where, found(n), keys(fields))
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		r.entry(n.Content[i], n.Content[i+1], prefix, fields)
	}
	for _, f := range fields {
		if _, ok := r.lines[prefix+f.key]; !ok {
			r.problem(max(n.Line, 1), "%s%s: found no such key, expected one", prefix, f.key)
		}
	}
	return true
}

func (r *reader) entry(key, value *yaml.Node, prefix string, fields []field) {
	i := slices.IndexFunc(fields, func(f field) bool { return f.key == key.Value })
	name := prefix + key.Value
	switch first, again := r.lines[name]; {
	case key.Kind != yaml.ScalarNode || i < 0:
		r.problem(key.Line, "found the unknown key %q, expected one of %s", name, keys(fields))
	case again:
		r.problem(key.Line, "%s: found a second time, the first is on line %d; expected one", name, first)
	default:
		r.lines[name] = key.Line
		fields[i].read(value, name)
	}
}

func keys(fields []field) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.key)
	}
	return strings.Join(names, ", ")
}

// found is a YAML value in words.
func found(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Value == "" {
		return "nothing"
	}
	return strconv.Quote(n.Value)
}

func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// scalar returns a value's text; null is "".
func (r *reader) scalar(n *yaml.Node, name, expected string) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		r.problem(n.Line, "%s: found %s, expected %s", name, found(n), expected)
		return "", false
	}
	if null(n) {
		return "", true
	}
	return n.Value, true
}

func (r *reader) text(p *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, name string) {
		if s, ok := r.scalar(n, name, "text"); ok {
			*p = strings.TrimSpace(s)
		}
	}
}

func (r *reader) word(p *string, words []string) func(*yaml.Node, string) {
	expected := "one of " + strings.Join(words, ", ")
	return func(n *yaml.Node, name string) {
		s, ok := r.scalar(n, name, expected)
		if ok && s != "" && !slices.Contains(words, s) {
			r.problem(n.Line, "%s: found %q, expected %s", name, s, expected)
			return
		}
		*p = s
	}
}

func (r *reader) pattern(p *string, pattern *regexp.Regexp, expected string) func(*yaml.Node, string) {
	return func(n *yaml.Node, name string) {
		s, ok := r.scalar(n, name, expected)
		if ok && !pattern.MatchString(s) {
			r.problem(n.Line, "%s: found %s, expected %s", name, found(n), expected)
			return
		}
		*p = s
	}
}

func (r *reader) date(p *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, name string) {
		s, ok := r.scalar(n, name, "a date YYYY-MM-DD")
		if _, err := time.Parse(time.DateOnly, s); ok && s != "" && err != nil {
			r.problem(n.Line, "%s: found %q, expected a date YYYY-MM-DD", name, s)
			return
		}
		*p = s
	}
}

func (r *reader) list(p *[]string) func(*yaml.Node, string) {
	*p = []string{}
	return func(n *yaml.Node, name string) {
		if null(n) {
			return
		}
		if n.Kind != yaml.SequenceNode {
			r.problem(n.Line, "%s: found %s, expected a list such as [one, two]", name, found(n))
			return
		}
		for _, item := range n.Content {
			s, ok := r.scalar(item, name, "text")
			switch {
			case !ok:
			case s == "" || slices.Contains(*p, s):
				r.problem(item.Line, "%s: found %s, expected different words", name, found(item))
			default:
				*p = append(*p, s)
			}
		}
	}
}

func (r *reader) number(p **float64) func(*yaml.Node, string) {
	return func(n *yaml.Node, name string) {
		s, ok := r.scalar(n, name, "a number or null")
		if !ok || s == "" {
			return
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			r.problem(n.Line, "%s: found %q, expected a number or null", name, s)
			return
		}
		*p, r.raw[name] = &v, s
	}
}

func (r *reader) rank(p **int) func(*yaml.Node, string) {
	return func(n *yaml.Node, name string) {
		s, ok := r.scalar(n, name, "a whole number, 1 or more, or null")
		if !ok || s == "" {
			return
		}
		v, err := strconv.Atoi(s)
		if err != nil || v < 1 {
			r.problem(n.Line, "%s: found %q, expected a whole number, 1 or more, or null", name, s)
			return
		}
		*p = &v
	}
}
