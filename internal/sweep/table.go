package sweep

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table is the report for people: a table a capture, and that of the means where there
// are several captures.
func (r *Report) Table() string {
	var b strings.Builder
	for k, scene := range r.Scenes {
		title := scene.Capture
		if len(r.Scenes) > 1 {
			title = fmt.Sprintf("%s (capture %d of %d)", title, k+1, len(r.Scenes))
		}
		var rows []tableRow
		for _, name := range scene.Order {
			row := r.row(name)
			l := row.Runs[k]
			rows = append(rows, tableRow{row, l.Scores, l.Pareto, note(l)})
		}
		r.block(&b, title, rows)
	}
	if len(r.Scenes) > 1 {
		var rows []tableRow
		for i := range r.Rows {
			row := &r.Rows[i]
			rows = append(rows, tableRow{row, row.Mean, row.Pareto, ""})
		}
		r.block(&b, fmt.Sprintf("mean of %d captures", len(r.Scenes)), rows)
	}
	b.WriteString("* nothing else is as good and faster\n")
	return b.String()
}

type tableRow struct {
	row    *Row
	scores *Scores
	pareto bool
	note   string
}

func (r *Report) row(name string) *Row {
	i := slices.IndexFunc(r.Rows, func(row Row) bool { return row.Name == name })
	return &r.Rows[i]
}

// note says why a run has no scores.
func note(l Line) string {
	switch {
	case l.State == Complete:
		return ""
	case l.Reason != "":
		return fmt.Sprintf("%s (exit code %d): %s", l.State, l.Code, l.Reason)
	}
	return string(l.State)
}

// block writes one table.
func (r *Report) block(b *strings.Builder, title string, rows []tableRow) {
	keys := r.keys()
	table := [][]string{append(slices.Clone(keys), "PSNR", "SSIM", "seconds", "splats", "", "")}
	for _, t := range rows {
		cells := r.cells(t.row, keys)
		mark := ""
		if t.pareto {
			mark = "*"
		}
		table = append(table, append(cells, append(t.scores.cells(), mark, t.note)...))
	}
	fmt.Fprintln(b, title)
	writeColumns(b, table, len(keys))
	fmt.Fprintln(b)
}

// keys are the columns that tell the configurations apart; a name where nothing
// varies, or the list's.
func (r *Report) keys() (keys []string) {
	var cases []Case
	for _, row := range r.Rows {
		cases = append(cases, Case{Values: row.Values})
	}
	labels := Labels(cases)
	for _, row := range r.Rows {
		for _, v := range row.Values {
			if l := labels[v.Key]; !slices.Contains(keys, l) {
				keys = append(keys, l)
			}
		}
	}
	if named := slices.ContainsFunc(r.Rows, func(row Row) bool { return !strings.Contains(row.Name, "=") }); named || len(keys) > 4 {
		return []string{"configuration"}
	}
	return keys
}

func (r *Report) cells(row *Row, keys []string) []string {
	if keys[0] == "configuration" {
		return []string{row.Name}
	}
	var cells []string
	labels := Labels([]Case{{Values: row.Values}})
	all := map[string]string{}
	for _, v := range row.Values {
		all[labels[v.Key]], all[v.Key] = v.Text, v.Text
	}
	for _, k := range keys {
		cells = append(cells, all[k])
	}
	return cells
}

// cells writes scores for a table.
func (s *Scores) cells() []string {
	if s == nil {
		return []string{"-", "-", "-", "-"}
	}
	return []string{number(s.PSNR, 2), number(s.SSIM, 4), seconds(s.Seconds), fmt.Sprintf("%.0f", s.Splats)}
}

// seconds writes a time so that short ones can be told apart.
func seconds(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

func number(v *float64, digits int) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, *v)
}

// writeColumns aligns a table: the first so many columns to the left, the numbers that
// follow to the right, and what comes after them to the left.
func writeColumns(b *strings.Builder, table [][]string, left int) {
	width := make([]int, len(table[0]))
	for _, row := range table {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range table {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i >= left && i < left+4 {
				line.WriteString(pad + cell + "  ")
			} else {
				line.WriteString(cell + pad + "  ")
			}
		}
		fmt.Fprintln(b, "  "+strings.TrimRight(line.String(), " "))
	}
}
