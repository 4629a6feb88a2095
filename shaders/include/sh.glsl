// Real spherical harmonics in the INRIA sign convention: see internal/kernel/cpu/sh.go.

const float SH_C0 = 0.28209479177387814;
const float SH_C1 = 0.4886025119029199;
const float SH_C2 = 1.0925484305920792;
const float SH_C3 = 0.31539156525252005;
const float SH_C4 = 0.5462742152960396;
const float SH_C5 = 0.5900435899266435;
const float SH_C6 = 2.890611442640554;
const float SH_C7 = 0.4570457994644658;
const float SH_C8 = 0.3731763325901154;
const float SH_C9 = 1.445305721320277;

uint sh_count(uint degree) { return (degree + 1u) * (degree + 1u); }

// sh_basis fills y with the basis values of the unit direction d; those above the
// degree are 0.
void sh_basis(out float y[16], uint degree, vec3 d) {
	for (int k = 0; k < 16; k++) {
		y[k] = 0.0;
	}
	y[0] = SH_C0;
	if (degree < 1u) {
		return;
	}
	y[1] = -SH_C1 * d.y;
	y[2] = SH_C1 * d.z;
	y[3] = -SH_C1 * d.x;
	if (degree < 2u) {
		return;
	}
	float xx = d.x * d.x, yy = d.y * d.y, zz = d.z * d.z;
	y[4] = SH_C2 * d.x * d.y;
	y[5] = -SH_C2 * d.y * d.z;
	y[6] = SH_C3 * (2.0 * zz - xx - yy);
	y[7] = -SH_C2 * d.x * d.z;
	y[8] = SH_C4 * (xx - yy);
	if (degree < 3u) {
		return;
	}
	y[9] = -SH_C5 * d.y * (3.0 * xx - yy);
	y[10] = SH_C6 * d.x * d.y * d.z;
	y[11] = -SH_C7 * d.y * (4.0 * zz - xx - yy);
	y[12] = SH_C8 * d.z * (2.0 * zz - 3.0 * xx - 3.0 * yy);
	y[13] = -SH_C7 * d.x * (4.0 * zz - xx - yy);
	y[14] = SH_C9 * d.z * (xx - yy);
	y[15] = -SH_C5 * d.x * (xx - 3.0 * yy);
}

// sh_basis_gradient returns the gradient of sum_k w_k Y_k with respect to x, y, z,
// the basis taken as polynomials of independent x, y, z.
vec3 sh_basis_gradient(float w[16], uint degree, vec3 p) {
	vec3 d = vec3(0.0);
	float x = p.x, y = p.y, z = p.z;
	if (degree < 1u) {
		return d;
	}
	d = vec3(-SH_C1 * w[3], -SH_C1 * w[1], SH_C1 * w[2]);
	if (degree < 2u) {
		return d;
	}
	d.x += SH_C2 * y * w[4] - 2.0 * SH_C3 * x * w[6] - SH_C2 * z * w[7] + 2.0 * SH_C4 * x * w[8];
	d.y += SH_C2 * x * w[4] - SH_C2 * z * w[5] - 2.0 * SH_C3 * y * w[6] - 2.0 * SH_C4 * y * w[8];
	d.z += -SH_C2 * y * w[5] + 4.0 * SH_C3 * z * w[6] - SH_C2 * x * w[7];
	if (degree < 3u) {
		return d;
	}
	float xx = x * x, yy = y * y, zz = z * z;
	d.x += -6.0 * SH_C5 * x * y * w[9] + SH_C6 * y * z * w[10] + 2.0 * SH_C7 * x * y * w[11] - 6.0 * SH_C8 * x * z * w[12] -
		SH_C7 * (4.0 * zz - 3.0 * xx - yy) * w[13] + 2.0 * SH_C9 * x * z * w[14] - 3.0 * SH_C5 * (xx - yy) * w[15];
	d.y += -3.0 * SH_C5 * (xx - yy) * w[9] + SH_C6 * x * z * w[10] - SH_C7 * (4.0 * zz - xx - 3.0 * yy) * w[11] - 6.0 * SH_C8 * y * z * w[12] +
		2.0 * SH_C7 * x * y * w[13] - 2.0 * SH_C9 * y * z * w[14] + 6.0 * SH_C5 * x * y * w[15];
	d.z += SH_C6 * x * y * w[10] - 8.0 * SH_C7 * y * z * w[11] + SH_C8 * (6.0 * zz - 3.0 * xx - 3.0 * yy) * w[12] -
		8.0 * SH_C7 * x * z * w[13] + SH_C9 * (xx - yy) * w[14];
	return d;
}
