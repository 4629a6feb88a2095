// Package gltf writes splats as glTF 2.0 in its binary form (.glb), with the
// extension KHR_gaussian_splatting: a mesh of points, with an attribute for each
// parameter of a splat.
//
//	POSITION            position
//	COLOR_0             constant colour and opacity, for programs without splats
//	...:ROTATION        quaternion x y z w, of length one
//	...:SCALE           size, linear
//	...:OPACITY         0..1
//	...:SH_DEGREE_l_COEF_n  coefficients, RGB
//
// The axes of glTF are right, up, back: the cloud's, right, down, front, are turned.
package gltf

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

const (
	extension = "KHR_gaussian_splatting"
	maxDegree = 3

	typeFloat  = 5126
	modePoints = 0
	forVertex  = 34962
)

// attribute is one array of the mesh.
type attribute struct {
	name   string
	kind   string // "SCALAR", "VEC3", "VEC4"
	width  int
	values func(i int, dst []float64)
}

// Encode writes the cloud and returns what of it the format cannot hold. All values
// must be finite.
func Encode(w io.Writer, c *gaussian.Cloud) (lost []string, err error) {
	turned := c.Clone()
	pack.FlipYZ(turned)
	lost = pack.Classic(c, ".glb")
	if c.SHDegree > maxDegree {
		lost = append(lost, fmt.Sprintf(".glb files hold SH degree %d at most: degree %d becomes %d", maxDegree, c.SHDegree, maxDegree))
		turned.SetDegree(maxDegree)
	}
	list := attributes(turned)
	doc, size := describe(turned, list)
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	total := 12 + 8 + int64(len(text)) + 8 + size
	if total > math.MaxUint32 {
		return nil, fault.Dataf("%d splats take %d bytes, a .glb file has at most %d", c.Len(), total, uint32(math.MaxUint32))
	}
	if err := writeAll(w, words(0x46546c67, 2, uint32(total), uint32(len(text)), 0x4e4f534a), text, words(uint32(size), 0x004e4942)); err != nil {
		return nil, err
	}
	return lost, writeArrays(w, list, turned.Len())
}

func writeAll(w io.Writer, parts ...[]byte) error {
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

func words(values ...uint32) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// attributes lists the arrays in the order in which they are stored.
func attributes(c *gaussian.Cloud) []attribute {
	stride := 3 * gaussian.Coefficients(c.SHDegree)
	list := []attribute{
		{"POSITION", "VEC3", 3, func(i int, dst []float64) { copyTo(dst, c.Means[3*i:]) }},
		{"COLOR_0", "VEC4", 4, func(i int, dst []float64) {
			for k := range 3 {
				dst[k] = min(max(gaussian.SH0ToRGB(float64(c.SH[stride*i+k])), 0), 1)
			}
			dst[3] = c.Opacity(i)
		}},
		{extension + ":ROTATION", "VEC4", 4, func(i int, dst []float64) {
			q := pack.Unit(c.Quats[4*i : 4*i+4])
			copy(dst, []float64{q[1], q[2], q[3], q[0]})
		}},
		{extension + ":SCALE", "VEC3", 3, func(i int, dst []float64) {
			s := c.Scale(i)
			for k := range s {
				dst[k] = min(s[k], math.MaxFloat32)
			}
		}},
		{extension + ":OPACITY", "SCALAR", 1, func(i int, dst []float64) { dst[0] = c.Opacity(i) }},
	}
	for l := range c.SHDegree + 1 {
		for m := range 2*l + 1 {
			at := 3 * (l*l + m)
			name := fmt.Sprintf("%s:SH_DEGREE_%d_COEF_%d", extension, l, m)
			list = append(list, attribute{name, "VEC3", 3, func(i int, dst []float64) { copyTo(dst, c.SH[stride*i+at:]) }})
		}
	}
	return list
}

func copyTo(dst []float64, src []float32) {
	for k := range dst {
		dst[k] = float64(src[k])
	}
}

type object = map[string]any

// describe returns the JSON part and the size of the arrays.
func describe(c *gaussian.Cloud, list []attribute) (object, int64) {
	var views, accessors []object
	names := object{}
	size := int64(0)
	for k, a := range list {
		n := int64(4*a.width) * int64(c.Len())
		views = append(views, object{"buffer": 0, "byteOffset": size, "byteLength": n, "target": forVertex})
		accessor := object{"bufferView": k, "componentType": typeFloat, "count": c.Len(), "type": a.kind}
		if a.name == "POSITION" {
			accessor["min"], accessor["max"] = c.Bounds()
		}
		accessors = append(accessors, accessor)
		names[a.name] = k
		size += n
	}
	doc := object{
		"asset": object{"version": "2.0", "generator": "splat"}, "extensionsUsed": []string{extension},
		"scene": 0, "scenes": []object{{"nodes": []int{0}}}, "nodes": []object{{"mesh": 0}},
	}
	if c.Len() == 0 { // buffers may not be empty
		doc["nodes"] = []object{{}}
		return doc, 0
	}
	splatting := object{"kernel": "ellipse", "colorSpace": "srgb_rec709_display", "projection": "perspective", "sortingMethod": "cameraDistance"}
	doc["meshes"] = []object{{"primitives": []object{{"mode": modePoints, "attributes": names, "extensions": object{extension: splatting}}}}}
	doc["buffers"], doc["bufferViews"], doc["accessors"] = []object{{"byteLength": size}}, views, accessors
	return doc, size
}

func writeArrays(w io.Writer, list []attribute, n int) error {
	var values [4]float64
	buf := make([]byte, 0, 1<<16)
	for _, a := range list {
		for i := range n {
			a.values(i, values[:a.width])
			for _, v := range values[:a.width] {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(float32(v)))
			}
			if len(buf) >= 1<<16-16 {
				if _, err := w.Write(buf); err != nil {
					return err
				}
				buf = buf[:0]
			}
		}
	}
	_, err := w.Write(buf)
	return err
}
