package ply

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"splat/internal/atomicfile"
	"splat/internal/fault"
	"splat/internal/gaussian"
)

// classicDegree is the SH degree whose columns every file has at least: many
// programs refuse files with fewer.
const classicDegree = 3

// chunkSize is about how many bytes are handed on at once.
const chunkSize = 1 << 16

// Write creates or replaces path with the cloud in binary little-endian form, in
// the full classic layout: normals of zero and the columns of SH degree 3 or
// more, zero above the cloud's own degree. Splats with a NaN or infinite value
// are left out and counted. The bytes depend on the cloud only. A comment, one at
// most, says what the columns cannot: "antialiased 1" and a degree below 3 as
// "sh_degree 1"; Read restores both. Nothing of the size of the cloud is
// allocated.
func Write(path string, c *gaussian.Cloud) (dropped int, err error) {
	err = atomicfile.Write(path, func(w io.Writer) (err error) {
		dropped, err = encode(w, c)
		return err
	})
	if err != nil {
		return 0, fault.AtFile(path, err)
	}
	return dropped, nil
}

func encode(w io.Writer, c *gaussian.Cloud) (dropped int, err error) {
	if err := c.Check(); err != nil {
		return 0, err
	}
	dropped, _ = c.NonFinite()
	degree := max(c.SHDegree, classicDegree)
	if _, err := w.Write(encodeHeader(c, c.Len()-dropped, degree)); err != nil {
		return 0, err
	}
	buf := make([]byte, 0, chunkSize+4*len(writtenNames(degree)))
	for i := range c.Len() {
		if !c.Finite(i) {
			continue
		}
		if buf = appendRow(buf, c, i, degree); len(buf) >= chunkSize {
			if _, err := w.Write(buf); err != nil {
				return 0, err
			}
			buf = buf[:0]
		}
	}
	_, err = w.Write(buf)
	return dropped, err
}

// writtenNames returns the properties of a file in order: those that are read,
// with the normals after the position.
func writtenNames(degree int) []string {
	names := columnNames(3 * (gaussian.Coefficients(degree) - 1))
	return append([]string{"x", "y", "z", "nx", "ny", "nz"}, names[3:]...)
}

func encodeHeader(c *gaussian.Cloud, rows, degree int) []byte {
	var b bytes.Buffer
	b.WriteString("ply\nformat binary_little_endian 1.0\n")
	if notes := notesOf(c, degree); len(notes) > 0 {
		fmt.Fprintf(&b, "comment %s\n", strings.Join(notes, " "))
	}
	fmt.Fprintf(&b, "element vertex %d\n", rows)
	for _, name := range writtenNames(degree) {
		fmt.Fprintf(&b, "property float %s\n", name)
	}
	b.WriteString("end_header\n")
	return b.Bytes()
}

// notesOf returns what only a comment can say; see hints.
func notesOf(c *gaussian.Cloud, degree int) []string {
	var notes []string
	if c.Antialiased {
		notes = append(notes, "antialiased 1")
	}
	if c.SHDegree < degree {
		notes = append(notes, fmt.Sprintf("sh_degree %d", c.SHDegree))
	}
	return notes
}

// appendRow adds splat i with the columns of the given SH degree.
func appendRow(buf []byte, c *gaussian.Cloud, i, degree int) []byte {
	buf = appendFloats(buf, c.Means[3*i:3*i+3]...)
	buf = appendFloats(buf, 0, 0, 0)
	coefficients := gaussian.Coefficients(c.SHDegree)
	sh := c.SH[3*coefficients*i : 3*coefficients*(i+1)]
	buf = appendFloats(buf, sh[:3]...)
	padding := 4 * (gaussian.Coefficients(degree) - coefficients)
	for channel := range 3 {
		for k := 1; k < coefficients; k++ {
			buf = appendFloats(buf, sh[3*k+channel])
		}
		buf = append(buf, zeros[:padding]...)
	}
	buf = appendFloats(buf, c.Opacities[i])
	buf = appendFloats(buf, c.LogScales[3*i:3*i+3]...)
	return appendFloats(buf, c.Quats[4*i:4*i+4]...)
}

// zeros pads a channel of degree 0 to degree 3.
var zeros [4 * 15]byte

func appendFloats(buf []byte, values ...float32) []byte {
	for _, v := range values {
		buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
	}
	return buf
}
