package cli

import (
	"strings"
	"unicode/utf8"
)

// textTable is a plain text table; a column whose title begins with ">" is of numbers and
// lines up on the right.
type textTable struct {
	right []bool
	rows  [][]string
}

func newTable(titles ...string) *textTable {
	t := &textTable{}
	var row []string
	for _, title := range titles {
		name, right := strings.CutPrefix(title, ">")
		t.right, row = append(t.right, right), append(row, name)
	}
	t.rows = append(t.rows, row)
	return t
}

func (t *textTable) row(cells ...string) { t.rows = append(t.rows, cells) }

// String is the table, without a line end.
func (t *textTable) String() string {
	widths := make([]int, len(t.right))
	for _, row := range t.rows {
		for c, cell := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
		}
	}
	var lines []string
	for _, row := range t.rows {
		var b strings.Builder
		for c, cell := range row {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			if t.right[c] {
				cell = pad + cell
			} else {
				cell += pad
			}
			b.WriteString(cell + "  ")
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return strings.Join(lines, "\n")
}
