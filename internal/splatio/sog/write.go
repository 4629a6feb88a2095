package sog

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

// maxSide is the longest side of a WebP picture.
const maxSide = 1 << 14

// Member is a file of a SOG.
type Member struct {
	Name string
	Data []byte
}

// Encode writes the cloud as a bundle and returns what of it the format cannot hold.
// All values must be finite.
func Encode(w io.Writer, c *gaussian.Cloud) (lost []string, err error) {
	members, lost, err := Members(c)
	if err != nil {
		return nil, err
	}
	z := zip.NewWriter(w)
	for _, m := range members {
		// Stored: pictures do not become smaller. Without dates, equal clouds give
		// equal files.
		f, err := z.CreateHeader(&zip.FileHeader{Name: m.Name, Method: zip.Store})
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(m.Data); err != nil {
			return nil, err
		}
	}
	return lost, z.Close()
}

// Members returns the files of the SOG, meta.json last, and what the format cannot
// hold. All values must be finite.
func Members(c *gaussian.Cloud) (members []Member, lost []string, err error) {
	if c.Len() == 0 {
		return nil, nil, fault.Dataf("no splats: SOG has pictures of at least one pixel")
	}
	width := int(math.Ceil(math.Sqrt(float64(c.Len()))))
	if width > maxSide {
		return nil, nil, fault.Dataf("%d splats, SOG holds at most %d", c.Len(), maxSide*maxSide)
	}
	version := 2
	w := &writing{
		c: c.Select(pack.Morton(c)), width: width, height: (c.Len() + width - 1) / width,
		meta: meta{Version: &version, Asset: asset{"splat"}, Count: int64(c.Len()), Antialias: c.Antialiased},
	}
	w.means()
	w.scales()
	w.quats()
	w.colors()
	w.rest()
	b, err := json.Marshal(w.meta)
	if err != nil {
		return nil, nil, err
	}
	w.members = append(w.members, Member{metaFile, b})
	return w.members, w.report.Warnings, nil
}

type writing struct {
	c             *gaussian.Cloud
	width, height int
	meta          meta
	members       []Member
	report        pack.Report
}

func (w *writing) picture() *picture {
	p := &picture{w.width, w.height, make([]byte, 4*w.width*w.height)}
	for i := 3; i < len(p.pix); i += 4 {
		p.pix[i] = 255
	}
	return p
}

// add encodes a picture and lists it in a part of the meta.
func (w *writing) add(to *part, name string, p *picture) {
	to.Files = append(to.Files, name)
	w.members = append(w.members, Member{name, encodeVP8L(p)})
}

func (w *writing) means() {
	m := &w.meta.Means
	m.Mins, m.Maxs = floats{0, 0, 0}, floats{0, 0, 0}
	lo, hi := w.c.Bounds()
	for k := range 3 {
		m.Mins[k], m.Maxs[k] = fold(lo[k]), fold(hi[k])
	}
	low, high := w.picture(), w.picture()
	for i := range w.c.Len() {
		mean := w.c.Mean(i)
		for k := range 3 {
			v := uint16(0)
			if span := m.Maxs[k] - m.Mins[k]; span > 0 {
				v = uint16(min(max(math.Round((fold(mean[k])-m.Mins[k])/span*65535), 0), 65535))
			}
			low.pixel(i)[k], high.pixel(i)[k] = byte(v), byte(v>>8)
		}
	}
	w.add(m, "means_l.webp", low)
	w.add(m, "means_u.webp", high)
}

func (w *writing) scales() {
	m := &w.meta.Scales
	m.Codebook = codebook(w.c.LogScales)
	p := w.picture()
	for i := range w.c.Len() {
		for k := range 3 {
			p.pixel(i)[k] = nearest(m.Codebook, float64(w.c.LogScales[3*i+k]))
		}
	}
	w.add(m, "scales.webp", p)
}

func (w *writing) quats() {
	p := w.picture()
	for i := range w.c.Len() {
		packQuat(p.pixel(i), pack.Unit(w.c.Quats[4*i:4*i+4]))
	}
	w.add(&w.meta.Quats, "quats.webp", p)
}

func packQuat(b []byte, q [4]float64) {
	largest, n := pack.Largest(q), 0
	sign := math.Copysign(1, q[largest])
	for k, v := range q {
		if k != largest {
			b[n] = pack.Byte(255 * (sign*v/math.Sqrt2 + 0.5))
			n++
		}
	}
	b[3] = byte(firstPlace + largest)
}

func (w *writing) colors() {
	stride := 3 * gaussian.Coefficients(w.c.SHDegree)
	var values []float32
	for i := range w.c.Len() {
		values = append(values, w.c.SH[stride*i:stride*i+3]...)
	}
	m := &w.meta.SH0
	m.Codebook = codebook(values)
	p := w.picture()
	for i := range w.c.Len() {
		b := p.pixel(i)
		for k := range 3 {
			b[k] = nearest(m.Codebook, float64(values[3*i+k]))
		}
		b[3] = pack.AlphaByte(w.c.Opacities[i])
	}
	w.add(m, "sh0.webp", p)
}

// maxBands is the highest SH degree that programs read.
const maxBands = 3

// rest writes the higher bands as a palette.
func (w *writing) rest() {
	bands := min(w.c.SHDegree, maxBands)
	if bands < w.c.SHDegree {
		w.report.Warnf("SOG holds SH degree %d at most: degree %d becomes %d", maxBands, w.c.SHDegree, bands)
	}
	if bands == 0 {
		return
	}
	n := gaussian.Coefficients(bands) - 1
	full, kept := 3*gaussian.Coefficients(w.c.SHDegree), 3*n
	rows := make([]float32, 0, kept*w.c.Len())
	for i := range w.c.Len() {
		rows = append(rows, w.c.SH[full*i+3:full*i+3+kept]...)
	}
	means, labels := cluster(rows, kept, maxRows)
	count := len(means) / kept
	if count == maxRows {
		w.report.Warnf("%d splats share a palette of %d SH rows", w.c.Len(), count)
	}
	w.meta.SHN = &part{Count: count, Bands: bands, Codebook: codebook(means)}
	w.add(w.meta.SHN, "shN_centroids.webp", centroids(means, n, w.meta.SHN.Codebook))
	p := w.picture()
	for i, label := range labels {
		b := p.pixel(i)
		b[0], b[1] = byte(label), byte(label>>8)
	}
	w.add(w.meta.SHN, "shN_labels.webp", p)
}

// centroids is the picture of a palette of rows of n coefficients.
func centroids(means []float32, n int, book []float64) *picture {
	count := len(means) / (3 * n)
	p := &picture{width: paletteWidth * n, height: (count + paletteWidth - 1) / paletteWidth}
	p.pix = bytes.Repeat([]byte{0, 0, 0, 255}, p.width*p.height)
	for label := range count {
		at := label/paletteWidth*p.width + label%paletteWidth*n
		for k := range n {
			b := p.pixel(at + k)
			for c := range 3 {
				b[c] = nearest(book, float64(means[3*(label*n+k)+c]))
			}
		}
	}
	return p
}

// Names returns the files that a meta.json names; none where it cannot be read.
func Names(path string) (names []string) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	m, err := parseMeta(b, path)
	if err != nil {
		return nil
	}
	for _, p := range []*part{&m.Means, &m.Scales, &m.Quats, &m.SH0, m.SHN} {
		if p != nil {
			names = append(names, p.Files...)
		}
	}
	return names
}
