package house

import (
	"slices"
	"strconv"
	"strings"
)

// Layer says what packages of the module may import of the module. Test files are
// not bound.
type Layer struct {
	Of  string // the packages: a path, or a path with /... for those below it too
	May string // the packages they may import, separated by spaces; "" is none
	Why string
}

// Owner says which packages may import something from outside the module, or from
// the standard library. Test files are not bound.
type Owner struct {
	What string // an import path, or one with /... for those below it too
	By   string // the packages that may, separated by spaces; "" is none: tests only
	Why  string
}

// Wall says that no chain of imports may lead from one package to another. It
// states the design's rules a second time, in case a Layer is loosened by hand.
type Wall struct{ From, To, Why string }

// matches reports whether path is named by one of the patterns.
func matches(patterns, path string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(p string) bool {
		base, below := strings.CutSuffix(p, "/...")
		return path == base || below && strings.HasPrefix(path, base+"/")
	})
}

// Imports returns what the package's source imports, once each, sorted; packages
// of the module without the module's path.
func (t *Tree) Imports(p *Package) []string {
	var out []string
	for _, f := range p.Source {
		for _, spec := range f.AST.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			out = append(out, strings.TrimPrefix(name, t.Module+"/"))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (t *Tree) isOwn(path string) bool {
	return slices.ContainsFunc(t.Packages, func(p *Package) bool { return p.Path == path })
}

// BreachedLayers lists imports inside the module that no layer allows, and
// packages that have no place in the layers.
func (t *Tree) BreachedLayers(layers []Layer) (out complaints) {
	for _, p := range t.Packages {
		i := slices.IndexFunc(layers, func(l Layer) bool { return matches(l.Of, p.Path) })
		if i < 0 {
			out.add("%s has no place among the layers: say what it may import and why", p.Path)
			continue
		}
		for _, path := range t.Imports(p) {
			if t.isOwn(path) && !matches(layers[i].May, path) {
				out.add("%s imports %s: %s", p.Path, path, layers[i].Why)
			}
		}
	}
	return out
}

// BreachedOwners lists imports of what belongs to other packages.
func (t *Tree) BreachedOwners(owners []Owner) (out complaints) {
	for _, p := range t.Packages {
		for _, path := range t.Imports(p) {
			for _, o := range owners {
				if matches(o.What, path) && !matches(o.By, p.Path) {
					out.add("%s imports %s: %s", p.Path, path, o.Why)
				}
			}
		}
	}
	return out
}

// BreachedWalls lists chains of imports that lead where they must not.
func (t *Tree) BreachedWalls(walls []Wall) (out complaints) {
	for _, p := range t.Packages {
		for _, w := range walls {
			if !matches(w.From, p.Path) {
				continue
			}
			if chain := t.chain(p.Path, w.To, map[string]bool{}); chain != nil {
				out.add("%s: %s", strings.Join(chain, " -> "), w.Why)
			}
		}
	}
	return out
}

// chain returns a chain of imports from a package to one of those named, nil
// where there is none.
func (t *Tree) chain(from, to string, seen map[string]bool) []string {
	seen[from] = true
	for _, next := range t.Imports(t.pkg(from)) {
		switch {
		case matches(to, next):
			return []string{from, next}
		case seen[next] || !t.isOwn(next):
			continue
		}
		if rest := t.chain(next, to, seen); rest != nil {
			return append([]string{from}, rest...)
		}
	}
	return nil
}

// UnknownNames lists patterns of the rules that match no package of the module,
// except planned ones: a rule about nothing guards nothing.
func (t *Tree) UnknownNames(layers []Layer, walls []Wall, planned string) (out complaints) {
	check := func(patterns string) {
		for _, pattern := range strings.Fields(patterns) {
			known := slices.ContainsFunc(t.Packages, func(p *Package) bool { return matches(pattern, p.Path) })
			if !known && !matches(planned, strings.TrimSuffix(pattern, "/...")) {
				out.add("a rule names %s, which does not exist", pattern)
			}
		}
	}
	for _, l := range layers {
		check(l.Of)
		check(l.May)
	}
	for _, w := range walls {
		check(w.From)
		check(w.To)
	}
	return out
}
