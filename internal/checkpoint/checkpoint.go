// Package checkpoint is the file that holds the state of a training between two
// steps. It knows how the bytes lie and how damage shows, not what the arrays
// mean.
//
// All numbers are little-endian:
//
//	0   8  "SPLATCKP"
//	8   4  version, 1
//	12  4  length of the header in bytes
//	16  8  length of the whole file in bytes
//	24  4  CRC-32C of the 24 bytes above and of the header
//	28     the header, JSON
//	       for each section of the header in order: its elements, 4 bytes each,
//	       then 4 bytes with their CRC-32C
//
// So a file that was cut, or in which any bit has changed, is found out before a
// byte of it is used.
package checkpoint

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
)

const (
	magic       = "SPLATCKP"
	version     = 1
	prefixBytes = 28
	sumBytes    = 4
	// maxHeader bounds the header: a million views fit.
	maxHeader = 1 << 28
	// pieceBytes is how much of a section is in memory at a time.
	pieceBytes = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum returns the checksum that the format uses, CRC-32C, as 8 hexadecimal
// digits.
func Sum(data []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(data, castagnoli)) }

// Header is what a checkpoint says about itself. Wall, Instructions and Build come
// from outside the training loop.
type Header struct {
	Step         int     `json:"step"`
	Splats       int     `json:"splats"`
	Seconds      float64 `json:"train_seconds"`
	Wall         float64 `json:"wall_seconds"` // of all sessions
	Backend      string  `json:"backend"`
	Instructions string  `json:"instructions,omitempty"` // instruction path of the CPU
	Build        string  `json:"build,omitempty"`        // revision of the program, where it knows one

	Config   map[string]string `json:"config"`   // each key in force, its value in TOML notation
	Capture  Capture           `json:"capture"`  // what was trained on
	State    json.RawMessage   `json:"state"`    // what else the training loop keeps
	Sections []Section         `json:"sections"` // the arrays that follow
}

// Capture identifies the pictures of a training, wherever they lie.
type Capture struct {
	Path  string `json:"path"` // where they lay
	Views []View `json:"views"`
}

// View is one picture of a capture with its camera.
type View struct {
	Name   string `json:"name"`
	Width  int    `json:"width"` // as trained on
	Height int    `json:"height"`
	Test   bool   `json:"test"`
	Camera string `json:"camera"`           // checksum of intrinsics and pose
	Pixels string `json:"pixels,omitempty"` // checksum of the decoded picture; training views only
}

// Section is one array.
type Section struct {
	Name  string `json:"name"`
	Elem  Elem   `json:"elem"`
	Count int64  `json:"count"` // elements
}

// Elem is the type of an array's elements; all are 4 bytes wide.
type Elem string

// The types of elements.
const (
	F32 Elem = "f32"
	U32 Elem = "u32"
)

const elemBytes = 4

// Bytes returns the length of the section's elements.
func (s Section) Bytes() int64 { return s.Count * elemBytes }

// layout returns where each section starts and the length of the whole file, for
// a header of the given length. Nothing overflows: no section is longer than
// limit.
func layout(header int, sections []Section, limit int64) (starts []int64, total int64, err error) {
	total = prefixBytes + int64(header)
	seen := make(map[string]bool, len(sections))
	for _, s := range sections {
		switch {
		case s.Elem != F32 && s.Elem != U32:
			return nil, 0, fmt.Errorf("section %q: elements %q found, f32 or u32 expected", s.Name, s.Elem)
		case s.Count < 0 || s.Count > limit/elemBytes:
			return nil, 0, fmt.Errorf("section %q: %d elements found, at most %d expected", s.Name, s.Count, limit/elemBytes)
		case seen[s.Name]:
			return nil, 0, fmt.Errorf("section %q: found twice", s.Name)
		}
		seen[s.Name] = true
		starts = append(starts, total)
		total += s.Bytes() + sumBytes
		if total > limit {
			return nil, 0, fmt.Errorf("section %q ends at byte %d, the file has %d", s.Name, total, limit)
		}
	}
	return starts, total, nil
}

// noLimit is the limit of a file that is being made.
const noLimit = math.MaxInt64 / 4
