package vk

import (
	_ "embed"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/layout.txt
var layoutTable string

// Sizes and offsets are those that a C compiler has for the Vulkan headers.
func TestLayout(t *testing.T) {
	seen := 0
	for line := range strings.Lines(layoutTable) {
		words := strings.Fields(line)
		typ, ok := structTypes[words[0]]
		if !ok {
			t.Errorf("%s is not generated", words[0])
			continue
		}
		seen++
		compareLayout(t, typ, words)
	}
	if seen != len(structTypes) {
		t.Errorf("%d of %d structures have a line in layout.txt: make it again", seen, len(structTypes))
	}
}

func compareLayout(t *testing.T, typ reflect.Type, words []string) {
	if got := strconv.Itoa(int(typ.Size())); got != words[1] {
		t.Errorf("%s: %s bytes, C has %s", words[0], got, words[1])
	}
	fields := namedFields(typ)
	if len(fields) != len(words)-2 {
		t.Errorf("%s: %d fields, C has %d", words[0], len(fields), len(words)-2)
		return
	}
	for i, f := range fields {
		name, offset, _ := strings.Cut(words[2+i], ":")
		if got := strconv.Itoa(int(f.Offset)); got != offset {
			t.Errorf("%s.%s at %s, C has %s", words[0], name, got, offset)
		}
		if f.Name != name && name != "type" && name != "range" {
			t.Errorf("%s: field %d is %s, C has %s", words[0], i, f.Name, name)
		}
	}
}

func namedFields(typ reflect.Type) (list []reflect.StructField) {
	for f := range typ.Fields() {
		if f.Name != "_" {
			list = append(list, f)
		}
	}
	return list
}

// Go's collector must have nothing to look for in memory that C writes, and no padding
// may be left to the compiler.
func TestStructsAreFlat(t *testing.T) {
	for name, typ := range structTypes {
		var end uintptr
		for f := range typ.Fields() {
			if f.Offset != end {
				t.Errorf("%s: hidden padding before %s", name, f.Name)
			}
			end = f.Offset + f.Type.Size()
			checkFlat(t, name, f.Type)
		}
		if end != typ.Size() {
			t.Errorf("%s: hidden padding at the end", name)
		}
	}
}

func checkFlat(t *testing.T, name string, typ reflect.Type) {
	switch typ.Kind() {
	case reflect.Array:
		checkFlat(t, name, typ.Elem())
	case reflect.Struct, reflect.Uint8, reflect.Uint32, reflect.Int32, reflect.Uint64, reflect.Uintptr, reflect.Float32:
	default:
		t.Errorf("%s has a %s", name, typ)
	}
}

// Every structure with a type field gets its type from the arena, no two the same.
func TestStructTags(t *testing.T) {
	seen := map[uint32]string{}
	for name, tag := range structTags {
		if other := seen[tag]; other != "" {
			t.Errorf("%s and %s have type %d", name, other, tag)
		}
		seen[tag] = name
	}
	for name, typ := range structTypes {
		if f, ok := typ.FieldByName("sType"); ok && f.Offset != 0 {
			t.Errorf("%s.sType at %d", name, f.Offset)
		}
	}
	if structTags["VK_STRUCTURE_TYPE_SUBMIT_INFO"] != 4 || structTags["VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO"] != 1000207004 {
		t.Error("wrong types")
	}
}
