package config

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// Write writes the configuration as commented TOML with every key, which reads
// back to an equal Run. A parent is not written: what it gave is in the values.
func Write(w io.Writer, r Run) error {
	b := bufio.NewWriter(w)
	section := ""
	for _, f := range Fields() {
		if f.Section != section {
			if section != "" {
				fmt.Fprintln(b)
			}
			section = f.Section
			fmt.Fprintf(b, "[%s]\n", section)
		}
		fmt.Fprintf(b, "# %s%s\n%s = %s\n", f.Help, f.limits(), f.Key, literal(f.value(&r).Interface()))
	}
	return b.Flush()
}

// limits adds to the help what the help does not say.
func (f Field) limits() string {
	switch {
	case f.Range != nil:
		return " (" + f.Range.String() + ")"
	case f.OneOf != nil:
		return " (" + strings.Join(f.OneOf, ", ") + ")"
	}
	return ""
}

// literal writes a field's value in TOML notation.
func literal(v any) string {
	switch v := v.(type) {
	case float64:
		return floatLiteral(v)
	case time.Duration:
		return strconv.Quote(v.String())
	case Size:
		if s := v.String(); s != strconv.FormatInt(int64(v), 10) {
			return strconv.Quote(s)
		}
	case []string:
		return listLiteral(v)
	case string:
		return stringLiteral(v)
	}
	return fmt.Sprint(v)
}

func listLiteral(list []string) string {
	var quoted []string
	for _, s := range list {
		quoted = append(quoted, stringLiteral(s))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// floatLiteral keeps the shortest digits that read back to v, with a point or an
// exponent, since TOML tells floats from integers by them.
func floatLiteral(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if strings.ContainsAny(s, ".eni") {
		return s
	}
	return s + ".0"
}

// stringLiteral quotes text; what needs escapes is left to the TOML library,
// whose escapes are not Go's.
func stringLiteral(s string) string {
	if quoted := strconv.Quote(s); len(quoted) == len(s)+2 {
		return quoted
	}
	text, err := toml.Marshal(map[string]string{"v": s})
	if err != nil {
		return strconv.Quote(s)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(text), "v = "))
}

// Changes lists, as "section.key = value", what differs from the defaults of the
// configuration's strategy.
func Changes(r Run) []string {
	base := Default(r.Strategy.Name)
	var out []string
	for _, f := range Fields() {
		if v := literal(f.value(&r).Interface()); v != literal(f.value(&base).Interface()) {
			out = append(out, f.Name()+" = "+v)
		}
	}
	return out
}
