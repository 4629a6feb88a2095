package nerfstudio

// Given is a frame as another program's export has it, in this package's terms.
type Given struct {
	FilePath string
	Model    string             // of the lens, in COLMAP's spelling; "" follows from the values
	Values   map[string]float64 // members that describe the lens, by their names here: fl_x, k1, ...
	Focal35  float64            // instead of fl_x: see Lens
	Shift35  [2]float64         // with Focal35: see Lens
	Matrix   [3][4]float64      // camera to world, OpenGL axes
	Problem  string             // why it cannot be used, "" where it can
}

// Build makes a file of given frames, with the checks of Read.
func Build(path string, frames []Given) *File {
	f := &File{Path: path, Total: len(frames)}
	for i, g := range frames {
		if frame, err := g.frame(i); g.Problem != "" {
			f.skip(i, g.FilePath, g.Problem)
		} else if err != nil {
			f.skip(i, g.FilePath, err.Error())
		} else {
			f.Frames = append(f.Frames, frame)
		}
	}
	return f
}

func (g *Given) frame(i int) (Frame, error) {
	k := keys{Model: g.Model}
	for _, n := range k.all() {
		if v, ok := g.Values[n.name]; ok {
			*n.number = number{set: true, v: v}
		}
	}
	if g.Focal35 != 0 {
		k.Fx = number{set: true, v: g.Focal35} // to be checked like one
	}
	if err := k.checkFrame(); err != nil {
		return Frame{}, err
	}
	rows := make([][]number, 3)
	for r, row := range g.Matrix {
		for _, v := range row {
			rows[r] = append(rows[r], number{set: true, v: v})
		}
	}
	pose, err := poseOf(rows)
	if err != nil {
		return Frame{}, err
	}
	l := k.lens()
	if g.Focal35 != 0 {
		l.Fx, l.Focal35, l.Shift35 = 0, g.Focal35, g.Shift35
	}
	return Frame{Index: i, FilePath: g.FilePath, Lens: l, Pose: pose}, nil
}

// Tolerant replaces what Python writes for numbers that are not finite, which no JSON
// has, by null. Lines stay lines.
func Tolerant(data []byte) []byte { return nullNonFinite(data) }
