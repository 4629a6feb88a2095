package dataset

import (
	"fmt"
	"strings"
)

// few lists the first names of a possibly long list for a message.
func few(names []string) string {
	const most = 10
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// firstOf is few for warnings, which name three.
func firstOf(names []string) string {
	if len(names) > 3 {
		return strings.Join(names[:3], "; ") + fmt.Sprintf("; and %d more", len(names)-3)
	}
	return strings.Join(names, "; ")
}

// plural returns "1 view", "2 views".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
