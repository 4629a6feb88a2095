package nerfstudio

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
)

// number is a JSON number that may be absent (not set) or, as null, not finite:
// Parse replaces the bare words NaN and Infinity, which Python writes, by null.
type number struct {
	set bool
	v   float64
	odd string // in words, what is there that is no number; "" for numbers
}

// finite holds for numbers that float32, in which training computes, can hold.
func (n number) finite() bool { return math.Abs(n.v) <= math.MaxFloat32 }

// UnmarshalJSON reads a number or null; numbers too big for float64 count as
// infinite. Anything else is kept in words, for those who know the member's name.
func (n *number) UnmarshalJSON(data []byte) error {
	n.set = true
	if string(data) == "null" {
		n.v = math.NaN()
		return nil
	}
	v, err := strconv.ParseFloat(string(data), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		n.odd = valueWords(data)
	}
	n.v = v
	return nil
}

// nullNonFinite replaces the bare words NaN, Inf and Infinity (any case, with or
// without a sign) outside strings by null. Lines stay lines.
func nullNonFinite(data []byte) []byte {
	out := make([]byte, 0, len(data)+64)
	for len(data) > 0 {
		n := 1
		switch c := data[0]; {
		case c == '"':
			n = stringLen(data)
		case isLetter(c):
			n = wordLen(data)
			if isNonFinite(data[:n]) {
				out = append(bytes.TrimRight(out, "+-"), "null"...)
				data = data[n:]
				continue
			}
		}
		out, data = append(out, data[:n]...), data[n:]
	}
	return out
}

// stringLen returns the length of the JSON string that data begins with,
// including the quotes; an unfinished one reaches to the end.
func stringLen(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

func wordLen(data []byte) int {
	n := 0
	for n < len(data) && isLetter(data[n]) {
		n++
	}
	return n
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isNonFinite(word []byte) bool {
	switch strings.ToLower(string(word)) {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}
