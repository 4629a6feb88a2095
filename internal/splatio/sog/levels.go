package sog

import (
	"encoding/json"
	"path"
	"slices"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

// lodMeta is lod-meta.json: levels of detail, 0 the finest, in parts.
type lodMeta struct {
	Levels      int      `json:"lodLevels"`
	Environment string   `json:"environment"`
	Files       []string `json:"filenames"`
	Tree        lodNode  `json:"tree"`
}

type lodNode struct {
	Children []lodNode         `json:"children"`
	Lods     map[int]lodExtent `json:"lods"`
}

type lodExtent struct {
	File int `json:"file"`
}

// maxLevels bounds what is believed of a file.
const maxLevels = 64

// levels reads the finest level of which all parts are there, and says which.
func (s *source) levels(name string, report *pack.Report) (*gaussian.Cloud, error) {
	b, err := s.file(name)
	if err != nil {
		return nil, err
	}
	var m lodMeta
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fault.Dataf("%s: %w", path.Join(s.name, name), err)
	}
	if m.Levels < 1 || m.Levels > maxLevels {
		return nil, fault.Dataf("%s: %d levels of detail, expected 1 to %d", path.Join(s.name, name), m.Levels, maxLevels)
	}
	for level := range m.Levels {
		files := m.parts(level)
		if len(files) == 0 || !s.all(files) {
			continue
		}
		if m.Environment != "" && s.all([]string{m.Environment}) {
			files = append(files, m.Environment)
		}
		if level > 0 {
			report.Warnf("level of detail %d of 0 to %d read: files of the finer ones are missing", level, m.Levels-1)
		}
		return s.parts(files, report)
	}
	return nil, fault.Dataf("%s: of no level of detail are all files there, as %q", path.Join(s.name, name), m.first())
}

// parts returns the files of a level, each once.
func (m *lodMeta) parts(level int) (files []string) {
	var walk func(n *lodNode)
	walk = func(n *lodNode) {
		if e, ok := n.Lods[level]; ok && e.File >= 0 && e.File < len(m.Files) && !slices.Contains(files, m.Files[e.File]) {
			files = append(files, m.Files[e.File])
		}
		for k := range n.Children {
			walk(&n.Children[k])
		}
	}
	walk(&m.Tree)
	return files
}

func (m *lodMeta) first() string {
	if len(m.Files) == 0 {
		return ""
	}
	return m.Files[0]
}

// all reports whether all files can be opened.
func (s *source) all(names []string) bool {
	for _, name := range names {
		r, err := s.open(name)
		if err != nil {
			return false
		}
		r.Close()
	}
	return true
}

// parts reads several SOGs into one cloud of their highest SH degree.
func (s *source) parts(names []string, report *pack.Report) (*gaussian.Cloud, error) {
	var all *gaussian.Cloud
	for _, name := range names {
		c, err := s.read(name, report)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = c
			continue
		}
		degree := max(all.SHDegree, c.SHDegree)
		all.SetDegree(degree)
		c.SetDegree(degree)
		if err := all.Append(c); err != nil {
			return nil, err
		}
	}
	return all, nil
}
