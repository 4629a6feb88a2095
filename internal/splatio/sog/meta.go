package sog

import (
	"encoding/json"

	"splat/internal/fault"
	"splat/internal/gaussian"
)

// meta is meta.json, of both versions.
type meta struct {
	Version   *int  `json:"version,omitempty"`
	Asset     asset `json:"asset"`
	Count     int64 `json:"count"`
	Antialias bool  `json:"antialias"`
	Means     part  `json:"means"`
	Scales    part  `json:"scales"`
	Quats     part  `json:"quats"`
	SH0       part  `json:"sh0"`
	SHN       *part `json:"shN,omitempty"`
}

type asset struct {
	Generator string `json:"generator,omitempty"`
}

// part is one property.
type part struct {
	Shape    []int64   `json:"shape,omitempty"` // version 1
	Count    int       `json:"count,omitempty"` // of the palette
	Bands    int       `json:"bands,omitempty"`
	Mins     floats    `json:"mins,omitempty"`
	Maxs     floats    `json:"maxs,omitempty"`
	Codebook []float64 `json:"codebook,omitempty"`
	Files    []string  `json:"files"`
}

// floats is a list of numbers; a single number is a list of one.
type floats []float64

// UnmarshalJSON reads a number or a list.
func (f *floats) UnmarshalJSON(b []byte) error {
	var one float64
	if json.Unmarshal(b, &one) == nil {
		*f = floats{one}
		return nil
	}
	return json.Unmarshal(b, (*[]float64)(f))
}

// parseMeta reads and checks meta.json; what follows may rely on the lengths of all
// lists.
func parseMeta(b []byte, name string) (*meta, error) {
	var m meta
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fault.Dataf("%s: %w", name, err)
	}
	version := 1
	if m.Version != nil {
		version = *m.Version
	}
	switch {
	case version != 1 && version != 2:
		return nil, fault.Dataf("%s: SOG version %d, expected 1 or 2", name, version)
	case version == 2:
		return &m, m.check2(name)
	case len(m.Means.Shape) == 0:
		return nil, fault.Dataf("%s: not the meta.json of SOG: it has neither a version nor the shape of means", name)
	}
	m.Version = nil
	m.Count = m.Means.Shape[0]
	return &m, m.check1(name)
}

func (m *meta) check2(name string) error {
	if len(m.Scales.Codebook) == 0 || len(m.SH0.Codebook) == 0 {
		return fault.Dataf("%s: scales and sh0 lack their codebooks", name)
	}
	if m.SHN != nil && (len(m.SHN.Codebook) == 0 || m.SHN.Bands < 1 || m.SHN.Bands > gaussian.MaxDegree) {
		return fault.Dataf("%s: shN has a codebook of %d values and %d bands, expected 256 and 1 to %d", name, len(m.SHN.Codebook), m.SHN.Bands, gaussian.MaxDegree)
	}
	return m.checkParts(name)
}

func (m *meta) check1(name string) error {
	for _, p := range []struct {
		name string
		part part
		n    int
	}{{"scales", m.Scales, 3}, {"sh0", m.SH0, 4}} {
		if len(p.part.Mins) != p.n || len(p.part.Maxs) != p.n {
			return fault.Dataf("%s: %s has %d mins and %d maxs, expected %d", name, p.name, len(p.part.Mins), len(p.part.Maxs), p.n)
		}
	}
	if m.SHN != nil && (len(m.SHN.Mins) != 1 || len(m.SHN.Maxs) != 1) {
		return fault.Dataf("%s: shN has %d mins and %d maxs, expected 1", name, len(m.SHN.Mins), len(m.SHN.Maxs))
	}
	return m.checkParts(name)
}

func (m *meta) checkParts(name string) error {
	if m.Count < 0 {
		return fault.Dataf("%s: %d splats", name, m.Count)
	}
	if len(m.Means.Mins) != 3 || len(m.Means.Maxs) != 3 {
		return fault.Dataf("%s: means has %d mins and %d maxs, expected 3", name, len(m.Means.Mins), len(m.Means.Maxs))
	}
	files := []struct {
		name string
		part *part
		n    int
	}{{"means", &m.Means, 2}, {"scales", &m.Scales, 1}, {"quats", &m.Quats, 1}, {"sh0", &m.SH0, 1}, {"shN", m.SHN, 2}}
	for _, f := range files {
		if f.part != nil && len(f.part.Files) != f.n {
			return fault.Dataf("%s: %s has %d files, expected %d", name, f.name, len(f.part.Files), f.n)
		}
	}
	return nil
}

// scale returns what a byte stands for: a value of the codebook, or in version 1 one
// between mins and maxs. Bytes beyond a short codebook are its last value.
func (p *part) scale(b byte, k int) float32 {
	if n := len(p.Codebook); n > 0 {
		return float32(p.Codebook[min(int(b), n-1)])
	}
	return float32(p.Mins[k] + (p.Maxs[k]-p.Mins[k])*float64(b)/255)
}
