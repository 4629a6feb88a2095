package main

import (
	"fmt"
	"strings"
)

// layout is the Go type of a C type and its size and alignment on 64-bit platforms.
type layout struct {
	goType      string
	size, align int
}

var scalars = map[string]layout{
	"char": {"byte", 1, 1}, "uint8_t": {"byte", 1, 1},
	"int32_t": {"int32", 4, 4}, "uint32_t": {"uint32", 4, 4}, "float": {"float32", 4, 4},
	"VkResult": {"int32", 4, 4},
	"uint64_t": {"uint64", 8, 8}, "size_t": {"uint64", 8, 8}, "VkDeviceSize": {"uint64", 8, 8},
}

// member returns the layout of a field's element type. Pointers are plain numbers:
// what they point to lives in an arena.
func (a *api) member(ctype string) (layout, error) {
	name := strings.TrimPrefix(ctype, "const ")
	if l, ok := scalars[name]; ok {
		return l, nil
	}
	switch s := a.byName[name]; {
	case strings.HasSuffix(name, "*") || strings.HasPrefix(name, "PFN_"):
		return layout{"uintptr", 8, 8}, nil
	case a.handles[name]:
		return layout{"uint64", 8, 8}, nil
	case a.enums[name]:
		return layout{"uint32", 4, 4}, nil
	case s != nil:
		size, align, err := a.measure(s, nil)
		return layout{goType(name), size, align}, err
	}
	return layout{}, fmt.Errorf("unknown type %q", ctype)
}

// placed is a field at its offset, or padding (no name) of so many bytes.
type placed struct {
	field
	layout
	offset, padding int
}

// measure returns size and alignment of a structure and, when asked for, calls
// visit with its fields and the padding between and behind them.
func (a *api) measure(s *structure, visit func(placed)) (size, align int, err error) {
	if visit == nil {
		visit = func(placed) {}
	}
	align = 1
	for _, f := range s.fields {
		l, err := a.member(f.ctype)
		if err != nil {
			return 0, 0, fmt.Errorf("%s.%s: %w", s.name, f.name, err)
		}
		size = pad(size, l.align, visit)
		visit(placed{field: f, layout: l, offset: size})
		size += l.size * max(f.count, 1)
		align = max(align, l.align)
	}
	return pad(size, align, visit), align, nil
}

func pad(size, align int, visit func(placed)) int {
	n := (align - size%align) % align
	if n > 0 {
		visit(placed{offset: size, padding: n})
	}
	return size + n
}

// param returns how a wrapper takes a parameter and how it passes it on. An empty
// type marks one that is always NULL.
func (a *api) param(f field) (goName, goArg string, err error) {
	base, pointer := strings.CutSuffix(strings.TrimPrefix(f.ctype, "const "), "*")
	if !pointer {
		l, err := a.member(f.ctype)
		return l.goType, fmt.Sprintf("uintptr(%s)", f.name), err
	}
	arg := fmt.Sprintf("uintptr(unsafe.Pointer(%s))", f.name)
	switch {
	case a.nulls[base]:
		return "", "0", nil
	case base == "void":
		return "unsafe.Pointer", fmt.Sprintf("uintptr(%s)", f.name), nil
	case base == "void*":
		return "*unsafe.Pointer", arg, nil
	}
	l, err := a.member(base)
	return "*" + l.goType, arg, err
}
