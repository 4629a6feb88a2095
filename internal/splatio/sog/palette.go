package sog

import (
	"splat/internal/fault"
	"splat/internal/gaussian"
)

// paletteWidth is how many rows of the palette lie side by side in its picture.
const paletteWidth = 64

// palette is the picture of the higher bands.
type palette struct {
	bands   int
	rows    int
	picture *picture
	part    *part
}

// palette reads shN_centroids; the zero palette where there is none.
func (r *reading) palette() (palette, error) {
	part := r.meta.SHN
	if part == nil {
		return palette{}, nil
	}
	p, err := r.picture(part.Files[0], 0)
	if err != nil {
		return palette{}, err
	}
	bands := part.Bands
	if r.meta.Version == nil {
		bands = bandsOf(p.width)
	}
	if bands == 0 || p.width != paletteWidth*(gaussian.Coefficients(bands)-1) {
		return palette{}, fault.Dataf("%s: %s: %d pixels wide, expected %d times the coefficients of %d bands", r.name, part.Files[0], p.width, paletteWidth, part.Bands)
	}
	rows := paletteWidth * p.height
	if r.meta.Version != nil {
		if part.Count < 0 || part.Count > rows {
			return palette{}, fault.Dataf("%s: %s: %d rows of the palette in a picture of %d", r.name, part.Files[0], part.Count, rows)
		}
		rows = part.Count
	}
	return palette{bands, rows, p, part}, nil
}

// bandsOf tells the bands from the width of the palette's picture; 0 for none.
func bandsOf(width int) int {
	for bands := 1; bands <= gaussian.MaxDegree; bands++ {
		if width == paletteWidth*(gaussian.Coefficients(bands)-1) {
			return bands
		}
	}
	return 0
}

// labels sets the higher bands.
func (r *reading) labels(p palette) error {
	if p.bands == 0 {
		return nil
	}
	labels, err := r.picture(p.part.Files[1], r.meta.Count)
	if err != nil {
		return err
	}
	stride := 3 * gaussian.Coefficients(p.bands)
	outside := 0
	for i := range r.c.Len() {
		b := labels.pixel(i)
		label := int(b[0]) | int(b[1])<<8
		if label >= p.rows {
			outside++
			continue
		}
		p.row(label, r.c.SH[stride*i+3:stride*(i+1)])
	}
	r.report.Counted(outside, r.c.Len(), "name a row that the palette does not have: their SH is zero")
	return nil
}

func (p *palette) row(label int, dst []float32) {
	n := len(dst) / 3
	at := label/paletteWidth*p.picture.width + label%paletteWidth*n
	for k := range n {
		b := p.picture.pixel(at + k)
		for c := range 3 {
			dst[3*k+c] = p.part.scale(b[c], 0)
		}
	}
}
