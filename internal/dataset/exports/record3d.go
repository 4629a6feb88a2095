package exports

import (
	"encoding/json"
	"fmt"
	"math"

	"splat/internal/dataset/nerfstudio"
	"splat/internal/geom"
)

// record3D reads metadata.json of Record3D's export as EXR or PNG with pictures rgb/0,
// rgb/1, ...: K column by column, a pose for each picture as quaternion x y z w and
// position, camera to world, y up.
func record3D(data []byte) ([]nerfstudio.Given, error) {
	var raw struct {
		K     []*float64   `json:"K"`
		W     float64      `json:"w"`
		H     float64      `json:"h"`
		Poses [][]*float64 `json:"poses"`
		Each  [][]*float64 `json:"perFrameIntrinsicCoeffs"` // fx fy cx cy
	}
	if err := json.Unmarshal(nerfstudio.Tolerant(data), &raw); err != nil {
		return nil, fmt.Errorf("not metadata of Record3D: %w", err)
	}
	if len(raw.K) != 9 || len(raw.Poses) == 0 {
		return nil, fmt.Errorf("K has %d numbers and there are %d poses, expected 9 and at least 1", len(raw.K), len(raw.Poses))
	}
	k := values(raw.K)
	frames := make([]nerfstudio.Given, len(raw.Poses))
	for i, p := range raw.Poses {
		g := &frames[i]
		g.FilePath = fmt.Sprintf("rgb/%d", i)
		c := []float64{k[0], k[4], k[6], k[7]}
		if len(raw.Each) == len(raw.Poses) && len(raw.Each[i]) == 4 {
			c = values(raw.Each[i])
		}
		g.Values = map[string]float64{"fl_x": c[0], "fl_y": c[1], "cx": c[2], "cy": c[3], "w": raw.W, "h": raw.H}
		if len(p) != 7 {
			g.Problem = fmt.Sprintf("its pose has %d numbers, expected 7", len(p))
			continue
		}
		g.Matrix, g.Problem = fromQuaternion(values(p))
	}
	return frames, nil
}

// values are JSON numbers, NaN for null.
func values(list []*float64) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = math.NaN()
		if v != nil {
			out[i] = *v
		}
	}
	return out
}

// fromQuaternion makes a matrix of x y z w and a position.
func fromQuaternion(p []float64) (m [3][4]float64, problem string) {
	q := geom.Quat{p[3], p[0], p[1], p[2]}
	n := 0.0
	for _, v := range q {
		n += v * v
	}
	if !(n > 0) || math.IsInf(n, 0) {
		return m, "its quaternion is zero or not finite"
	}
	r := q.Matrix()
	for i := range 3 {
		m[i] = [4]float64{r[3*i], r[3*i+1], r[3*i+2], p[4+i]}
	}
	return m, ""
}
