package config

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"splat/internal/fault"
)

// maxFile bounds the size of a configuration file: more is something else.
const maxFile = 1 << 20

//go:embed presets/*.toml
var presetFiles embed.FS

// Source names the places values come from, weakest first: a preset, a file
// with its parent chain, --set arguments, flags. All may be empty.
type Source struct {
	Preset string
	File   string
	Set    []string
	Flags  []Setting
}

// Resolve returns the configuration that the sources give over the defaults.
// The strategy is decided first, over all sources, since the defaults depend on
// it. A value is checked even where a stronger source overrides it.
func Resolve(src Source) (Run, error) {
	settings, err := src.settings()
	if err != nil {
		return Run{}, err
	}
	strategy, err := strategyOf(settings)
	if err != nil {
		return Run{}, err
	}
	run, origins := Default(strategy), origins{}
	for _, s := range settings {
		if err := s.apply(&run); err != nil {
			return Run{}, err
		}
		origins[s.Key] = s.Origin
	}
	return run, check(&run, origins)
}

// settings flattens the sources, weakest first.
func (src Source) settings() ([]Setting, error) {
	preset, err := loadPreset(src.Preset)
	if err != nil {
		return nil, err
	}
	all := preset
	if src.File != "" {
		file, err := loadChain(src.File, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, file...)
	}
	for _, arg := range src.Set {
		s, err := ParseSet(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return append(all, src.Flags...), nil
}

// strategyOf returns the strategy that the settings end up with.
func strategyOf(settings []Setting) (string, error) {
	r := Run{Strategy: Strategy{Name: DefaultStrategy}}
	for _, s := range settings {
		if s.Key == "strategy.name" {
			if err := s.apply(&r); err != nil {
				return "", err
			}
		}
	}
	return r.Strategy.Name, nil
}

// Presets returns the names of the built-in presets.
func Presets() []string {
	entries, _ := fs.ReadDir(presetFiles, "presets") // embedded: cannot fail
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	return names
}

func loadPreset(name string) ([]Setting, error) {
	if name == "" {
		return nil, nil
	}
	if !slices.Contains(Presets(), name) {
		return nil, fault.Usagef("--preset: found %q, expected one of %s%s", name, strings.Join(Presets(), ", "), meant(Nearest(name, Presets())))
	}
	text, err := presetFiles.ReadFile("presets/" + name + ".toml")
	if err != nil {
		return nil, err
	}
	doc, err := parse("preset "+name, text)
	if err != nil {
		return nil, err
	}
	return doc.settings, nil
}

// link is one file of a parent chain.
type link struct{ name, path string }

// loadChain reads a file over its parents, the farthest ancestor first. chain
// holds the files that led here.
func loadChain(name string, chain []link) ([]Setting, error) {
	path := canonical(name)
	seen := slices.ContainsFunc(chain, func(l link) bool { return l.path == path })
	chain = append(chain, link{name, path})
	if seen {
		return nil, fault.Usagef("the parent chain goes in a circle: %s", chainText(chain))
	}
	text, err := readFile(name)
	if err != nil {
		return nil, err
	}
	doc, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	parent, _ := doc.parent.Value.(string)
	if parent == "" {
		return doc.settings, nil
	}
	if !filepath.IsAbs(parent) {
		parent = filepath.Join(filepath.Dir(name), parent)
	}
	if _, err := os.Stat(parent); err != nil {
		return nil, fault.Usagef("%s: parent %s: %v", doc.parent.Origin, parent, fault.Reason(err))
	}
	above, err := loadChain(parent, chain)
	if err != nil {
		return nil, err
	}
	return append(above, doc.settings...), nil
}

func chainText(chain []link) string {
	var names []string
	for _, l := range chain {
		names = append(names, l.name)
	}
	return strings.Join(names, " -> ")
}

// canonical gives one name to a file however it is reached. A pipe of a shell,
// <(...), has none: it stays as it is.
func canonical(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	if path, err := filepath.EvalSymlinks(name); err == nil {
		return path
	}
	return name
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fault.Usagef("configuration file %s: %v", name, fault.Reason(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fault.Usagef("configuration file %s: %v", name, fault.Reason(err))
	}
	if len(text) > maxFile {
		return nil, fault.Usagef("configuration file %s: found more than %d bytes, expected a short TOML file", name, maxFile)
	}
	return text, nil
}

// origins tells where each key's value came from.
type origins map[string]string

// of names a key with its value and place for an error message.
func (o origins) of(key string, value any) string {
	if from, ok := o[key]; ok {
		return fmt.Sprintf("%s = %s (%s)", key, show(value), from)
	}
	return fmt.Sprintf("%s = %s (default)", key, show(value))
}
