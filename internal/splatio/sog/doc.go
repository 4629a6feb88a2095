// Package sog reads SOG, versions 1 and 2, and writes version 2: splats in the pixels
// of lossless WebP pictures, described by meta.json. All lie in one folder, or in one
// zip file, the bundle. Pixel i, row by row, belongs to splat i.
//
//	means_l, means_u    low and high bytes of x y z in 16 bits between mins and
//	                    maxs of sign(v) ln(1 + |v|)
//	quats               the smallest three of w x y z in 8 bits; the fourth byte is
//	                    252 plus the place of the largest
//	scales              version 2: places in a codebook of 256 log scales; version 1:
//	                    between mins and maxs
//	sh0                 the constant coefficients in the same way; the fourth byte is
//	                    the opacity, in version 1 the logit between mins and maxs
//	shN_labels          which row of the palette holds the higher bands, 16 bits
//	shN_centroids       the palette, 64 rows side by side, a pixel a coefficient
//
// The axes are those of the PLY file. A folder with lod-meta.json holds several
// levels of detail in such folders.
package sog
