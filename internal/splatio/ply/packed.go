package ply

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

// The compressed PLY of SuperSplat has three elements, in this order:
//
//	chunk   for each 256 splats the bounds of position and log scale, and from 2.0
//	        of colour; 12 or 18 floats
//	vertex  four uints: position in 11, 10, 11 bits between the bounds; rotation as
//	        2 bits with the place of the largest of w x y z and 10 bits for each of
//	        the others; log scale in 11, 10, 11 bits; colour and opacity in 8 each
//	sh      optional: a byte for each f_rest property, (v + 0.5)/32 - 4
const (
	chunkRows   = 256
	packedProps = "packed_position packed_rotation packed_scale packed_color"
	boundNames  = "min_x min_y min_z max_x max_y max_z min_scale_x min_scale_y min_scale_z max_scale_x max_scale_y max_scale_z"
	colorNames  = "min_r min_g min_b max_r max_g max_b"
)

// isPacked reports whether the file is a compressed PLY.
func (f *file) isPacked() bool {
	return slices.ContainsFunc(f.h.elements, func(e element) bool {
		return e.name == "chunk" && e.index("min_x") >= 0 || e.index("packed_position") >= 0
	})
}

// packedFile is a compressed PLY while it is read.
type packedFile struct {
	*file
	chunk, vertex, sh *element // sh may be nil
	bounds            [][18]float32
	cloud             *gaussian.Cloud
}

func decodePacked(f *file) (*gaussian.Cloud, *Report, error) {
	p := &packedFile{file: f}
	if err := p.find(); err != nil {
		return nil, nil, err
	}
	report := &Report{Format: string(f.h.encoding), Packed: true}
	for i := range f.h.elements {
		if err := p.element(&f.h.elements[i]); err != nil {
			return nil, nil, err
		}
	}
	if f.pos < f.size {
		report.warn("%d bytes after the last row that the header declares ignored", f.size-f.pos)
	}
	c, bad := pack.Sound(p.cloud)
	report.NonFinite = bad
	if bad > 0 {
		report.warn("%d of %d splats dropped because of NaN or infinite values", bad, p.cloud.Len())
	}
	return c, report, nil
}

// find checks which elements there are before anything is read.
func (p *packedFile) find() error {
	if p.h.encoding == ascii {
		return fault.Dataf("%s: compressed PLY in ASCII, expected a binary file", p.name)
	}
	for i := range p.h.elements {
		e := &p.h.elements[i]
		switch {
		case e.name == "chunk" && p.chunk == nil:
			p.chunk = e
		case e.name == "vertex" && p.vertex == nil && p.chunk != nil:
			p.vertex = e
		case e.name == "sh" && p.sh == nil && p.vertex != nil:
			p.sh = e
		}
	}
	if p.chunk == nil || p.vertex == nil {
		return fault.Dataf("%s: compressed PLY (SuperSplat) without an element chunk followed by an element vertex", p.name)
	}
	if err := p.require(p.vertex, packedProps, uint32Type); err != nil {
		return err
	}
	if err := p.require(p.chunk, boundNames, float32Type); err != nil {
		return err
	}
	if p.vertex.rows > chunkRows*p.chunk.rows {
		return fault.Dataf("%s: %d chunks for %d splats, expected one for each %d", p.name, p.chunk.rows, p.vertex.rows, chunkRows)
	}
	return p.checkSH()
}

func (p *packedFile) require(e *element, names string, typ scalar) error {
	for _, name := range strings.Fields(names) {
		if i := e.index(name); i < 0 || e.props[i].typ != typ {
			return fault.Dataf("%s: compressed PLY (SuperSplat): element %s lacks the property %s, or it is of another type", p.name, e.name, name)
		}
	}
	if e.hasLists() {
		return fault.Dataf("%s: compressed PLY (SuperSplat): element %s has lists", p.name, e.name)
	}
	return nil
}

func (p *packedFile) checkSH() error {
	if p.sh == nil {
		return nil
	}
	degree := degreeOf(len(p.sh.props))
	if degree < 0 || p.sh.rows != p.vertex.rows {
		return fault.Dataf("%s: element sh has %d rows of %d properties, expected %d of 9, 24, 45 or 72", p.name, p.sh.rows, len(p.sh.props), p.vertex.rows)
	}
	var names []string
	for i := range p.sh.props {
		names = append(names, fmt.Sprintf("f_rest_%d", i))
	}
	return p.require(p.sh, strings.Join(names, " "), uint8Type)
}

// element reads an element, or skips it where it means nothing. All elements pass in
// the order of the file.
func (p *packedFile) element(e *element) error {
	switch e {
	case p.chunk:
		return p.readChunks()
	case p.vertex:
		return p.readSplats()
	case p.sh:
		return p.readSH()
	}
	return p.skip(e)
}

