// clear_moments forgets what Adam knows of splat i. Include it after gen/KERNEL.glsl.
void clear_moments(uint i) {
	for (uint k = 0; k < GEOM_ROW; k++) {
		geom_m[i * GEOM_ROW + k] = 0.0;
		geom_v[i * GEOM_ROW + k] = 0.0;
	}
	uint stride = 3u * c_coefficients;
	for (uint k = 0; k < stride; k++) {
		sh_m[i * stride + k] = 0.0;
		sh_v[i * stride + k] = 0.0;
	}
}
