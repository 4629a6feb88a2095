package kerneltest

import "splat/internal/kernel"

// Model is everything that a training keeps of its splats, all rows of the
// capacity.
type Model struct {
	Control            kernel.Control
	Geom, GeomM, GeomV []float32
	SH, SHM, SHV       []float32
	Stats              []float32
	Stride             int // reals of SH a splat
}

// Splats is the number of live rows.
func (m *Model) Splats() int { return int(m.Control.Splats) }

// Row is the stored geometry of splat i.
func (m *Model) Row(i int) []float32 { return m.Geom[i*kernel.GeomRow : (i+1)*kernel.GeomRow] }

// Color is the stored SH of splat i.
func (m *Model) Color(i int) []float32 { return m.SH[i*m.Stride : (i+1)*m.Stride] }

// Moments are all of Adam's numbers of splat i.
func (m *Model) Moments(i int) (out []float32) {
	out = append(out, m.GeomM[i*kernel.GeomRow:(i+1)*kernel.GeomRow]...)
	out = append(out, m.GeomV[i*kernel.GeomRow:(i+1)*kernel.GeomRow]...)
	out = append(out, m.SHM[i*m.Stride:(i+1)*m.Stride]...)
	return append(out, m.SHV[i*m.Stride:(i+1)*m.Stride]...)
}
