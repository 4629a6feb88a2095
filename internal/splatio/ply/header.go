package ply

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"splat/internal/fault"
)

// encoding is the way the rows are stored, in the spelling of the header.
type encoding string

const (
	ascii        encoding = "ascii"
	littleEndian encoding = "binary_little_endian"
	bigEndian    encoding = "binary_big_endian"
)

// scalar is a numeric type of a property.
type scalar uint8

const (
	int8Type scalar = iota + 1
	uint8Type
	int16Type
	uint16Type
	int32Type
	uint32Type
	float32Type
	float64Type
)

var scalarNames = map[string]scalar{
	"char": int8Type, "int8": int8Type,
	"uchar": uint8Type, "uint8": uint8Type,
	"short": int16Type, "int16": int16Type,
	"ushort": uint16Type, "uint16": uint16Type,
	"int": int32Type, "int32": int32Type,
	"uint": uint32Type, "uint32": uint32Type,
	"float": float32Type, "float32": float32Type,
	"double": float64Type, "float64": float64Type,
}

// bytes returns the size of a value in a binary file.
func (s scalar) bytes() int {
	switch s {
	case int8Type, uint8Type:
		return 1
	case int16Type, uint16Type:
		return 2
	case float64Type:
		return 8
	}
	return 4
}

// isFloat reports whether values of the type are floating point.
func (s scalar) isFloat() bool { return s == float32Type || s == float64Type }

// property is one column of an element. For a list, typ is the type of the
// items and count the type of the number before them; count is 0 otherwise.
type property struct {
	name  string
	typ   scalar
	count scalar
}

func (p property) isList() bool { return p.count != 0 }

// element is one table of the file.
type element struct {
	name  string
	rows  int64
	props []property
}

// index returns the position of the scalar property name, or -1.
func (e *element) index(name string) int {
	return slices.IndexFunc(e.props, func(p property) bool { return p.name == name && !p.isList() })
}

// hasLists reports whether rows vary in size.
func (e *element) hasLists() bool { return slices.ContainsFunc(e.props, property.isList) }

// minRow returns the size of the smallest possible row in a binary file: the
// size of every row where there are no lists.
func (e *element) minRow() int64 {
	size := 0
	for _, p := range e.props {
		if p.isList() {
			size += p.count.bytes()
		} else {
			size += p.typ.bytes()
		}
	}
	return int64(size)
}

// header is everything before the rows.
type header struct {
	encoding encoding
	elements []element
	comments []string
	size     int64 // bytes, up to and including the end of the line end_header
	lines    int
}

// maxHeader limits the size of a header, and of a line in an ASCII file.
const maxHeader = 1 << 20

// headerParser reads a header line by line.
type headerParser struct {
	name string
	r    *bufio.Reader
	h    header
}

// readHeader consumes the header from r, which must buffer maxHeader bytes. name
// is the file's name in messages.
func readHeader(r *bufio.Reader, name string) (*header, error) {
	p := &headerParser{name: name, r: r}
	head, _ := r.Peek(16)
	magic, err := p.line()
	if err != nil || magic != "ply" {
		return nil, fault.Dataf("%s: not a PLY file: found %s at its beginning, expected a line \"ply\"", name, beginning(head))
	}
	for {
		line, err := p.line()
		if err != nil {
			return nil, err
		}
		if line == "end_header" {
			return &p.h, p.check()
		}
		if err := p.parse(line); err != nil {
			return nil, fault.Dataf("%s: header line %d: %w", name, p.h.lines, err)
		}
	}
}

// beginning tells the first bytes of a file, of its first line only.
func beginning(head []byte) string {
	if len(head) == 0 {
		return "nothing"
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return quote(string(line))
}

// line returns the next line without its end.
func (p *headerParser) line() (string, error) {
	raw, err := p.r.ReadSlice('\n')
	p.h.size += int64(len(raw))
	p.h.lines++
	if err != nil || p.h.size > maxHeader {
		return "", fault.Dataf("%s: header line %d: no end_header in %d bytes", p.name, p.h.lines, p.h.size)
	}
	return string(bytes.TrimRight(raw, "\r\n\t ")), nil
}

func (p *headerParser) parse(line string) error {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return nil
	}
	switch fields[0] {
	case "comment", "obj_info":
		text := strings.TrimSpace(strings.TrimLeft(line, " \t")[len(fields[0]):])
		p.h.comments = append(p.h.comments, text)
		return nil
	case "format":
		return p.format(fields)
	case "element":
		return p.element(fields)
	case "property":
		return p.property(fields)
	}
	return fmt.Errorf("unknown keyword %s", quote(fields[0]))
}

func (p *headerParser) format(fields []string) error {
	if len(fields) != 3 {
		return fmt.Errorf("%s, expected \"format ENCODING 1.0\"", quote(strings.Join(fields, " ")))
	}
	switch e := encoding(fields[1]); e {
	case ascii, littleEndian, bigEndian:
		p.h.encoding = e
	default:
		return fmt.Errorf("unknown format %s, expected %s, %s or %s", quote(fields[1]), ascii, littleEndian, bigEndian)
	}
	if fields[2] != "1.0" {
		return fmt.Errorf("PLY version %s, expected 1.0", quote(fields[2]))
	}
	return nil
}

func (p *headerParser) element(fields []string) error {
	if len(fields) != 3 {
		return fmt.Errorf("%s, expected \"element NAME COUNT\"", quote(strings.Join(fields, " ")))
	}
	rows, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || rows < 0 {
		return fmt.Errorf("element %s: count %s is not a number of rows", quote(fields[1]), quote(fields[2]))
	}
	p.h.elements = append(p.h.elements, element{name: fields[1], rows: rows})
	return nil
}

func (p *headerParser) property(fields []string) error {
	if len(p.h.elements) == 0 {
		return fmt.Errorf("property before any element")
	}
	e := &p.h.elements[len(p.h.elements)-1]
	prop, err := parseProperty(fields)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(e.props, func(q property) bool { return q.name == prop.name }) {
		return fmt.Errorf("element %s has two properties %s", quote(e.name), quote(prop.name))
	}
	e.props = append(e.props, prop)
	return nil
}

func parseProperty(fields []string) (property, error) {
	var prop property
	types := fields[1:]
	switch {
	case len(fields) == 3:
		prop.typ = scalarNames[fields[1]]
		types = types[:1]
	case len(fields) == 5 && fields[1] == "list":
		prop.count, prop.typ = scalarNames[fields[2]], scalarNames[fields[3]]
		types = types[1:3]
		if prop.count.isFloat() {
			return prop, fmt.Errorf("list length of type %s, expected an integer type", fields[2])
		}
	default:
		return prop, fmt.Errorf("%s, expected \"property TYPE NAME\" or \"property list TYPE TYPE NAME\"",
			quote(strings.Join(fields, " ")))
	}
	for _, t := range types {
		if scalarNames[t] == 0 {
			return prop, fmt.Errorf("unknown type %s", quote(t))
		}
	}
	prop.name = fields[len(fields)-1]
	return prop, nil
}

func (p *headerParser) check() error {
	if p.h.encoding == "" {
		return fault.Dataf("%s: the header has no format line", p.name)
	}
	return nil
}

// quote makes a piece of the file fit for a message of one line.
func quote(s string) string {
	if len(s) > 60 {
		s = s[:60] + "..."
	}
	return strconv.Quote(s)
}
