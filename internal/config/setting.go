package config

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"splat/internal/fault"
)

// Setting is one value from one place: a line of a file, a --set, a flag.
type Setting struct {
	Key    string // "train.steps"
	Value  any    // as TOML decodes it: string, int64, float64, bool, ...
	Origin string // for error messages: "lego.toml:3", "--set train.steps=x", "--steps"
}

// FlagSetting returns the setting of a command-line flag, its value as typed.
// An empty name is refused: it would mean the same as no flag, and is most often a
// variable of a shell that is not set.
func FlagSetting(f Field, text string) (Setting, error) {
	origin := "--" + f.Flag
	if text == "" && f.isName() {
		return Setting{}, fault.Usagef("%s: %s: found an empty text, expected %s", origin, f.Name(), f.Arg)
	}
	return textSetting(f, text, origin)
}

// ParseSet reads the argument of --set, section.key=value. Text needs no quotes.
func ParseSet(arg string) (Setting, error) {
	origin := "--set " + arg
	name, text, ok := strings.Cut(arg, "=")
	if !ok {
		return Setting{}, fault.Usagef("%s: found no =, expected section.key=value", origin)
	}
	name = strings.TrimSpace(name)
	f, known := Lookup(name)
	if !known {
		return Setting{}, unknownKey(origin, name)
	}
	return textSetting(f, text, origin)
}

// textSetting gives typed text the type that the field wants; numbers and truth
// values are read by TOML's rules, so that 1_000_000 and 5e5 are fine here too. Names
// of a list are separated by commas, or written as in TOML.
func textSetting(f Field, text, origin string) (Setting, error) {
	s := Setting{Key: f.Name(), Value: text, Origin: origin}
	switch isTOML := strings.HasPrefix(strings.TrimSpace(text), "["); {
	case f.Type == String, f.Type == Duration, f.Type == Bytes:
		s.Value = unquote(text)
		return s, nil
	case f.Type == List && !isTOML:
		s.Value = split(text)
		return s, nil
	}
	var doc map[string]any
	trimmed := strings.TrimSpace(text)
	if strings.ContainsAny(trimmed, "\n\r#") || toml.Unmarshal([]byte("v = "+trimmed), &doc) != nil {
		return s, mismatch(s, f)
	}
	s.Value = doc["v"]
	return s, nil
}

// split reads names separated by commas; no text is an empty list.
func split(text string) []any {
	list := []any{}
	if strings.TrimSpace(text) == "" {
		return list
	}
	for name := range strings.SplitSeq(text, ",") {
		list = append(list, unquote(strings.TrimSpace(name)))
	}
	return list
}

// unquote removes the quotes of a TOML string, for those who type them.
func unquote(text string) string {
	if len(text) < 2 || text[0] != '"' && text[0] != '\'' {
		return text
	}
	var doc map[string]any
	if toml.Unmarshal([]byte("v = "+text), &doc) == nil {
		if s, ok := doc["v"].(string); ok {
			return s
		}
	}
	return text
}

// apply stores a setting in the configuration after checking type, range and words.
func (s Setting) apply(r *Run) error {
	f, ok := Lookup(s.Key)
	if !ok {
		return unknownKey(s.Origin, s.Key)
	}
	v, ok := f.convert(s.Value)
	if !ok {
		return mismatch(s, f)
	}
	target := f.value(r)
	switch v := v.(type) {
	case int64:
		target.SetInt(v)
	case float64:
		target.SetFloat(v)
	case bool:
		target.SetBool(v)
	case string:
		target.SetString(v)
	case time.Duration:
		target.SetInt(int64(v))
	case Size:
		target.SetInt(int64(v))
	case []string:
		target.Set(reflect.ValueOf(v))
	}
	return nil
}

// convert returns v in the field's type, and false where it does not fit.
func (f Field) convert(v any) (any, bool) {
	switch f.Type {
	case Int:
		n, ok := v.(int64)
		return n, ok && n >= math.MinInt && n <= math.MaxInt && f.inRange(float64(n))
	case Float:
		if n, ok := v.(int64); ok {
			v = float64(n)
		}
		x, ok := v.(float64)
		return x, ok && f.inRange(x)
	case Bool:
		b, ok := v.(bool)
		return b, ok
	case Duration:
		text, ok := v.(string)
		d, err := time.ParseDuration(text)
		return d, ok && err == nil && d >= 0
	case Bytes:
		if n, ok := v.(int64); ok {
			return Size(n), n >= 0
		}
		text, _ := v.(string)
		return ParseSize(text)
	case List:
		return names(v)
	}
	text, ok := v.(string)
	return text, ok && utf8.ValidString(text) && f.isWord(text)
}

// names returns the names of a TOML list, nil where there are none.
func names(v any) (out []string, ok bool) {
	list, ok := v.([]any)
	for _, v := range list {
		name, isText := v.(string)
		ok = ok && isText && name != "" && utf8.ValidString(name)
		out = append(out, name)
	}
	return out, ok
}

func (f Field) inRange(v float64) bool { return f.Range == nil || f.Range.Contains(v) }

func (f Field) isWord(text string) bool {
	if f.OneOf == nil {
		return true
	}
	for _, w := range f.OneOf {
		if w == text {
			return true
		}
	}
	return false
}

func mismatch(s Setting, f Field) error {
	hint := ""
	if text, ok := s.Value.(string); ok && f.OneOf != nil {
		hint = meant(Nearest(text, f.OneOf))
	}
	found := show(s.Value)
	if list, ok := s.Value.([]any); ok && f.Type == List {
		found = showAll(list)
	}
	return fault.Usagef("%s: %s: found %s, expected %s%s", s.Origin, f.Name(), found, f.expected(s.Value), hint)
}

// showAll writes a list whose elements are what is wrong.
func showAll(list []any) string {
	var parts []string
	for _, v := range list {
		parts = append(parts, show(v))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// expected is Allowed for a value that was refused. Where it is text already,
// quotes are not what is wrong: flags take none.
func (f Field) expected(v any) string {
	text, ok := v.(string)
	switch {
	case !ok || f.OneOf != nil:
		return f.Allowed()
	case f.Type == String:
		return "text in UTF-8"
	case f.Type == Duration && isNegative(text):
		return "a duration of 0s or more"
	case f.Type == Duration:
		return "a duration with its unit such as 90s or 5m"
	case f.Type == Bytes:
		return "a size such as 512MB or 1.5GiB"
	}
	return f.Allowed()
}

func isNegative(duration string) bool {
	d, err := time.ParseDuration(duration)
	return err == nil && d < 0
}

func unknownKey(origin, name string) error {
	return fault.Usagef("%s: unknown key %q%s", origin, name, meant(nearestKey(name)))
}

// show writes a found value for an error message, on one line.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case map[string]any:
		return "a table"
	case []any:
		return "a list"
	case float64:
		if v == math.Trunc(v) && !math.IsInf(v, 0) {
			return floatLiteral(v) // 5.0 is no whole number to TOML
		}
	}
	return fmt.Sprint(v)
}
