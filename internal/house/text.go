package house

import (
	"bytes"
	"go/format"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxLines is the length from which a source file is asked to be split.
const MaxLines = 600

var (
	generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	// In pieces, so that this file does not complain about itself.
	unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)
	machine    = regexp.MustCompile(`(^|[^\w.~/-])/(wor` + `k|roo` + `t|hom` + `e)/`)
	link       = regexp.MustCompile(`\]\(([^)\s#]+)(#[^)\s]*)?\)`)
)

// sources are the endings of files that people write and read as code.
var sources = map[string]bool{".go": true, ".comp": true, ".glsl": true, ".js": true, ".css": true, ".sh": true}

// each calls f with every text file.
func (t *Tree) each(f func(name string, text []byte)) (err error) {
	for _, name := range t.Files {
		text, readErr := fs.ReadFile(t.FS, name)
		if readErr != nil {
			return readErr
		}
		if utf8.Valid(text) && !bytes.Contains(text, []byte{0}) {
			f(name, text)
		}
	}
	return nil
}

// LongFiles lists source files of more than MaxLines lines; generated ones may be
// of any length.
func (t *Tree) LongFiles() (out complaints, err error) {
	err = t.each(func(name string, text []byte) {
		n := bytes.Count(text, []byte("\n"))
		if sources[path.Ext(name)] && n > MaxLines && !generated.Match(text) {
			out.add("%s: %d lines, expected at most %d: split it by what it does", name, n, MaxLines)
		}
	})
	return out, err
}

// Unformatted lists Go files that gofmt would change.
func (t *Tree) Unformatted() (out complaints, err error) {
	err = t.each(func(name string, text []byte) {
		if path.Ext(name) != ".go" || !t.holdsPackage(path.Dir(name)) {
			return
		}
		if want, err := format.Source(text); err != nil || !bytes.Equal(want, text) {
			out.add("%s: not formatted: run gofmt -w", name)
		}
	})
	return out, err
}

// ForbiddenWords lists lines that call something unfinished or name a folder of
// one machine.
func (t *Tree) ForbiddenWords() (out complaints, err error) {
	err = t.each(func(name string, text []byte) {
		if path.Base(name) == "go.sum" {
			return
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			if unfinished.MatchString(line) {
				out.add("%s:%d: unfinished work belongs in an issue: %s", name, n, strings.TrimSpace(line))
			}
			if machine.MatchString(line) {
				out.add("%s:%d: a folder of one machine: %s", name, n, strings.TrimSpace(line))
			}
		}
	})
	return out, err
}

// DeadLinks lists links of Markdown files to files that do not exist.
func (t *Tree) DeadLinks() (out complaints, err error) {
	err = t.each(func(name string, text []byte) {
		if path.Ext(name) != ".md" {
			return
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target := path.Join(path.Dir(name), m[1])
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			if !t.holds(target) {
				out.add("%s: the link to %s leads nowhere", name, m[1])
			}
		}
	})
	return out, err
}

// holds reports whether a path names a file, or a folder with files in it: an
// empty folder does not survive a clone.
func (t *Tree) holds(target string) bool {
	return target == "." || slices.ContainsFunc(t.Files, func(name string) bool {
		return name == target || strings.HasPrefix(name, target+"/")
	})
}

// Replacements lists replace directives of go.mod: they do not hold for those who
// install the program with go install.
func (t *Tree) Replacements() (out complaints, err error) {
	mod, err := fs.ReadFile(t.FS, "go.mod")
	if err != nil {
		return nil, err
	}
	n := 0
	for line := range strings.Lines(string(mod)) {
		n++
		if words := strings.Fields(line); len(words) > 0 && words[0] == "replace" {
			out.add("go.mod:%d: a replace directive: %s", n, strings.TrimSpace(line))
		}
	}
	return out, nil
}
