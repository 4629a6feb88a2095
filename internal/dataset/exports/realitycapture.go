package exports

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"splat/internal/dataset/nerfstudio"
)

// realityCapture reads the CSV that RealityCapture and RealityScan call internal and
// external camera parameters: name, position x y alt, heading (clockwise from y, about
// the vertical), pitch and roll in degrees, f and the principal point px py in mm on a
// film of 36 mm, distortion k1 to k4 and t1 t2.
func realityCapture(data []byte) ([]nerfstudio.Given, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	columns, err := csvColumns(r)
	if err != nil {
		return nil, err
	}
	var frames []nerfstudio.Given
	for {
		row, err := r.Read()
		if err == io.EOF {
			return frames, nil
		}
		if err != nil {
			return nil, err // names the line
		}
		if len(row) == 1 && strings.TrimSpace(row[0]) == "" || strings.HasPrefix(row[0], "#") {
			continue
		}
		line, _ := r.FieldPos(0)
		frames = append(frames, csvFrame(columns, row, line))
	}
}

// csvColumns reads up to the line that names the columns.
func csvColumns(r *csv.Reader) (map[string]int, error) {
	for {
		row, err := r.Read()
		if err != nil {
			return nil, errors.New("no line that begins with #name, expected the columns' names")
		}
		if strings.EqualFold(strings.TrimSpace(row[0]), "#name") {
			columns := map[string]int{}
			for i, name := range row {
				columns[strings.ToLower(strings.TrimSpace(name))] = i
			}
			if i, ok := columns["yaw"]; ok {
				columns["heading"] = i
			}
			return columns, needColumns(columns)
		}
	}
}

func needColumns(columns map[string]int) error {
	var missing []string
	for _, name := range []string{"x", "y", "alt", "heading", "pitch", "roll", "f"} {
		if _, ok := columns[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("no column %s; expected the export of internal and external camera parameters", strings.Join(missing, ", "))
	}
	return nil
}

// csvFrame reads a line. Columns that are absent are 0.
func csvFrame(columns map[string]int, row []string, line int) (g nerfstudio.Given) {
	g.FilePath = strings.TrimSpace(row[0])
	get := func(name string) float64 {
		i, ok := columns[name]
		if !ok {
			return 0
		}
		if i >= len(row) {
			g.Problem = fmt.Sprintf("line %d: %d fields, expected %d", line, len(row), len(columns))
			return 0
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(row[i]), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			g.Problem = fmt.Sprintf("line %d: %s: found %q, expected a number", line, name, row[i])
		}
		return v
	}
	g.Matrix = nadir(get("heading"), get("pitch"), get("roll"))
	g.Matrix[0][3], g.Matrix[1][3], g.Matrix[2][3] = get("x"), get("y"), get("alt")
	g.Focal35, g.Shift35 = get("f"), [2]float64{get("px"), get("py")}
	g.Values = map[string]float64{"k1": get("k1"), "k2": get("k2"), "k3": get("k3"), "k4": get("k4"), "p1": get("t1"), "p2": get("t2")}
	if g.Problem == "" && !(g.Focal35 > 0) {
		g.Problem = fmt.Sprintf("line %d: f is %g, expected a positive number of mm", line, g.Focal35)
	}
	return g
}

// nadir returns the axes of a camera that, with all angles 0, looks straight down with
// y at the top of the picture; angles in degrees.
func nadir(heading, pitch, roll float64) (m [3][4]float64) {
	sy, cy := math.Sincos(-heading * math.Pi / 180)
	sp, cp := math.Sincos(pitch * math.Pi / 180)
	sr, cr := math.Sincos(roll * math.Pi / 180)
	m[0] = [4]float64{cy*cr - sy*sp*sr, -sy * cp, cy*sr + sy*sp*cr}
	m[1] = [4]float64{sy*cr + cy*sp*sr, cy * cp, sy*sr - cy*sp*cr}
	m[2] = [4]float64{-cp * sr, sp, cp * cr}
	return m
}
