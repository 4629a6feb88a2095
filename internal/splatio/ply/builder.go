package ply

import (
	"slices"

	"splat/internal/gaussian"
)

// builder turns rows into a cloud.
type builder struct {
	layout *layout
	row    []float32 // the current row, in the order of the layout
	cloud  *gaussian.Cloud
	kept   int
	total  int

	bad, firstBad int  // rows that were dropped
	noRotation    int  // rows with a quaternion of zeros
	raised        bool // the cloud's degree was raised against the comment
}

// newBuilder allocates the whole cloud; the caller has checked that the file
// holds so many rows. Where our own comment says that the SH degree is lower than
// the columns could hold, the cloud has that degree, for as long as the surplus
// columns are zero.
func newBuilder(l *layout, h *header, rows int) *builder {
	hint := hintsOf(h.comments)
	degree := l.degree
	if hint.degree >= 0 {
		degree = min(degree, hint.degree)
	}
	b := &builder{layout: l, row: make([]float32, len(l.want)), total: rows}
	b.cloud = gaussian.New(rows, degree)
	b.cloud.Antialiased = hint.antialiased
	return b
}

// add appends the current row unless a value in it is not finite.
func (b *builder) add() {
	index := b.kept + b.bad
	if slices.ContainsFunc(b.row, notFinite) {
		if b.bad == 0 {
			b.firstBad = index
		}
		b.bad++
		return
	}
	if b.cloud.SHDegree < b.layout.degree && b.surplus() {
		b.cloud.SetDegree(b.layout.degree)
		b.raised = true
	}
	b.store(b.kept)
	b.kept++
}

// notFinite is true for NaN and both infinities.
func notFinite(v float32) bool { return v-v != 0 }

// surplus reports whether a coefficient above the cloud's degree is not zero.
func (b *builder) surplus() bool {
	have, fits := gaussian.Coefficients(b.layout.degree)-1, gaussian.Coefficients(b.cloud.SHDegree)-1
	for c := range 3 {
		channel := b.row[colRest+c*have : colRest+(c+1)*have]
		if slices.ContainsFunc(channel[fits:], func(v float32) bool { return v != 0 }) {
			return true
		}
	}
	return false
}

// store writes the current row to splat i, transposing SH from channel by channel
// to coefficient by coefficient.
func (b *builder) store(i int) {
	c, row := b.cloud, b.row
	opacity := b.layout.opacity()
	copy(c.Means[3*i:3*i+3], row[colMean:])
	c.Opacities[i] = row[opacity]
	copy(c.LogScales[3*i:3*i+3], row[b.layout.scale():])
	quat := c.Quats[4*i : 4*i+4]
	copy(quat, row[b.layout.rot():])
	if quat[0] == 0 && quat[1] == 0 && quat[2] == 0 && quat[3] == 0 {
		b.noRotation++
	}
	coefficients := gaussian.Coefficients(c.SHDegree)
	sh := c.SH[3*coefficients*i : 3*coefficients*(i+1)]
	copy(sh, row[colDC:colDC+3])
	have := gaussian.Coefficients(b.layout.degree) - 1
	for channel := range 3 {
		rest := row[colRest+channel*have:]
		for k := 1; k < coefficients; k++ {
			sh[3*k+channel] = rest[k-1]
		}
	}
}

// finish cuts the cloud to the rows that were kept and reports the rest.
func (b *builder) finish(report *Report) *gaussian.Cloud {
	c, n := b.cloud, b.kept
	c.Means, c.Quats, c.LogScales, c.Opacities = c.Means[:3*n], c.Quats[:4*n], c.LogScales[:3*n], c.Opacities[:n]
	c.SH = c.SH[:3*gaussian.Coefficients(c.SHDegree)*n]
	report.NonFinite = b.bad
	if b.bad > 0 {
		report.warn("%d of %d splats dropped because of NaN or infinite values, the first is row %d", b.bad, b.total, b.firstBad)
	}
	if b.noRotation > 0 {
		report.warn("%d of %d splats have a rotation of zero length", b.noRotation, b.total)
	}
	if b.raised {
		report.warn("a comment says a lower SH degree, but coefficients up to degree %d are not zero", c.SHDegree)
	}
	return c
}
