// Package ksplat reads .ksplat files of GaussianSplats3D, version 0.1.
//
// A header of 4096 bytes, a header of 1024 bytes for each section, then the sections:
// sizes of the partly filled buckets, centres of the buckets, and the splats in rows
// of position, size, rotation w x y z, colour with opacity, and SH.
//
//	level  position  size, rotation  SH
//	0      float32   float32         float32
//	1      16 bits   float16         float16
//	2      16 bits   float16         8 bits between two values of the header
//
// Positions of 16 bits are counted from the centre of the splat's bucket. SH is band
// by band, and in each all of red, of green, of blue. The axes are those of the PLY
// file. Files are not written.
package ksplat
