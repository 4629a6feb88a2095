package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"splat/internal/fault"
)

// Entry is one run of a list: what it is called, and what it sets.
type Entry struct {
	Name     string // "" where the list gives none
	Settings []Setting
}

// Text returns a value in the notation of configuration files, or as it was typed
// where the key does not take it.
func (s Setting) Text() string {
	f, _ := Lookup(s.Key)
	if v, ok := f.convert(s.Value); ok {
		return literal(v)
	}
	return show(s.Value)
}

// ReadList reads a TOML file of runs, each a [[run]] with an optional name and any
// keys of the configuration, dotted or in sections:
//
//	[[run]]
//	name = "soft"
//	loss.ssim_lambda = 0.1
//	strategy.name = "adc"
//
// Every key must be known; values are checked when they are applied.
func ReadList(file string) ([]Entry, error) {
	text, err := readFile(file)
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if err := toml.Unmarshal(text, &doc); err != nil {
		var de *toml.DecodeError
		if errors.As(err, &de) {
			line, column := de.Position()
			return nil, fault.Usagef("%s:%d:%d: not valid TOML: %s", file, line, column, strings.TrimPrefix(de.Error(), "toml: "))
		}
		return nil, fault.Usagef("%s: not valid TOML: %v", file, err)
	}
	for key := range doc {
		if key != "run" {
			return nil, fault.Usagef("%s: found %q, expected [[run]] for each run, with its keys below it", file, key)
		}
	}
	runs, ok := doc["run"].([]any)
	if !ok || len(runs) == 0 {
		return nil, fault.Usagef("%s: found no run, expected [[run]] for each run, with its keys below it", file)
	}
	var list []Entry
	for i, run := range runs {
		e, err := entry(fmt.Sprintf("%s: run %d", file, i+1), run)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// entry reads one run.
func entry(origin string, run any) (e Entry, err error) {
	table, ok := run.(map[string]any)
	if !ok {
		return e, fault.Usagef("%s: found %s, expected a table", origin, show(run))
	}
	if name, there := table["name"]; there {
		if e.Name, ok = name.(string); !ok || e.Name == "" {
			return e, fault.Usagef("%s: name: found %s, expected text in quotes", origin, show(name))
		}
		origin += " (" + e.Name + ")"
		delete(table, "name")
	}
	if e.Settings, err = flatten(origin, "", table); err != nil {
		return e, err
	}
	if len(e.Settings) == 0 {
		return e, fault.Usagef("%s: found no keys, expected what the run sets", origin)
	}
	// In the order of Run, since a table has none.
	order := map[string]int{}
	for i, f := range Fields() {
		order[f.Name()] = i
	}
	slices.SortFunc(e.Settings, func(a, b Setting) int { return order[a.Key] - order[b.Key] })
	return e, nil
}

// flatten lists the keys of nested tables with their full names.
func flatten(origin, above string, table map[string]any) (list []Setting, err error) {
	for key, value := range table {
		name := strings.TrimPrefix(above+"."+key, ".")
		if _, known := Lookup(name); known {
			list = append(list, Setting{Key: name, Value: value, Origin: origin})
			continue
		}
		inner, ok := value.(map[string]any)
		if !ok || !isSection(name) && !slices.ContainsFunc(Sections(), func(s string) bool { return strings.HasPrefix(s, name+".") }) {
			return nil, unknownKey(origin, name)
		}
		below, err := flatten(origin, name, inner)
		if err != nil {
			return nil, err
		}
		list = append(list, below...)
	}
	return list, nil
}
