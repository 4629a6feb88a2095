package dataset

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"splat/internal/archive"
)

// pictures is an index of the files below a folder, by their slash-separated
// paths in it. Reading each folder once is cheaper than asking for each of
// thousands of names, and lets names differ in case or ending.
type pictures struct {
	dir   string
	exact map[string]bool
	lower map[string][]string // by lower-case path
	stem  map[string][]string // by lower-case path without a picture's ending
	count int                 // files and folders seen
	err   error               // why the folder could not be listed, or not all of it
}

// Limits of what is looked at below a folder, so that a name such as / ends in a
// message and not with all memory.
const (
	maxDepth   = 8
	maxEntries = 1 << 19
)

func indexPictures(dir string) *pictures {
	p := &pictures{dir: dir, exact: map[string]bool{}, lower: map[string][]string{}, stem: map[string][]string{}}
	p.list("", 0)
	return p
}

func (p *pictures) list(rel string, depth int) {
	entries, err := archive.ReadDir(filepath.Join(p.dir, filepath.FromSlash(rel)))
	if rel == "" {
		p.err = err
	}
	for _, e := range entries {
		if hidden(e.Name()) {
			continue
		}
		if p.count++; p.count > maxEntries {
			p.err = fmt.Errorf("more than %d files in it, not all were looked at", maxEntries)
			return
		}
		sub := path.Join(rel, e.Name())
		link := e.Type()&fs.ModeSymlink != 0 && isDir(p.path(sub))
		switch {
		case !e.IsDir() && !link:
			p.add(sub)
		case depth < maxDepth && (!link || leadsOn(p.path(sub))):
			p.list(sub, depth+1)
		}
	}
}

// leadsOn reports whether a link to a folder does not lie in that folder itself.
func leadsOn(link string) bool {
	target, err := filepath.EvalSymlinks(link)
	here, errHere := filepath.EvalSymlinks(filepath.Dir(link))
	if err != nil || errHere != nil {
		return false
	}
	rel, err := filepath.Rel(target, here)
	return err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func (p *pictures) add(rel string) {
	p.exact[rel] = true
	low := strings.ToLower(rel)
	p.lower[low] = append(p.lower[low], rel)
	if isPicture(rel) {
		p.stem[stem(low)] = append(p.stem[stem(low)], rel)
	}
}

// match says how a picture was found.
type match int

const (
	missing     match = iota
	asWritten         // also where only an ending had to be added
	otherCase         // differs in case
	otherEnding       // same stem, another ending
	leaves            // the name leads out of the folder and was not followed
	ambiguous         // several differ from it in case or ending only
)

// isFound reports whether there is a picture to go with.
func (m match) isFound() bool { return m == asWritten || m == otherCase || m == otherEnding }

// find looks a name up: as written, with backslashes as separators, with one of
// the usual endings added; then without regard to case and by stem where that is
// unique. Where it is not, rivals are those that fit equally well.
func (p *pictures) find(name string) (rel string, how match, rivals []string) {
	forms := localForms(name)
	if len(forms) == 0 {
		return "", leaves, nil
	}
	for _, f := range forms {
		if p.exact[f] {
			return f, asWritten, nil
		}
	}
	for _, f := range forms {
		for _, ext := range []string{".png", ".jpg", ".jpeg"} {
			if p.exact[f+ext] {
				return f + ext, asWritten, nil
			}
		}
	}
	for _, f := range forms {
		if c := p.lower[strings.ToLower(f)]; len(c) > 0 {
			return only(c, otherCase)
		}
	}
	for _, f := range forms {
		if c := p.stem[stem(strings.ToLower(f))]; len(c) > 0 {
			return only(c, otherEnding)
		}
	}
	return "", missing, nil
}

// only is the one candidate; more are rivals.
func only(candidates []string, how match) (string, match, []string) {
	if len(candidates) == 1 {
		return candidates[0], how, nil
	}
	return "", ambiguous, candidates
}

// localForms returns the readings of a name that stay inside its folder, best
// first.
func localForms(name string) []string {
	var forms []string
	for _, f := range []string{name, strings.ReplaceAll(name, `\`, "/"), strings.TrimSpace(strings.ReplaceAll(name, `\`, "/"))} {
		if f = path.Clean(f); f != "." && staysInside(f) && !slices.Contains(forms, f) {
			forms = append(forms, f)
		}
	}
	return forms
}

// staysInside is false for absolute names and those with .. in either notation.
func staysInside(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && !slices.Contains(strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// path returns the place of a found picture on disk.
func (p *pictures) path(rel string) string { return filepath.Join(p.dir, filepath.FromSlash(rel)) }

// hidden reports names that are never a user's data: dot files, Mac sidecars
// (._a.jpg) and folders' own files.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || name == "__MACOSX" || strings.EqualFold(name, "Thumbs.db") || strings.EqualFold(name, "desktop.ini")
}

func isPicture(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp":
		return true
	}
	return false
}

// stem drops a picture's ending; other dots stay.
func stem(name string) string {
	if isPicture(name) {
		return strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}