func (p *packedFile) readChunks() error {
	if err := p.checkSize(p.chunk); err != nil {
		return err
	}
	p.bounds = make([][18]float32, p.chunk.rows)
	names := strings.Fields(boundNames)
	colored := p.chunk.index("min_r") >= 0
	if colored {
		if err := p.require(p.chunk, colorNames, float32Type); err != nil {
			return err
		}
		names = append(names, strings.Fields(colorNames)...)
	}
	var want []int
	for _, name := range names {
		want = append(want, p.chunk.index(name))
	}
	rows := newFixedRows(p.file, p.chunk, want)
	for i := range p.bounds {
		copy(p.bounds[i][15:], []float32{1, 1, 1})
		if err := rows.next(p.bounds[i][:]); err != nil {
			return err
		}
	}
	return nil
}

// raw hands the bytes of each row of e to use; offsets are of the properties names.
func (p *packedFile) raw(e *element, use func(i int, row []byte)) error {
	if err := p.checkSize(e); err != nil {
		return err
	}
	row := make([]byte, e.minRow())
	for i := range e.rows {
		n, err := io.ReadFull(p.r, row)
		p.pos += int64(n)
		if err != nil {
			return p.readError(err, e, i)
		}
		use(int(i), row)
	}
	return nil
}

// offsets returns where the properties lie in a row of e.
func offsets(e *element, names []string) []int {
	at := make([]int, len(names))
	sum := 0
	for _, prop := range e.props {
		if k := slices.Index(names, prop.name); k >= 0 {
			at[k] = sum
		}
		sum += prop.typ.bytes()
	}
	return at
}

func (p *packedFile) readSplats() error {
	if err := p.checkSize(p.vertex); err != nil {
		return err
	}
	degree := 0
	if p.sh != nil {
		degree = degreeOf(len(p.sh.props))
		// The rows of both elements must fit before the cloud is made.
		if left := p.size - p.pos - p.vertex.rows*p.vertex.minRow(); p.sh.rows > left/p.sh.minRow() {
			return fault.Dataf("%s: the file is cut: element sh has %d rows by its header, but only %d bytes follow", p.name, p.sh.rows, max(left, 0))
		}
	}
	p.cloud = gaussian.New(int(p.vertex.rows), degree)
	p.cloud.Antialiased = hintsOf(p.h.comments).antialiased
	at, order := offsets(p.vertex, strings.Fields(packedProps)), p.order()
	return p.raw(p.vertex, func(i int, row []byte) {
		var words [4]uint32
		for k := range words {
			words[k] = order.Uint32(row[at[k]:])
		}
		unpackSplat(p.cloud, i, words, &p.bounds[i/chunkRows])
	})
}

// unpackSplat stores the four words of a splat.
func unpackSplat(c *gaussian.Cloud, i int, words [4]uint32, b *[18]float32) {
	for k := range 3 {
		c.Means[3*i+k] = lerp(b[k], b[3+k], fraction(words[0], k))
		c.LogScales[3*i+k] = lerp(b[6+k], b[9+k], fraction(words[2], k))
		byteOf := words[3] >> (24 - 8*k) & 255
		rgb := lerp(b[12+k], b[15+k], float64(byteOf)/255)
		c.SH[3*gaussian.Coefficients(c.SHDegree)*i+k] = float32(gaussian.RGBToSH0(float64(rgb)))
	}
	c.Opacities[i] = pack.Alpha(byte(words[3]))
	pack.SetQuat(c, i, unpackRotation(words[1]))
}

func lerp(lo, hi float32, t float64) float32 { return float32(float64(lo)*(1-t) + float64(hi)*t) }

// The bits of the three values in a word: from the top 11, 10 and 11.
var (
	wordShift = [3]int{21, 11, 0}
	wordMax   = [3]uint32{2047, 1023, 2047}
)

func fraction(word uint32, k int) float64 {
	return float64(word>>wordShift[k]&wordMax[k]) / float64(wordMax[k])
}

func unpackRotation(word uint32) [4]float64 {
	var q [4]float64
	largest := int(word >> 30)
	shift := 20
	for k := range q {
		if k != largest {
			q[k] = (float64(word>>shift&1023)/1023 - 0.5) * math.Sqrt2
			shift -= 10
		}
	}
	pack.Complete(&q, largest)
	return q
}

func (p *packedFile) readSH() error {
	rest := gaussian.Coefficients(p.cloud.SHDegree) - 1
	var names []string
	for i := range p.sh.props {
		names = append(names, fmt.Sprintf("f_rest_%d", i))
	}
	at := offsets(p.sh, names)
	return p.raw(p.sh, func(i int, row []byte) {
		sh := p.cloud.SH[3*(rest+1)*i:]
		for channel := range 3 {
			for k := range rest {
				sh[3*(k+1)+channel] = unpackSH(row[at[channel*rest+k]])
			}
		}
	})
}

// unpackSH takes a byte for the middle of its step of -4..4, but the outer ones for
// the ends.
func unpackSH(b byte) float32 {
	switch b {
	case 0:
		return -4
	case 255:
		return 4
	}
	return (float32(b)+0.5)/32 - 4
}
