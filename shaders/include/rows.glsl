// Copies of whole splats. Include it after gen/KERNEL.glsl.
#include "moments.glsl"

// copy_parameters makes row to equal row from.
void copy_parameters(uint to, uint from) {
	for (uint k = 0; k < GEOM_ROW; k++) {
		geom[to * GEOM_ROW + k] = geom[from * GEOM_ROW + k];
	}
	uint stride = 3u * c_coefficients;
	for (uint k = 0; k < stride; k++) {
		sh[to * stride + k] = sh[from * stride + k];
	}
}

// copy_moments makes the moments of row to equal those of row from.
void copy_moments(uint to, uint from) {
	for (uint k = 0; k < GEOM_ROW; k++) {
		geom_m[to * GEOM_ROW + k] = geom_m[from * GEOM_ROW + k];
		geom_v[to * GEOM_ROW + k] = geom_v[from * GEOM_ROW + k];
	}
	uint stride = 3u * c_coefficients;
	for (uint k = 0; k < stride; k++) {
		sh_m[to * stride + k] = sh_m[from * stride + k];
		sh_v[to * stride + k] = sh_v[from * stride + k];
	}
}
