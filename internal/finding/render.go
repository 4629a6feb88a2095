package finding

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// HTML renders a section. link says where the destination of a link lies on the page,
// "" where it does not: its text stays. Raw HTML is left out, and so are pictures, of
// which the text stays.
func (f *Finding) HTML(name string, link func(string) string) (template.HTML, error) {
	source := []byte(f.Text(name))
	doc := markdown.Parser().Parse(text.NewReader(source))
	relink(doc, link)
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, doc); err != nil {
		return "", err
	}
	return template.HTML(out.String()), nil // goldmark escapes text and drops raw HTML
}

// relink changes the destinations of links, and replaces pictures and links that lead
// nowhere by what is in them.
func relink(doc ast.Node, link func(string) string) {
	var flat []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			to := link(string(n.Destination))
			if n.Destination = []byte(to); to == "" {
				flat = append(flat, n)
			}
		case *ast.Image:
			flat = append(flat, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range flat {
		parent := n.Parent()
		for c := n.FirstChild(); c != nil; c = n.FirstChild() {
			parent.InsertBefore(parent, n, c)
		}
		parent.RemoveChild(parent, n)
	}
}

// calloutOf returns the kind of a callout and where it stands, "" for a plain
// quotation.
func calloutOf(n *ast.Blockquote, source []byte) (kind string, at int) {
	if kind, ok := n.AttributeString("callout"); ok {
		pos, _ := n.AttributeString("at")
		return kind.(string), pos.(int)
	}
	return "", 0
}

// calloutTransformer takes the line [!KIND] out of quotations that begin with one,
// and leaves the kind as an attribute.
type calloutTransformer struct{}

// Transform implements parser.ASTTransformer.
func (calloutTransformer) Transform(doc *ast.Document, r text.Reader, _ parser.Context) {
	source := r.Source()
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		q, ok := n.(*ast.Blockquote)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		p, ok := q.FirstChild().(*ast.Paragraph)
		if !ok || p.Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		seg := p.Lines().At(0)
		line := strings.TrimSpace(string(seg.Value(source)))
		if kind, ok := strings.CutPrefix(line, "[!"); ok && strings.HasSuffix(kind, "]") {
			q.SetAttributeString("callout", strings.TrimSuffix(kind, "]"))
			q.SetAttributeString("at", seg.Start)
			dropLine(q, p, seg.Stop)
		}
		return ast.WalkContinue, nil
	})
}

// dropLine removes the inline nodes of a paragraph's first line, which ends at stop,
// and the paragraph where nothing is left.
func dropLine(q *ast.Blockquote, p *ast.Paragraph, stop int) {
	for c := p.FirstChild(); c != nil; c = p.FirstChild() {
		if t, ok := c.(*ast.Text); !ok || t.Segment.Start >= stop {
			break
		}
		p.RemoveChild(p, c)
	}
	if p.FirstChild() == nil {
		q.RemoveChild(q, p)
	}
}

// blocks renders callouts, key-value blocks, and tables that can scroll.
type blocks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (blocks) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindBlockquote, renderQuote)
	reg.Register(ast.KindFencedCodeBlock, renderFence)
	reg.Register(extast.KindTable, renderTable)
}

func renderQuote(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	kind, _ := calloutOf(n.(*ast.Blockquote), source)
	open, end := "<blockquote>\n", "</blockquote>\n"
	if kind != "" {
		class := template.HTMLEscapeString(strings.ToLower(kind))
		label := strings.ToUpper(class[:min(1, len(class))]) + class[min(1, len(class)):]
		open, end = `<aside class="callout `+class+`"><p class="label">`+label+"</p>\n", "</aside>\n"
	}
	if !entering {
		open = end
	}
	_, err := w.WriteString(open)
	return ast.WalkContinue, err
}

func renderFence(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.FencedCodeBlock)
	var content strings.Builder
	for i := range block.Lines().Len() {
		seg := block.Lines().At(i)
		content.Write(seg.Value(source))
	}
	html := `<pre tabindex="0"><code>` + template.HTMLEscapeString(content.String()) + "</code></pre>\n"
	if string(block.Language(source)) == kvLanguage {
		html = pairs(content.String())
	}
	_, err := w.WriteString(html)
	return ast.WalkSkipChildren, err
}

// pairs renders lines "key: value" as a description list.
func pairs(content string) string {
	var b strings.Builder
	b.WriteString("<dl class=\"kv\">\n")
	for line := range strings.Lines(content) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			b.WriteString("<div><dt>" + template.HTMLEscapeString(strings.TrimSpace(key)) + "</dt><dd>" + template.HTMLEscapeString(strings.TrimSpace(value)) + "</dd></div>\n")
		}
	}
	b.WriteString("</dl>\n")
	return b.String()
}

func renderTable(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	html := "</table></div>\n"
	if entering {
		html = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>\n"
	}
	_, err := w.WriteString(html)
	return ast.WalkContinue, err
}
