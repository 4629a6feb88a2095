package report

import (
	"fmt"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// number writes a value with a fixed number of decimals, a dash where there is none.
func number(digits int, v *float64) string {
	if v == nil {
		return "–"
	}
	return strings.Replace(strconv.FormatFloat(*v, 'f', digits, 64), "-", "−", 1)
}

// signed is number with a sign.
func signed(digits int, v any) string {
	var value float64
	switch v := v.(type) {
	case *float64:
		if v == nil {
			return "–"
		}
		value = *v
	case float64:
		value = v
	}
	text := strconv.FormatFloat(value, 'f', digits, 64)
	switch {
	case strings.Trim(text, "-0.") == "":
		return strings.TrimPrefix(text, "-")
	case value > 0:
		return "+" + text
	}
	return strings.Replace(text, "-", "−", 1)
}

// seconds writes a time: 57.5 s, 4:31 min, 1:02:03 h.
func seconds(v *float64) string {
	switch {
	case v == nil:
		return "–"
	case *v < 100:
		return fmt.Sprintf("%.1f s", *v)
	}
	n := int(*v + 0.5)
	if n < 3600 {
		return fmt.Sprintf("%d:%02d min", n/60, n%60)
	}
	return fmt.Sprintf("%d:%02d:%02d h", n/3600, n/60%60, n%60)
}

// grouped writes a whole number with thin spaces between thousands.
func grouped(v *int) string {
	if v == nil {
		return "–"
	}
	text := strconv.Itoa(*v)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}
