package ply

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"splat/internal/fault"
	"splat/internal/gaussian"
)

// Report says what was found in a file besides the splats.
type Report struct {
	Format    string   // "ascii", "binary_little_endian" or "binary_big_endian"
	Packed    bool     // a compressed PLY of SuperSplat
	NonFinite int      // rows dropped because a value was NaN or infinite
	Warnings  []string // what was odd but could be handled, one line each
}

func (r *Report) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// Read reads the splats of a PLY file. Rows with a NaN or infinite value are
// dropped, counted and reported. The memory needed is that of the cloud.
func Read(path string) (*gaussian.Cloud, *Report, error) {
	var cloud *gaussian.Cloud
	var report *Report
	err := withFile(path, func(r io.Reader, size int64) (err error) {
		cloud, report, err = decode(r, size, path)
		return err
	})
	return cloud, report, err
}

// withFile opens a regular file and hands it on with its size.
func withFile(path string, use func(r io.Reader, size int64) error) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fault.Unreadable(path, err)
	case info.IsDir():
		return fault.Dataf("%s: found a folder, expected a PLY file", path)
	case !info.Mode().IsRegular():
		return fault.Dataf("%s: found a pipe or a device, expected a PLY file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return fault.Unreadable(path, err)
	}
	defer f.Close()
	return use(f, info.Size())
}

func decode(r io.Reader, size int64, name string) (*gaussian.Cloud, *Report, error) {
	f, err := open(r, size, name)
	if err != nil {
		return nil, nil, err
	}
	if f.isPacked() {
		return decodePacked(f)
	}
	at, err := f.vertexElement()
	if err != nil {
		return nil, nil, err
	}
	l, err := layoutOf(&f.h.elements[at], name)
	if err != nil {
		return nil, nil, err
	}
	table, err := f.table(at, l.want)
	if err != nil {
		return nil, nil, err
	}
	report := &Report{Format: string(f.h.encoding)}
	b := newBuilder(l, f.h, int(f.h.elements[at].rows))
	for range f.h.elements[at].rows {
		if err := table.next(b.row); err != nil {
			return nil, nil, err
		}
		b.add()
	}
	cloud := b.finish(report)
	f.checkEnd(at, report)
	return cloud, report, nil
}

// vertexElement finds the table of points or splats.
func (f *file) vertexElement() (int, error) {
	at := slices.IndexFunc(f.h.elements, func(e element) bool { return e.name == "vertex" })
	if at < 0 {
		return 0, fault.Dataf("%s: the file has no element \"vertex\"", f.name)
	}
	return at, nil
}

// checkEnd warns about bytes after, or missing from, what follows the splats.
func (f *file) checkEnd(at int, report *Report) {
	if f.h.encoding == ascii {
		if at == len(f.h.elements)-1 {
			if _, err := f.textLine(); err == nil {
				report.warn("line %d and what follows ignored: it comes after the last row that the header declares", f.line)
			}
		}
		return
	}
	end := f.pos
	for _, e := range f.h.elements[at+1:] {
		row := e.minRow()
		if e.hasLists() {
			return
		}
		if row > 0 && e.rows > (f.size-end)/row {
			report.warn("the file is cut in element %s, which is not used", e.name)
			return
		}
		end += e.rows * row
	}
	if end < f.size {
		report.warn("%d bytes after the last row that the header declares ignored", f.size-end)
	}
}

// layout is where the parameters of a splat lie in a row of wanted values: x y z,
// f_dc, f_rest, opacity, scale, rot.
type layout struct {
	want   []int // positions of the properties in the element
	degree int
}

const (
	colMean = 0
	colDC   = 3
	colRest = 6 // followed by opacity, scale and rot
)

func (l *layout) rest() int    { return 3 * (gaussian.Coefficients(l.degree) - 1) }
func (l *layout) opacity() int { return colRest + l.rest() }
func (l *layout) scale() int   { return l.opacity() + 1 }
func (l *layout) rot() int     { return l.opacity() + 4 }

// columnNames returns the names of the wanted properties for a number of f_rest
// properties.
func columnNames(rest int) []string {
	names := []string{"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2"}
	for i := range rest {
		names = append(names, "f_rest_"+strconv.Itoa(i))
	}
	return append(names, "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3")
}

func layoutOf(e *element, name string) (*layout, error) {
	rest := 0
	for _, p := range e.props {
		if strings.HasPrefix(p.name, "f_rest_") {
			rest++
		}
	}
	degree := degreeOf(rest)
	if degree < 0 {
		return nil, fault.Dataf("%s: %d properties f_rest_*, expected 0, 9, 24, 45 or 72 (SH degree 0 to 4)", name, rest)
	}
	l := &layout{degree: degree}
	var missing []string
	for _, column := range columnNames(rest) {
		i := e.index(column)
		if i < 0 {
			missing = append(missing, column)
		}
		l.want = append(l.want, i)
	}
	if len(missing) > 0 {
		return nil, fault.Dataf("%s: %s: element vertex lacks the properties %s", name, whatIs(e), strings.Join(missing, " "))
	}
	return l, nil
}

// degreeOf returns the SH degree that has rest coefficients besides the constant
// ones, or -1.
func degreeOf(rest int) int {
	for degree := range gaussian.MaxDegree + 1 {
		if rest == 3*(gaussian.Coefficients(degree)-1) {
			return degree
		}
	}
	return -1
}

// whatIs names an element that is not a table of splats.
func whatIs(e *element) string {
	if e.index("x") >= 0 && e.index("opacity") < 0 && e.index("f_dc_0") < 0 {
		return "a point cloud, not splats"
	}
	return "not complete splats"
}

// hints are what comments say about the splats. Known are the comment that this
// package writes, "antialiased 1 sh_degree 2" (either part may be absent; the
// first is Postshot's spelling), and Brush's "SplatRenderMode: mip". The last
// one holds.
type hints struct {
	antialiased bool
	degree      int // -1: nothing said
}

func hintsOf(comments []string) hints {
	h := hints{degree: -1}
	for _, c := range comments {
		fields := strings.Fields(c)
		if len(fields) == 2 && fields[0] == "SplatRenderMode:" {
			h.antialiased = fields[1] == "mip"
			continue
		}
		for len(fields) >= 2 && h.take(fields[0], fields[1]) {
			fields = fields[2:]
		}
	}
	return h
}

// take reads one pair and reports whether it is a known one.
func (h *hints) take(key, value string) bool {
	n, err := strconv.Atoi(value)
	if err != nil {
		return false
	}
	switch key {
	case "antialiased":
		h.antialiased = n != 0
	case "sh_degree":
		h.degree = n
	default:
		return false
	}
	return true
}
