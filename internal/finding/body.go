package finding

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Callouts are the kinds of callouts: a quotation that begins with [!KIND].
var Callouts = []string{"NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"}

// kvLanguage marks a fenced block of lines "key: value".
const kvLanguage = "kv"

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(calloutTransformer{}, 100))),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100))),
)

// body finds the sections of the Markdown that begins on a line of the file, and
// checks its callouts and key-value blocks.
func (r *reader) body(body string, first int) map[string]section {
	source := []byte(body)
	b := &bodyReader{reader: r, source: source, first: first, found: map[string]section{}}
	doc := markdown.Parser().Parse(text.NewReader(source))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level <= 2 {
			b.heading(h)
		}
	}
	b.close(len(source))
	b.checkOrder()
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			b.checkBlock(n)
		}
		return ast.WalkContinue, nil
	})
	return b.found
}

type bodyReader struct {
	*reader
	source []byte
	first  int // line of the file on which source begins
	found  map[string]section
	order  []string
	open   string // the section being read
	begin  int    // where its text begins
}

// line is the line of the file at an offset.
func (b *bodyReader) line(at int) int { return b.first + bytes.Count(b.source[:at], []byte("\n")) }

func (b *bodyReader) heading(h *ast.Heading) {
	at, title := len(b.source), ""
	if h.Lines().Len() > 0 {
		seg := h.Lines().At(0)
		at, title = seg.Start, strings.TrimSpace(string(seg.Value(b.source)))
	}
	start := bytes.LastIndexByte(b.source[:at], '\n') + 1
	b.close(start)
	line := b.line(start)
	switch {
	case h.Level != 2 || !slices.Contains(Sections, title):
		b.problem(line, "found the heading %q, expected ## and one of %s; headings inside a section begin with ###", title, strings.Join(Sections, ", "))
	case b.found[title].line != 0:
		b.problem(line, "found a second section %s, the first is on line %d; expected one", title, b.found[title].line)
	default:
		b.order = append(b.order, title)
		b.found[title] = section{line: line}
		b.open = title
	}
	b.begin = b.textAfter(at)
}

// textAfter is where the text below a heading begins: after its line and, of one
// that is underlined, after that.
func (b *bodyReader) textAfter(at int) int {
	next := func(at int) int {
		if i := bytes.IndexByte(b.source[at:], '\n'); i >= 0 {
			return at + i + 1
		}
		return len(b.source)
	}
	begin := next(at)
	line := strings.TrimSpace(string(b.source[begin:next(begin)]))
	if line != "" && strings.Trim(line, "-") == "" && !bytes.HasPrefix(bytes.TrimLeft(b.source[bytes.LastIndexByte(b.source[:at], '\n')+1:], " "), []byte("#")) {
		return next(begin)
	}
	return begin
}

// close ends the open section at an offset.
func (b *bodyReader) close(end int) {
	text := ""
	if b.begin < end {
		text = string(b.source[b.begin:end])
	}
	if s := b.found[b.open]; b.open != "" {
		s.from, s.text = b.line(b.begin), text
		b.found[b.open] = s
	} else if len(b.order) == 0 && strings.TrimSpace(comment.ReplaceAllString(text, "")) != "" {
		b.problem(b.first, "found text before the first section, expected ## %s", Sections[0])
	}
	b.open = ""
}

func (b *bodyReader) checkOrder() {
	for _, name := range Sections {
		if b.found[name].line == 0 {
			b.problem(0, "found no section %s, expected ## %s", name, name)
		}
	}
	for i := 1; i < len(b.order); i++ {
		if slices.Index(Sections, b.order[i]) < slices.Index(Sections, b.order[i-1]) {
			b.problem(b.found[b.order[i]].line, "found section %s after %s, expected the order %s", b.order[i], b.order[i-1], strings.Join(Sections, ", "))
		}
	}
}

func (b *bodyReader) checkBlock(n ast.Node) {
	switch n := n.(type) {
	case *ast.Blockquote:
		if kind, at := calloutOf(n, b.source); kind != "" && !slices.Contains(Callouts, kind) {
			b.problem(b.line(at), "found the callout %q, expected one of %s", kind, strings.Join(Callouts, ", "))
		}
	case *ast.FencedCodeBlock:
		if string(n.Language(b.source)) == kvLanguage {
			b.checkPairs(n)
		}
	}
}

func (b *bodyReader) checkPairs(n *ast.FencedCodeBlock) {
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		line := string(seg.Value(b.source))
		if key, _, ok := strings.Cut(line, ":"); strings.TrimSpace(line) != "" && (!ok || strings.TrimSpace(key) == "") {
			b.problem(b.line(seg.Start), "found %q in a kv block, expected key: value", strings.TrimSpace(line))
		}
	}
}
