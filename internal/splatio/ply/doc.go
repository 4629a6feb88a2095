// Package ply reads and writes Gaussian splats as PLY files, in the layout of the
// original 3DGS code that all programs of the field understand, and reads plain
// point clouds.
//
// A splat file has one element "vertex" with the properties
//
//	x y z                   world position
//	nx ny nz                normal, unused, written as 0
//	f_dc_0 .. f_dc_2        constant SH coefficient of R, G, B
//	f_rest_0 .. f_rest_3K-1 the other K coefficients, channel by channel:
//	                        all of R, then all of G, then all of B
//	opacity                 logit
//	scale_0 .. scale_2      natural logarithm
//	rot_0 .. rot_3          quaternion w x y z
//
// The compressed PLY of SuperSplat, see packed.go, is read and written too.
//
// Files are read in binary of either byte order and in ASCII, with properties in
// any order and of any numeric type. Elements and properties that mean nothing
// here are skipped. Counts are checked against the file's size before memory is
// taken.
package ply
