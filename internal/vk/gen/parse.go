package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// api is the content of the list.
type api struct {
	results, consts []constant
	handles, enums  map[string]bool
	nulls           map[string]bool
	structs         []*structure
	byName          map[string]*structure
	funcs           []function
}

type constant struct {
	name  string
	value int64
}

// structure is a C structure; sType is empty when it has no type field.
type structure struct {
	name, sType string
	sValue      int64
	fields      []field
}

// field is a member or a parameter; count is 0 unless it is an array.
type field struct {
	ctype, name string
	count       int
}

type function struct {
	table, name, result string
	optional            bool
	params              []field
}

var (
	fieldLine = regexp.MustCompile(`^(.+[ *])(\w+)(?:\[(\d+)\])?$`)
	funcLine  = regexp.MustCompile(`^(global|instance|device) (\??)(\w+) (vk\w+)\((.*)\)$`)
)

// maxParams is maxArgs of package vk.
const maxParams = 12

func parse(text string) (*api, error) {
	a := &api{handles: map[string]bool{}, enums: map[string]bool{}, nulls: map[string]bool{}, byName: map[string]*structure{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if err := a.line(line); err != nil {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
	}
	return a, nil
}

func (a *api) line(line string) error {
	if line[0] == '\t' {
		return a.field(line[1:])
	}
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "result":
		return addConstant(&a.results, rest)
	case "const":
		return addConstant(&a.consts, rest)
	case "handle":
		addNames(a.handles, rest)
	case "enum":
		addNames(a.enums, rest)
	case "null":
		addNames(a.nulls, rest)
	case "struct":
		return a.structure(rest)
	case "func":
		return a.function(rest)
	default:
		return fmt.Errorf("%q, expected result, const, handle, enum, null, struct, func or a field", word)
	}
	return nil
}

func addNames(to map[string]bool, names string) {
	for _, n := range strings.Fields(names) {
		to[n] = true
	}
}

func addConstant(to *[]constant, text string) error {
	name, value, _ := strings.Cut(text, " ")
	v, err := strconv.ParseInt(strings.TrimSpace(value), 0, 64)
	if err != nil {
		return fmt.Errorf("constant %s: %q, expected a number", name, value)
	}
	*to = append(*to, constant{name, v})
	return nil
}

func (a *api) structure(text string) error {
	w := strings.Fields(text)
	if len(w) != 1 && len(w) != 3 {
		return fmt.Errorf("struct %q, expected a name, or a name, a structure type and its value", text)
	}
	s := &structure{name: w[0]}
	if len(w) == 3 {
		v, err := strconv.ParseInt(w[2], 0, 64)
		if err != nil {
			return fmt.Errorf("struct %s: %q, expected a number", s.name, w[2])
		}
		s.sType, s.sValue = w[1], v
	}
	if a.byName[s.name] != nil {
		return fmt.Errorf("struct %s appears twice", s.name)
	}
	a.structs = append(a.structs, s)
	a.byName[s.name] = s
	return nil
}

func (a *api) field(text string) error {
	if len(a.structs) == 0 {
		return fmt.Errorf("field %q belongs to no struct", text)
	}
	f, err := parseField(text)
	if err != nil {
		return err
	}
	s := a.structs[len(a.structs)-1]
	s.fields = append(s.fields, f)
	return nil
}

func parseField(text string) (field, error) {
	m := fieldLine.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return field{}, fmt.Errorf("%q, expected a C type and a name", text)
	}
	count, _ := strconv.Atoi(m[3])
	return field{ctype: strings.TrimSpace(m[1]), name: m[2], count: count}, nil
}

func (a *api) function(text string) error {
	m := funcLine.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("func %q, expected TABLE RESULT NAME(PARAMETERS)", text)
	}
	f := function{table: m[1], optional: m[2] != "", result: m[3], name: m[4]}
	for _, p := range strings.Split(m[5], ",") {
		param, err := parseField(p)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		f.params = append(f.params, param)
	}
	if len(f.params) > maxParams {
		return fmt.Errorf("%s: %d parameters, package vk passes at most %d", f.name, len(f.params), maxParams)
	}
	a.funcs = append(a.funcs, f)
	return nil
}
