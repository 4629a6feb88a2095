package ksplat

import (
	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

// Decode reads the content of a .ksplat file. The cloud takes at most 10 times the
// file's size: where sections have different SH degrees, all get the highest.
func Decode(data []byte, name string) (*gaussian.Cloud, *pack.Report, error) {
	h, err := parseHeader(data, name)
	if err != nil {
		return nil, nil, err
	}
	sections, err := h.parseSections(data, name)
	if err != nil {
		return nil, nil, err
	}
	total, degree := int64(0), 0
	for _, s := range sections {
		total += s.splats
		if s.splats > 0 {
			degree = max(degree, s.degree)
		}
	}
	report := &pack.Report{Format: "ksplat"}
	if total != h.splats {
		report.Warnf("%d splats by the header, %d in the sections", h.splats, total)
	}
	d := &decoder{h: h, data: data, c: gaussian.New(int(total), degree)}
	for k, s := range sections {
		if err := d.section(s); err != nil {
			return nil, nil, fault.Dataf("%s: section %d: %w", name, k, err)
		}
	}
	return d.c, report, nil
}

type decoder struct {
	h    *header
	data []byte
	c    *gaussian.Cloud
	at   int // splats so far
}

func (d *decoder) section(s *section) error {
	centres := s.start + 4*s.partial
	rows := d.data[centres+s.bucketBytes*s.buckets:]
	row := int(d.h.row(s.degree))
	b := buckets{s: s, sizes: d.data[s.start:centres], left: s.bucketSize}
	for i := range s.splats {
		centre := [3]float32{}
		if d.h.level > 0 {
			at, ok := b.next()
			if !ok {
				return fault.Dataf("splat %d of %d lies in no bucket", i, s.splats)
			}
			for k := range centre {
				centre[k] = f32(d.data, int(centres+s.bucketBytes*at)+4*k)
			}
		}
		d.splat(s, rows[row*int(i):], centre)
	}
	return nil
}

// buckets walks through the buckets of a section, splat by splat: first the full
// ones, then those whose sizes are listed.
type buckets struct {
	s     *section
	sizes []byte
	at    int64
	left  int64 // splats left in bucket at
}

// next returns the bucket of the next splat; false where there is none.
func (b *buckets) next() (int64, bool) {
	if b.at == 0 && b.s.full == 0 && b.left == b.s.bucketSize {
		b.left = b.size(0)
	}
	for b.left == 0 {
		b.at++
		if b.at >= b.s.full+b.s.partial {
			return 0, false
		}
		b.left = b.size(b.at)
	}
	b.left--
	return b.at, b.at < b.s.full+b.s.partial
}

func (b *buckets) size(at int64) int64 {
	switch {
	case at < b.s.full:
		return b.s.bucketSize
	case at < b.s.full+b.s.partial:
		return int64(u32(b.sizes, int(4*(at-b.s.full))))
	}
	return 0
}

// splat stores one row as the next splat of the cloud.
func (d *decoder) splat(s *section, b []byte, centre [3]float32) {
	i, c := d.at, d.c
	d.at++
	value, width := f32, 4
	if d.h.level > 0 {
		value, width = func(b []byte, at int) float32 { return pack.Half(uint16(u16(b, at))) }, 2
	}
	for k := range 3 {
		if d.h.level > 0 {
			c.Means[3*i+k] = float32((float64(u16(b, 2*k))-s.offset)*s.step + float64(centre[k]))
		} else {
			c.Means[3*i+k] = f32(b, 4*k)
		}
		c.LogScales[3*i+k] = pack.LogSize(float64(value(b, (3+k)*width)))
	}
	for k := range 4 {
		c.Quats[4*i+k] = value(b, (6+k)*width)
	}
	color := b[10*width:]
	sh := c.SH[3*gaussian.Coefficients(c.SHDegree)*i:]
	for k := range 3 {
		sh[k] = pack.Color(color[k])
	}
	c.Opacities[i] = pack.Alpha(color[3])
	d.rest(sh[3:], color[4:], s.degree)
}

// rest stores the bands: each holds its coefficients of red, then of green, of blue.
func (d *decoder) rest(sh []float32, b []byte, degree int) {
	n := 0
	for l := 1; l <= degree; l++ {
		first := l*l - 1
		for channel := range 3 {
			for m := range 2*l + 1 {
				sh[3*(first+m)+channel] = d.coefficient(b, n)
				n++
			}
		}
	}
}

func (d *decoder) coefficient(b []byte, n int) float32 {
	switch d.h.level {
	case 0:
		return f32(b, 4*n)
	case 1:
		return pack.Half(uint16(u16(b, 2*n)))
	}
	return float32(d.h.lo + float64(b[n])/255*(d.h.hi-d.h.lo))
}
