package house

import (
	"go/ast"
	"strings"
)

// Undocumented lists packages without a package comment and exported names
// without a comment: functions, types, methods of exported types, constants and
// variables (for which the comment of their group, or one behind them, counts).
// Comments of functions and types begin with the name.
func (t *Tree) Undocumented() (out complaints) {
	for _, p := range t.Packages {
		if p.Name == "" {
			continue
		}
		t.checkPackageComment(p, &out)
		for _, f := range p.Source {
			for _, d := range f.AST.Decls {
				checkDecl(f.Path, d, &out)
			}
		}
	}
	return out
}

func (t *Tree) checkPackageComment(p *Package, out *complaints) {
	want := "Package " + p.Name
	if p.Name == "main" {
		want = "Command "
	}
	n := 0
	for _, f := range p.Source {
		if f.AST.Doc != nil && strings.HasPrefix(f.AST.Doc.Text(), want) {
			n++
		}
	}
	if n != 1 {
		out.add("%s: %d package comments that begin with %q, expected 1", p.Path, n, want)
	}
}

func checkDecl(file string, d ast.Decl, out *complaints) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && isExported(d.Recv) {
			checkComment(file, d.Name.Name, d.Doc, out)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			checkSpec(file, d, spec, out)
		}
	}
}

// isExported reports whether a method's receiver is of an exported type; a
// function has no receiver.
func isExported(recv *ast.FieldList) bool {
	if recv == nil {
		return true
	}
	e := recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

func checkSpec(file string, d *ast.GenDecl, spec ast.Spec, out *complaints) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return
		}
		doc := s.Doc
		if doc == nil && len(d.Specs) == 1 {
			doc = d.Doc
		}
		checkComment(file, s.Name.Name, doc, out)
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				out.add("%s: %s has no comment", file, name.Name)
			}
		}
	}
}

// checkComment wants a comment that begins with the name, after an article.
func checkComment(file, name string, doc *ast.CommentGroup, out *complaints) {
	text := doc.Text()
	if text == "" {
		out.add("%s: %s has no comment", file, name)
		return
	}
	for _, article := range []string{"A ", "An ", "The "} {
		text = strings.TrimPrefix(text, article)
	}
	if first, _, _ := strings.Cut(strings.ReplaceAll(text, "\n", " "), " "); strings.Trim(first, ",.:;") != name {
		out.add("%s: the comment of %s begins with %q", file, name, first)
	}
}
