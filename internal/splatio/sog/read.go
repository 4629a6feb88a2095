package sog

import (
	"bytes"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

// Is reports whether a file that begins with head is a bundle; named, whether its
// name says so: any zip file begins like one.
func Is(head []byte, named bool) bool { return named && bytes.HasPrefix(head, []byte("PK")) }

// Decode reads a bundle. The pictures and the cloud together take at most
// pack.Limit of its size.
func Decode(data []byte, name string) (*gaussian.Cloud, *pack.Report, error) {
	s, dir, err := bundle(data, name)
	if err != nil {
		return nil, nil, err
	}
	report := &pack.Report{Format: "sog"}
	c, err := s.read(dir+metaFile, report)
	return c, report, err
}

// IsFolder reports whether path is a folder with a SOG, or its meta.json or
// lod-meta.json.
func IsFolder(name string) bool {
	dir, _ := place(name)
	return dir != ""
}

// place returns the folder of a SOG and the file in it that describes it; "" where
// name is none.
func place(name string) (dir, file string) {
	info, err := os.Stat(name)
	if err != nil {
		return "", ""
	}
	if !info.IsDir() {
		base := strings.ToLower(filepath.Base(name))
		if base == metaFile && describes(name) || base == lodFile {
			return filepath.Dir(name), filepath.Base(name)
		}
		return "", ""
	}
	if at := filepath.Join(name, metaFile); describes(at) {
		return name, metaFile
	}
	if info, err := os.Stat(filepath.Join(name, lodFile)); err == nil && info.Mode().IsRegular() {
		return name, lodFile
	}
	return "", ""
}

// describes reports whether a meta.json is that of a SOG, by the names of its
// pictures: other programs have files of that name too.
func describes(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<24 {
		return false
	}
	b, err := os.ReadFile(name)
	return err == nil && bytes.Contains(b, []byte(`"means"`)) && bytes.Contains(b, []byte(`"quats"`))
}

// ReadFolder reads a SOG that lies unpacked in a folder: name is the folder or its
// meta.json or lod-meta.json.
func ReadFolder(name string) (*gaussian.Cloud, *pack.Report, error) {
	dir, file := place(name)
	if dir == "" {
		return nil, nil, fault.Dataf("%s: found no %s or %s of a SOG", name, metaFile, lodFile)
	}
	s, done, err := folder(dir)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	report := &pack.Report{Format: "sog"}
	var c *gaussian.Cloud
	if strings.EqualFold(file, lodFile) {
		c, err = s.levels(file, report)
	} else {
		c, err = s.read(file, report)
	}
	return c, report, err
}

// read reads the SOG that a meta.json of the source describes.
func (s *source) read(name string, report *pack.Report) (*gaussian.Cloud, error) {
	b, err := s.file(name)
	if err != nil {
		return nil, err
	}
	m, err := parseMeta(b, path.Join(s.name, name))
	if err != nil {
		return nil, err
	}
	r := &reading{source: s, meta: m, dir: path.Dir(name), report: report}
	return r.cloud()
}

// reading is a SOG while it is read.
type reading struct {
	*source
	meta   *meta
	dir    string
	report *pack.Report
	c      *gaussian.Cloud
}

func (r *reading) picture(name string, count int64) (*picture, error) {
	return r.source.picture(path.Join(r.dir, name), count)
}

func (r *reading) cloud() (*gaussian.Cloud, error) {
	m := r.meta
	low, err := r.picture(m.Means.Files[0], m.Count)
	if err != nil {
		return nil, err
	}
	palette, err := r.palette()
	if err != nil {
		return nil, err
	}
	// The pictures prove that there may be so many splats; the budget bounds what
	// they become.
	floats := int64(11 + 3*gaussian.Coefficients(palette.bands))
	if err := r.take(4*floats*m.Count, "the cloud"); err != nil {
		return nil, err
	}
	r.c = gaussian.New(int(m.Count), palette.bands)
	r.c.Antialiased = m.Antialias
	for _, step := range []func() error{func() error { return r.means(low) }, r.quats, r.scales, r.colors, func() error { return r.labels(palette) }} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.c, nil
}

func (r *reading) means(low *picture) error {
	high, err := r.picture(r.meta.Means.Files[1], r.meta.Count)
	if err != nil {
		return err
	}
	p := r.meta.Means
	for i := range r.c.Len() {
		l, h := low.pixel(i), high.pixel(i)
		for k := range 3 {
			t := float64(uint16(l[k])|uint16(h[k])<<8) / 65535
			r.c.Means[3*i+k] = float32(unfold(p.Mins[k]*(1-t) + p.Maxs[k]*t))
		}
	}
	return nil
}

// fold compresses a coordinate so that far ones take fewer steps; unfold undoes it.
func fold(v float64) float64   { return math.Copysign(math.Log1p(math.Abs(v)), v) }
func unfold(v float64) float64 { return math.Copysign(math.Expm1(math.Abs(v)), v) }

const firstPlace = 252 // of the largest component, as the fourth byte of quats

func (r *reading) quats() error {
	p, err := r.picture(r.meta.Quats.Files[0], r.meta.Count)
	if err != nil {
		return err
	}
	odd := 0
	for i := range r.c.Len() {
		b := p.pixel(i)
		if b[3] < firstPlace {
			r.c.Quats[4*i] = 1
			odd++
			continue
		}
		pack.SetQuat(r.c, i, unpackQuat(b))
	}
	r.report.Counted(odd, r.c.Len(), "have a rotation that is none")
	return nil
}

func unpackQuat(b []byte) [4]float64 {
	var q [4]float64
	largest, n := int(b[3]-firstPlace), 0
	for k := range q {
		if k != largest {
			q[k] = (float64(b[n])/255 - 0.5) * math.Sqrt2
			n++
		}
	}
	pack.Complete(&q, largest)
	return q
}

func (r *reading) scales() error {
	p, err := r.picture(r.meta.Scales.Files[0], r.meta.Count)
	if err != nil {
		return err
	}
	for i := range r.c.Len() {
		for k := range 3 {
			r.c.LogScales[3*i+k] = r.meta.Scales.scale(p.pixel(i)[k], k)
		}
	}
	return nil
}

func (r *reading) colors() error {
	p, err := r.picture(r.meta.SH0.Files[0], r.meta.Count)
	if err != nil {
		return err
	}
	stride := 3 * gaussian.Coefficients(r.c.SHDegree)
	for i := range r.c.Len() {
		b := p.pixel(i)
		for k := range 3 {
			r.c.SH[stride*i+k] = r.meta.SH0.scale(b[k], k)
		}
		if r.meta.Version == nil {
			r.c.Opacities[i] = r.meta.SH0.scale(b[3], 3)
		} else {
			r.c.Opacities[i] = pack.Alpha(b[3])
		}
	}
	return nil
}
