package twin

import (
	"fmt"
	"slices"
	"strings"

	"splat/internal/kernel"
)

// Selectors tells people what a selector may be.
//
// A name alone is a kernel ("sort_scatter"), a stage of the recordings
// ("depth-sort"), or both: "loss" is all of that stage, one kernel of which has its
// name. STAGE.KERNEL chooses kernels of stages; a part that is no full name stands
// for all names that contain it, and * for all: "sort.scan" is the scans inside of
// sorts, "*.loss" the kernel of that name alone. "all" is everything.
const Selectors = "all, a kernel, a stage, or STAGE.KERNEL with parts of names or * (sort.scan, *.loss)"

// Stages are what the dispatches of recordings belong to, in the order of a step.
var Stages = []string{
	"begin", "project", "compact", "depth-sort", "emit", "tile-sort", "ranges",
	"rasterize", "loss", "rasterize-backward", "update", "commit", "refine",
}

// selector is one parsed selector: a dispatch must match both parts, or with either
// set one of them.
type selector struct {
	text          string
	stage, kernel pattern
	either        bool
	used          bool
}

// pattern matches a name: exactly, or where it is contained. The zero pattern
// matches all.
type pattern struct {
	text  string
	exact bool
}

func (p pattern) matches(name string) bool {
	return p.text == name || !p.exact && strings.Contains(name, p.text)
}

// part reads half of a dotted selector.
func part(text string, names []string) (p pattern, ok bool) {
	if text == "*" {
		return pattern{}, true
	}
	p = pattern{text, slices.Contains(names, text)}
	return p, text != "" && slices.ContainsFunc(names, p.matches)
}

// parse reads a selector; ok is false where it names nothing.
func parse(text string) (s *selector, ok bool) {
	kernels := kernelNames()
	stage, name, dotted := strings.Cut(text, ".")
	switch {
	case text == "all":
		return &selector{text: text}, true
	case !dotted:
		exact := pattern{text, true}
		s = &selector{text: text, stage: exact, kernel: exact, either: true}
		return s, slices.Contains(kernels, text) || slices.Contains(Stages, text)
	}
	a, known := part(stage, Stages)
	b, ok := part(name, kernels)
	return &selector{text: text, stage: a, kernel: b}, known && ok
}

func (s *selector) chooses(d *kernel.Dispatch) bool {
	stage, name := s.stage.matches(d.Stage), s.kernel.matches(d.Kernel.Name)
	return stage && name || s.either && (stage || name)
}

// choice is several selectors, any of which will do.
type choice []*selector

// choose reads selectors.
func choose(texts []string, nearest func(string, []string) string) (out choice, err error) {
	for _, text := range texts {
		s, ok := parse(text)
		if !ok {
			return nil, unknown(text, nearest)
		}
		out = append(out, s)
	}
	return out, nil
}

// chooses reports whether any selector chooses d, and notes all that do.
func (c choice) chooses(d *kernel.Dispatch) (any bool) {
	for _, s := range c {
		if s.chooses(d) {
			s.used, any = true, true
		}
	}
	return any
}

func (c choice) idle() (out []string) {
	for _, s := range c {
		if !s.used {
			out = append(out, s.text)
		}
	}
	return out
}

func kernelNames() (out []string) {
	for _, k := range kernel.Contracts() {
		out = append(out, k.Name)
	}
	return out
}

// unknown says what could have been meant.
func unknown(text string, nearest func(string, []string) string) error {
	kernels, hint := kernelNames(), ""
	if nearest != nil {
		if name := nearest(text, append(slices.Clone(kernels), Stages...)); name != "" {
			hint = "; did you mean " + name + "?"
		}
	}
	return fmt.Errorf("unknown selector %q, expected %s; kernels: %s; stages: %s%s",
		text, Selectors, strings.Join(kernels, ", "), strings.Join(Stages, ", "), hint)
}
