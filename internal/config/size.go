package config

import (
	"math/big"
	"strconv"
	"strings"
)

// Size is an amount of memory in bytes. In files it is text with a unit, "512MB" or
// "1.5GiB", or a number of bytes.
type Size int64

// units are the units of sizes, larger ones first.
var units = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40}, {"TB", 1e12}, {"GiB", 1 << 30}, {"GB", 1e9},
	{"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"kB", 1e3}, {"B", 1},
}

// String writes the size in the largest unit of which it is a whole number; a
// number of bytes that no unit fits has none.
func (s Size) String() string {
	for _, u := range units {
		if s != 0 && int64(s)%u.bytes == 0 && u.bytes > 1 {
			return strconv.FormatInt(int64(s)/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// longestSize bounds the text of a size: more digits than that mean nothing.
const longestSize = 32

// ParseSize reads a size: digits, perhaps with a point, and a unit in any case, with
// or without a space before it. Parts of a byte are dropped.
func ParseSize(text string) (Size, bool) {
	number, factor := strings.ToLower(strings.TrimSpace(text)), int64(1)
	if len(number) > longestSize {
		return 0, false
	}
	for _, u := range units {
		if rest, ok := strings.CutSuffix(number, strings.ToLower(u.name)); ok {
			number, factor = strings.TrimRight(rest, " "), u.bytes
			break
		}
	}
	if number == "" || strings.Trim(number, "0123456789.") != "" {
		return 0, false
	}
	value, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, false
	}
	value.Mul(value, new(big.Rat).SetInt64(factor))
	bytes := new(big.Int).Quo(value.Num(), value.Denom())
	return Size(bytes.Int64()), bytes.IsInt64()
}
