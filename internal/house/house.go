// Package house holds the rules that keep the repository in order: which package
// may import which, that everything exported is explained, that files stay short
// and formatted, that links lead somewhere. Each rule is a method of Tree that
// returns complaints, one line each, so that tests can show it failing on a
// planted violation. The tests of this package apply the rules to the repository.
package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Tree is the files of a repository, without what .gitignore names.
type Tree struct {
	FS       fs.FS
	Module   string     // the module's path, from go.mod
	Files    []string   // slash-separated paths, sorted
	Packages []*Package // of the module, sorted by path
}

// Package is one folder of Go files.
type Package struct {
	Path   string // inside the module: "internal/geom"
	Name   string // from the package clauses, "" where there are only tests
	Source []File
	Tests  []File
}

// File is a parsed Go file.
type File struct {
	Path string
	AST  *ast.File
}

// Load reads the tree below the root of fsys. Go files are parsed whatever their
// build constraints; folders called testdata and other modules hold no packages.
func Load(fsys fs.FS) (*Tree, error) {
	t := &Tree{FS: fsys}
	mod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(mod)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			t.Module = strings.TrimSpace(name)
		}
	}
	if t.Files, err = list(fsys); err != nil {
		return nil, err
	}
	return t, t.parse()
}

// list returns the files that are not ignored.
func list(fsys fs.FS) (files []string, err error) {
	rules, _ := fs.ReadFile(fsys, ".gitignore")
	ignored := strings.Fields(string(rules))
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case d.Name() == ".git" || isIgnored(ignored, name, d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular():
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

// isIgnored understands the simple forms of .gitignore: /folder/, /file and
// patterns without a slash, such as *.test.
func isIgnored(rules []string, name string, dir bool) bool {
	return slices.ContainsFunc(rules, func(rule string) bool {
		pattern := strings.TrimSuffix(rule, "/")
		if pattern != rule && !dir {
			return false
		}
		if anchored, ok := strings.CutPrefix(pattern, "/"); ok {
			return anchored == name
		}
		match, _ := path.Match(pattern, path.Base(name))
		return match
	})
}

// parse reads the module's Go files.
func (t *Tree) parse() error {
	for _, name := range t.Files {
		if path.Ext(name) != ".go" || !t.holdsPackage(path.Dir(name)) {
			continue
		}
		text, err := fs.ReadFile(t.FS, name)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p := t.pkg(path.Dir(name))
		if strings.HasSuffix(name, "_test.go") {
			p.Tests = append(p.Tests, File{name, tree})
		} else {
			p.Name = tree.Name.Name
			p.Source = append(p.Source, File{name, tree})
		}
	}
	slices.SortFunc(t.Packages, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// holdsPackage is false for folders that the go command skips.
func (t *Tree) holdsPackage(dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		base := path.Base(dir)
		if base == "testdata" || base[0] == '_' || base[0] == '.' || slices.Contains(t.Files, path.Join(dir, "go.mod")) {
			return false
		}
	}
	return true
}

func (t *Tree) pkg(dir string) *Package {
	for _, p := range t.Packages {
		if p.Path == dir {
			return p
		}
	}
	p := &Package{Path: dir}
	t.Packages = append(t.Packages, p)
	return p
}

// complaints collects lines.
type complaints []string

func (c *complaints) add(format string, args ...any) { *c = append(*c, fmt.Sprintf(format, args...)) }
