package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Type is the kind of value a field holds.
type Type string

// The types of fields.
const (
	Int      Type = "int"
	Float    Type = "float"
	Bool     Type = "bool"
	String   Type = "string"
	Duration Type = "duration"
	Bytes    Type = "size"
	List     Type = "list" // of names
)

// Range bounds a number, both ends included; an open end is infinite.
type Range struct{ Min, Max float64 }

// Contains reports whether v lies in the range; NaN never does.
func (r Range) Contains(v float64) bool { return v >= r.Min && v <= r.Max }

// String writes the range as in the tags, "0..1" or "1..".
func (r Range) String() string {
	end := func(v float64) string {
		if math.IsInf(v, 0) {
			return ""
		}
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return end(r.Min) + ".." + end(r.Max)
}

// Field describes one key of the configuration.
type Field struct {
	Section, Key string   // "train", "steps"; "backend.variants", "sort"
	Type         Type     // of the value
	Help         string   // one sentence
	Flag         string   // name of the command-line flag, "" where there is none
	Arg          string   // placeholder of the flag's value in the help
	Range        *Range   // of a number, nil where any will do
	OneOf        []string // the accepted words, nil where any will do
	index        []int    // sections and key in Run, by position
}

// Name returns the full key, "train.steps".
func (f Field) Name() string { return f.Section + "." + f.Key }

// Default returns the default under the given strategy in TOML notation.
func (f Field) Default(strategy string) string {
	r := Default(strategy)
	return literal(f.value(&r).Interface())
}

// Allowed says in words what the field accepts.
func (f Field) Allowed() string {
	switch {
	case f.OneOf != nil:
		return strings.Join(f.OneOf, ", ")
	case f.Range != nil && f.Type == Int:
		return "a whole number in " + f.Range.String()
	case f.Range != nil:
		return "a number in " + f.Range.String()
	}
	return map[Type]string{
		Int: "a whole number", Float: "a number", Bool: "true or false",
		String: "text in quotes", Duration: `a duration in quotes such as "90s"`,
		Bytes: `a size in quotes such as "512MB" or "1.5GiB", or a number of bytes`,
		List:  `a list of names in quotes such as ["loss", "update"]`,
	}[f.Type]
}

// isName reports whether the value names something, such as a file.
func (f Field) isName() bool {
	switch f.Arg {
	case "PATH", "DIR", "FILE", "RUN", "KERNEL":
		return true
	}
	return false
}

func (f Field) value(r *Run) reflect.Value {
	return reflect.ValueOf(r).Elem().FieldByIndex(f.index)
}

// Fields returns every key of the configuration in the order of Run, without
// `parent`, which exists in files only. The slice is shared: do not change it.
var Fields = sync.OnceValue(func() []Field {
	var fields []Field
	run := reflect.TypeFor[Run]()
	for i := range run.NumField() {
		if section := run.Field(i); section.Type.Kind() == reflect.Struct {
			fields = appendSection(fields, section.Tag.Get("toml"), section.Type, []int{i})
		}
	}
	return fields
})

// appendSection appends the keys of a section, which is at index in Run, and those
// of the sections inside of it, which come last there as in TOML.
func appendSection(fields []Field, name string, section reflect.Type, index []int) []Field {
	for i := range section.NumField() {
		field, at := section.Field(i), append(slices.Clone(index), i)
		if field.Tag.Get("toml") == "-" {
			continue
		}
		if field.Type.Kind() == reflect.Struct {
			fields = appendSection(fields, name+"."+field.Tag.Get("toml"), field.Type, at)
			continue
		}
		f := describe(field)
		f.Section, f.index = name, at
		fields = append(fields, f)
	}
	return fields
}

// Sections returns the names of the sections in the order of Run.
func Sections() []string {
	var names []string
	for _, f := range Fields() {
		if len(names) == 0 || names[len(names)-1] != f.Section {
			names = append(names, f.Section)
		}
	}
	return names
}

// Lookup returns the field of a full key such as "train.steps".
func Lookup(name string) (Field, bool) {
	for _, f := range Fields() {
		if f.Name() == name {
			return f, true
		}
	}
	return Field{}, false
}

func describe(s reflect.StructField) Field {
	f := Field{Key: s.Tag.Get("toml"), Help: s.Tag.Get("help"), Flag: s.Tag.Get("flag"), Arg: s.Tag.Get("arg"), Type: typeOf(s.Type)}
	if words := s.Tag.Get("oneof"); words != "" {
		f.OneOf = strings.Split(words, ",")
	}
	if bounds := s.Tag.Get("range"); bounds != "" {
		f.Range = mustRange(bounds)
	}
	return f
}

func typeOf(t reflect.Type) Type {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return Duration
	case reflect.TypeFor[Size]():
		return Bytes
	case reflect.TypeFor[[]string]():
		return List
	}
	switch t.Kind() {
	case reflect.Int:
		return Int
	case reflect.Float64:
		return Float
	case reflect.Bool:
		return Bool
	case reflect.String:
		return String
	}
	panic(fmt.Sprintf("config: a field of type %v has no TOML form", t))
}

// mustRange parses a range tag; a malformed tag is a mistake in Run, found by
// any test that calls Fields.
func mustRange(tag string) *Range {
	lo, hi, ok := strings.Cut(tag, "..")
	end := func(s string, open float64) float64 {
		if s == "" {
			return open
		}
		v, err := strconv.ParseFloat(s, 64)
		ok = ok && err == nil
		return v
	}
	r := &Range{end(lo, math.Inf(-1)), end(hi, math.Inf(1))}
	if !ok || r.Min > r.Max {
		panic("config: malformed range tag " + strconv.Quote(tag))
	}
	return r
}
