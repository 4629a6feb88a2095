package ply

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"splat/internal/fault"
)

// asciiRows reads rows of text, one a line; blank lines do not count.
type asciiRows struct {
	f     *file
	e     *element
	slots []int // where each property goes, -1 for nowhere
	row   int64
	rest  []byte // of the current line
}

func newASCIIRows(f *file, e *element, want []int) *asciiRows {
	return &asciiRows{f: f, e: e, slots: slotsOf(e, want)}
}

func (r *asciiRows) next(dst []float32) error {
	line, err := r.f.textLine()
	if err != nil {
		return r.f.readError(err, r.e, r.row)
	}
	r.rest = line
	for i, p := range r.e.props {
		if err := r.value(p, r.slots[i], dst); err != nil {
			return err
		}
	}
	if extra := r.token(); extra != nil {
		return r.fail("%s is one value too many for %d properties", quote(string(extra)), len(r.e.props))
	}
	r.row++
	return nil
}

func (r *asciiRows) value(p property, slot int, dst []float32) error {
	token := r.token()
	if token == nil {
		return r.fail("property %s is missing", quote(p.name))
	}
	if p.isList() {
		return r.skipList(p, token)
	}
	if slot < 0 {
		return nil
	}
	v, ok := parseNumber(string(token))
	if !ok {
		return r.fail("property %s: %s is not a number", quote(p.name), quote(string(token)))
	}
	dst[slot] = v
	return nil
}

func (r *asciiRows) skipList(p property, length []byte) error {
	n, err := strconv.ParseUint(string(length), 10, 32)
	if err != nil {
		return r.fail("list %s: %s is not a length", quote(p.name), quote(string(length)))
	}
	for i := range n {
		if r.token() == nil {
			return r.fail("list %s has %d of %d values", quote(p.name), i, n)
		}
	}
	return nil
}

func (r *asciiRows) fail(format string, args ...any) error {
	args = append([]any{r.f.name, r.f.line, r.e.name, r.row}, args...)
	return fault.Dataf("%s: line %d (element %s, row %d): "+format, args...)
}

// token cuts the next word off the line; nil where there is none.
func (r *asciiRows) token() []byte {
	start := 0
	for start < len(r.rest) && r.rest[start] <= ' ' {
		start++
	}
	end := start
	for end < len(r.rest) && r.rest[end] > ' ' {
		end++
	}
	word := r.rest[start:end]
	r.rest = r.rest[end:]
	if len(word) == 0 {
		return nil
	}
	return word
}

// textLine returns the next line that is not blank; the last one may lack its
// end. It is valid until the next read.
func (f *file) textLine() ([]byte, error) {
	for {
		line, err := f.r.ReadSlice('\n')
		f.line++
		if len(bytes.TrimSpace(line)) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// parseNumber reads a number in any of the spellings that C libraries print,
// such as "-nan", "-nan(ind)" and "1.#INF". What is out of range is infinite.
func parseNumber(s string) (float32, bool) {
	v, err := strconv.ParseFloat(s, 32)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return float32(v), true
	}
	lower := strings.ToLower(s)
	switch {
	case strings.HasPrefix(strings.TrimLeft(lower, "+-"), "nan"), strings.Contains(lower, "#qnan"), strings.Contains(lower, "#ind"):
		return float32(math.NaN()), true
	case strings.Contains(lower, "#inf"):
		return float32(math.Inf(1)), true
	}
	return 0, false
}
