// Package spz reads and writes SPZ files, versions 1 to 4.
//
// All hold one array after the other, of all splats: positions, opacities, colours,
// sizes, rotations, SH. Versions 1 to 3 are a gzip stream of a header of 16 bytes and
// the arrays; version 4 is a header of 32 bytes, a table of the arrays' sizes, and
// each array as a zstd frame.
//
//	position  3 x 24 bits signed, fixed point; version 1: 3 x float16
//	opacity   8 bits
//	colour    3 x 8 bits: (byte/255 - 0.5) / 0.15 is the constant coefficient
//	size      3 x 8 bits: byte/16 - 10 is the logarithm
//	rotation  x y z in 3 x 8 bits; from version 3 the smallest three in 3 x 10 bits
//	SH        3 x 8 bits a coefficient: (byte - 128) / 128
//
// The axes are right, up, back; the cloud's are those of the PLY file, right, down,
// front: reading and writing turn it.
package spz
