package report

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"splat/internal/lab"
)

func keysOf[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

// mostFacts bounds what is shown of a JSON document.
const mostFacts = 80

// flatten lists the values of a JSON object by their names with dots, so that keys of
// other versions show too.
func flatten(text []byte) []pair {
	var root map[string]any
	if json.Unmarshal(text, &root) != nil {
		return nil
	}
	var out []pair
	add(&out, "", root)
	return out
}

func add(out *[]pair, name string, v any) {
	if len(*out) >= mostFacts {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			add(out, strings.TrimPrefix(name+"."+key, "."), v[key])
		}
	case []any:
		var items []string
		for _, item := range v[:min(len(v), 8)] {
			items = append(items, fmt.Sprint(item))
		}
		*out = append(*out, pair{name, strings.Join(items, "; ")})
	case float64:
		*out = append(*out, pair{name, strconv.FormatFloat(v, 'f', -1, 64)})
	case nil:
		*out = append(*out, pair{name, "–"})
	default:
		*out = append(*out, pair{name, fmt.Sprint(v)})
	}
}

// kernelShare is a row of the table that a profiled run leaves in its log.
type kernelShare struct {
	Stage, Kernel string
	Share         float64 // per cent
}

// readKernels looks for the last table of kernels in the log: a header with the words
// kernel and share, then rows that end with a share.
func (r *Run) readKernels() {
	text, err := os.ReadFile(filepath.Join(r.Dir, lab.LogFile))
	if err != nil {
		r.miss("%s is not there: no shares of kernels", lab.LogFile)
		return
	}
	var rows []kernelShare
	in := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(strings.ReplaceAll(stamp.ReplaceAllString(line, ""), " %", "%"))
		if words := strings.Fields(line); slices.Contains(words, "kernel") && slices.Contains(words, "share") {
			in, rows = true, nil
			continue
		}
		row, ok := shareOf(columns.Split(line, -1))
		if in = in && (ok || len(rows) == 0); in && ok && !row.sum() {
			rows = append(rows, row)
		}
	}
	if r.kernels = rows; len(rows) == 0 {
		r.miss("the run did not time its kernels (backend.profile): no shares")
	}
	slices.SortStableFunc(r.kernels, func(a, b kernelShare) int { return int(1e6 * (b.Share - a.Share)) })
	r.kernels = foldMinor(r.kernels)
}

// minor is a share, in per cent, below which kernels are counted and not listed.
const minor = 0.5

// foldMinor replaces the kernels with small shares by one row, where they are many.
func foldMinor(rows []kernelShare) []kernelShare {
	rest, n := 0.0, 0
	large := make([]kernelShare, 0, len(rows))
	for _, r := range rows {
		if r.Share < minor {
			rest, n = rest+r.Share, n+1
			continue
		}
		large = append(large, r)
	}
	if n < 3 {
		return rows
	}
	return append(large, kernelShare{Kernel: itoa(n) + " more", Share: rest})
}

// stamp is the time in front of a line of the log.
var stamp = regexp.MustCompile(`^\d\d:\d\d:\d\d `)

// sum reports whether a row adds up others.
func (k kernelShare) sum() bool {
	return strings.HasSuffix(k.Kernel, "(all)") || k.Stage == "total" || k.Kernel == "total"
}

// columns are what is between two columns of such a table: names may hold one space.
var columns = regexp.MustCompile(`\s{2,}`)

// shareOf reads a row of such a table: cells that name group, stage and kernel, then
// numbers, of which the first in per cent is the share.
func shareOf(cells []string) (row kernelShare, ok bool) {
	first := slices.IndexFunc(cells, numeric)
	if first < 1 || len(cells)-first < 3 && cells[first-1] != "(all)" {
		return row, false
	}
	row.Kernel = cells[first-1]
	row.Stage = strings.Join(slices.Compact(slices.Clone(cells[:first-1])), " \u00b7 ")
	i := slices.IndexFunc(cells[first:], func(c string) bool { return strings.HasSuffix(c, "%") && numeric(c) })
	if i < 0 {
		return row, false
	}
	row.Share, _ = strconv.ParseFloat(strings.TrimSuffix(cells[first+i], "%"), 64)
	return row, true
}

func numeric(word string) bool {
	v, err := strconv.ParseFloat(strings.TrimSuffix(word, "%"), 64)
	return err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}
