package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"splat/internal/fault"
)

// document is a parsed TOML file.
type document struct {
	parent   Setting // Value is "" where the file has none
	settings []Setting
}

// parse reads a TOML document; name is what errors call it. Every key must be
// known; values are checked later, when they are applied. The decoder gives the
// values, a second pass over the syntax their lines.
func parse(name string, text []byte) (*document, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, fault.Usagef("%s: found UTF-16 text, expected UTF-8", name)
	}
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		var de *toml.DecodeError
		if errors.As(err, &de) {
			line, column := de.Position()
			return nil, fault.Usagef("%s:%d:%d: not valid TOML: %s", name, line, column, strings.TrimPrefix(de.Error(), "toml: "))
		}
		return nil, fault.Usagef("%s: not valid TOML: %v", name, err)
	}
	w := walker{name: name, values: values}
	w.parser.Reset(text)
	var table []string
	for w.parser.NextExpression() {
		node := w.parser.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = keyPath(node)
			w.section(node, table)
		case unstable.KeyValue:
			w.keyValue(node, table)
		}
	}
	return &w.doc, cmp.Or(w.err, w.parser.Error())
}

// walker collects the settings of a document; the first error stays.
type walker struct {
	name   string
	values map[string]any
	parser unstable.Parser
	doc    document
	err    error
}

func (w *walker) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *walker) origin(node *unstable.Node) string {
	it := node.Key()
	it.Next()
	return fmt.Sprintf("%s:%d", w.name, w.parser.Shape(it.Node().Raw).Start.Line)
}

// section checks a [header]. One that opens a known section is fine, everything
// else is a mistake even where nothing follows it.
func (w *walker) section(node *unstable.Node, path []string) {
	name := strings.Join(path, ".")
	known := isSection(name)
	switch {
	case known && node.Kind == unstable.Table:
	case known:
		w.fail(fault.Usagef("%s: found [[%s]], expected [%s]", w.origin(node), name, name))
	default:
		w.fail(fault.Usagef("%s: unknown section [%s]%s", w.origin(node), name, meant(Nearest(name, Sections()))))
	}
}

func (w *walker) keyValue(node *unstable.Node, table []string) {
	path := append(append([]string(nil), table...), keyPath(node)...)
	origin := w.origin(node)
	if value := node.Value(); value.Kind == unstable.InlineTable && isSection(strings.Join(path, ".")) {
		for it := value.Children(); it.Next(); {
			w.keyValue(it.Node(), path)
		}
		return
	}
	w.add(Setting{Key: strings.Join(path, "."), Value: lookupValue(w.values, path), Origin: origin})
}

func (w *walker) add(s Setting) {
	_, known := Lookup(s.Key)
	switch {
	case s.Key == "parent":
		if _, ok := s.Value.(string); !ok {
			w.fail(fault.Usagef("%s: parent: found %s, expected the name of a TOML file in quotes", s.Origin, show(s.Value)))
		}
		w.doc.parent = s
	case known:
		w.doc.settings = append(w.doc.settings, s)
	case isSection(s.Key):
		w.fail(fault.Usagef("%s: %s: found %s, expected a section", s.Origin, s.Key, show(s.Value)))
	default:
		w.fail(unknownKey(s.Origin, s.Key))
	}
}

func isSection(name string) bool {
	for _, s := range Sections() {
		if s == name {
			return true
		}
	}
	return false
}

func keyPath(node *unstable.Node) []string {
	var path []string
	for it := node.Key(); it.Next(); {
		path = append(path, string(it.Node().Data))
	}
	return path
}

// lookupValue follows path through nested tables; nil where it does not lead.
func lookupValue(values map[string]any, path []string) any {
	var v any = values
	for _, key := range path {
		table, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = table[key]
	}
	return v
}
