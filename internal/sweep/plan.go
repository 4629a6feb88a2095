// Package sweep plans a set of trainings, one a configuration and capture, keeps
// track of which of them are done, gives them to devices and compares what came out.
// It trains nothing itself.
package sweep

import (
	"slices"
	"strings"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/lab"
)

// PresetKey stands for the preset among the keys that vary.
const PresetKey = "preset"

// Axis is one key with the values that it takes.
type Axis struct {
	Key    string
	Values []config.Setting // of a preset the Value is its name
}

// fixed are the keys, and sections, that are not a setting of a run but of the sweep.
var fixed = map[string]string{
	"data.path":       "name the captures as arguments",
	"backend.device":  "--devices gives the devices",
	"backend.threads": "results do not depend on it; --threads sets it for all",
	"output.dir":      "runs have folders of their own below --out",

	"output.overwrite": "a sweep keeps its runs; choose another --out",
}

// ParseAxis reads the argument of --vary, KEY=A,B,C. Where values hold commas
// themselves, such as colours, they are separated by semicolons.
func ParseAxis(arg string) (Axis, error) {
	key, text, ok := strings.Cut(arg, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return Axis{}, fault.Usagef("--vary %s: expected KEY=A,B,C", arg)
	}
	if why, is := fixed[key]; is {
		return Axis{}, fault.Usagef("--vary %s: %s cannot vary: %s", arg, key, why)
	}
	separator := ","
	if strings.Contains(text, ";") {
		separator = ";"
	}
	axis := Axis{Key: key}
	for value := range strings.SplitSeq(text, separator) {
		s, err := parseValue(key, strings.TrimSpace(value), arg)
		if err != nil {
			return Axis{}, err
		}
		if slices.ContainsFunc(axis.Values, func(v config.Setting) bool { return v.Text() == s.Text() }) {
			return Axis{}, fault.Usagef("--vary %s: found %s twice", arg, strings.TrimSpace(value))
		}
		axis.Values = append(axis.Values, s)
	}
	return axis, nil
}

func parseValue(key, value, arg string) (config.Setting, error) {
	if value == "" {
		return config.Setting{}, fault.Usagef("--vary %s: found an empty value, expected KEY=A,B,C", arg)
	}
	if key == PresetKey {
		if !slices.Contains(config.Presets(), value) {
			return config.Setting{}, fault.Usagef("--vary %s: found preset %q, expected one of %s", arg, value, strings.Join(config.Presets(), ", "))
		}
		return config.Setting{Key: PresetKey, Value: value}, nil
	}
	s, err := config.ParseSet(key + "=" + value)
	if err != nil {
		return s, fault.Usagef("%s", strings.Replace(err.Error(), "--set "+key+"="+value, "--vary "+arg, 1))
	}
	s.Origin = "--vary " + arg
	return s, nil
}

// Case is one configuration of a sweep.
type Case struct {
	Name     string // speaking, and fit for a folder
	Preset   string // "" where presets do not vary
	Settings []config.Setting
	Values   []Value
}

// Value is what a case sets a key to.
type Value struct {
	Key  string `json:"key"`
	Text string `json:"value"` // in TOML notation
}

// Cases returns the grid over the axes, times the list where there is one, the last
// axis fastest.
func Cases(list []config.Entry, axes []Axis) ([]Case, error) {
	if err := checkKeys(list, axes); err != nil {
		return nil, err
	}
	cases := []Case{{}}
	if len(list) > 0 {
		cases = nil
		for _, e := range list {
			cases = append(cases, Case{Name: e.Name, Settings: e.Settings, Values: valuesOf(e.Settings)})
		}
	}
	for _, axis := range axes {
		var next []Case
		for _, c := range cases {
			for _, v := range axis.Values {
				next = append(next, c.with(v))
			}
		}
		cases = next
	}
	nameCases(cases, axes)
	return cases, nil
}

// with is the case with one more key set.
func (c Case) with(s config.Setting) Case {
	c.Values = append(slices.Clone(c.Values), valuesOf([]config.Setting{s})...)
	if s.Key == PresetKey {
		c.Preset, _ = s.Value.(string)
		return c
	}
	c.Settings = append(slices.Clone(c.Settings), s)
	return c
}

func valuesOf(settings []config.Setting) (list []Value) {
	for _, s := range settings {
		text := s.Text()
		if len(text) > 2 && text[0] == '"' { // words are shown plainly
			text = text[1 : len(text)-1]
		}
		list = append(list, Value{s.Key, text})
	}
	return list
}

// checkKeys refuses keys that vary twice, and those of a list that cannot.
func checkKeys(list []config.Entry, axes []Axis) error {
	seen := map[string]bool{}
	for _, a := range axes {
		if seen[a.Key] {
			return fault.Usagef("--vary %s: given twice, expected all its values in one", a.Key)
		}
		seen[a.Key] = true
	}
	for _, e := range list {
		for _, s := range e.Settings {
			if why, is := fixed[s.Key]; is {
				return fault.Usagef("%s: %s cannot vary: %s", s.Origin, s.Key, why)
			}
			if seen[s.Key] {
				return fault.Usagef("%s: %s is also given by --vary", s.Origin, s.Key)
			}
		}
	}
	return nil
}

// Capture is one capture of a sweep.
type Capture struct {
	Path string `json:"path"` // absolute
	lab.Fingerprint
}

// Job is one training.
type Job struct {
	Name    string // of the run folder
	Dir     string
	Case    int
	Capture int
	Config  config.Run
}
