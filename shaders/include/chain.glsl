// The chain rule from what project wrote back to a splat's stored parameters: see
// internal/kernel/cpu/projection_backward.go. Include it after projection.glsl and
// sh.glsl; sh must be bound.

// Gradient is dL/d(stored parameter); the SH part is the outer product of basis and
// color.
struct Gradient {
	vec3 mean;
	float logit;
	vec4 quat;
	vec3 log_scale;
	vec3 color;
	float basis[16];
};

// back_color fills basis and color and returns the gradient of the mean that comes
// through the viewing direction.
vec3 back_color(Row row, uint i, float sum[SLOT_ROW], inout Gradient o) {
	uint n = min(sh_count(step_.SHDegree), c_coefficients), at = i * 3u * c_coefficients;
	float length_, w[16];
	vec3 d = view_direction(row, length_), value = vec3(0.5);
	sh_basis(o.basis, step_.SHDegree, d);
	for (uint k = 0; k < c_coefficients; k++) {
		if (k < n) {
			value += o.basis[k] * vec3(sh[at + 3u * k], sh[at + 3u * k + 1u], sh[at + 3u * k + 2u]);
		}
	}
	for (int c = 0; c < 3; c++) { // clamped colours have no gradient
		o.color[c] = value[c] > 0.0 ? sum[SLOT_COLOR + c] : 0.0;
	}
	for (uint k = 0; k < 16u; k++) {
		w[k] = 0.0;
	}
	for (uint k = 0; k < c_coefficients; k++) {
		if (k < n) {
			w[k] = sh[at + 3u * k] * o.color.r + sh[at + 3u * k + 1u] * o.color.g + sh[at + 3u * k + 2u] * o.color.b;
		}
	}
	vec3 dd = sh_basis_gradient(w, step_.SHDegree, d);
	float along = dd.x * d.x + dd.y * d.y + dd.z * d.z;
	return (dd - along * d) / length_;
}

// back_conic returns the gradients of the image covariance (xx, xy as one parameter,
// yy), before the blur, and of the compensated opacity.
vec3 back_conic(SplatView p, float sum[SLOT_ROW], out float opacity) {
	float id = 1.0 / p.det, ka = p.c * id, kb = -p.b * id, kc = p.a * id;
	float va = sum[SLOT_CONIC_A], vb = 0.5 * sum[SLOT_CONIC_B], vc = sum[SLOT_CONIC_C];
	float m00 = ka * va + kb * vb, m01 = ka * vb + kb * vc, m10 = kb * va + kc * vb, m11 = kb * vb + kc * vc;
	vec3 d = vec3(-(m00 * ka + m01 * kb), -2.0 * (m00 * kb + m01 * kc), -(m10 * kb + m11 * kc));
	opacity = sum[SLOT_OPACITY];
	if ((step_.Mode & MODE_ANTIALIASED) != 0u && p.comp > 0.0) {
		float r = p.comp * p.comp, k = opacity * p.opacity * 0.5 / p.comp * id;
		d += k * vec3(p.c - step_.Blur - r * p.c, 2.0 * p.b * (r - 1.0), p.a - step_.Blur - r * p.a);
	}
	return d;
}

// back_image returns the gradients of the world covariance and of the mean in the
// camera frame through the Jacobian.
vec3 back_image(SplatView p, vec3 cov, out float s[6]) {
	float ga = cov.x, gb = 0.5 * cov.y, gc = cov.z;
	vec3 m0 = p.m0, m1 = p.m1;
	s[0] = ga * m0.x * m0.x + gb * (m0.x * m1.x + m1.x * m0.x) + gc * m1.x * m1.x;
	s[1] = ga * m0.x * m0.y + gb * (m0.x * m1.y + m1.x * m0.y) + gc * m1.x * m1.y;
	s[2] = ga * m0.x * m0.z + gb * (m0.x * m1.z + m1.x * m0.z) + gc * m1.x * m1.z;
	s[3] = ga * m0.y * m0.y + gb * (m0.y * m1.y + m1.y * m0.y) + gc * m1.y * m1.y;
	s[4] = ga * m0.y * m0.z + gb * (m0.y * m1.z + m1.y * m0.z) + gc * m1.y * m1.z;
	s[5] = ga * m0.z * m0.z + gb * (m0.z * m1.z + m1.z * m0.z) + gc * m1.z * m1.z;
	vec3 d0 = 2.0 * (ga * symmetric(p.sigma, m0) + gb * symmetric(p.sigma, m1));
	vec3 d1 = 2.0 * (gb * symmetric(p.sigma, m0) + gc * symmetric(p.sigma, m1));
	vec3 r0 = vec3(step_.R[0], step_.R[1], step_.R[2]);
	vec3 r1 = vec3(step_.R[3], step_.R[4], step_.R[5]);
	vec3 r2 = vec3(step_.R[6], step_.R[7], step_.R[8]);
	float j00 = dot(d0, r0), j02 = dot(d0, r2), j11 = dot(d1, r1), j12 = dot(d1, r2);
	float fx = step_.Fx, fy = step_.Fy, iz = 1.0 / p.t.z;
	vec3 dt = vec3(0.0, 0.0, -iz * iz * (fx * (j00 - p.u * j02) + fy * (j11 - p.v * j12)));
	float du = -fx * iz * j02, dv = -fy * iz * j12;
	if (!p.clamp_u) {
		dt.x += du * iz;
		dt.z -= du * p.u * iz;
	}
	if (!p.clamp_v) {
		dt.y += dv * iz;
		dt.z -= dv * p.v * iz;
	}
	return dt;
}

// back_covariance adds the gradients of quaternion and log scales through Sigma =
// (R S)(R S)^T.
void back_covariance(SplatView p, Row row, float s[6], inout Gradient o) {
	mat3 full = mat3(s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]); // symmetric
	float d[9];
	for (int k = 0; k < 3; k++) {
		vec3 column = vec3(p.rot[k], p.rot[3 + k], p.rot[6 + k]);
		vec3 dm = 2.0 * p.scale[k] * (full * column);
		o.log_scale[k] += dot(dm, column) * p.scale[k];
		d[k] = dm.x * p.scale[k];
		d[3 + k] = dm.y * p.scale[k];
		d[6 + k] = dm.z * p.scale[k];
	}
	float n = sqrt(row.quat.x * row.quat.x + row.quat.y * row.quat.y + row.quat.z * row.quat.z + row.quat.w * row.quat.w);
	vec4 unit_ = row.quat / n;
	float w = unit_.x, x = unit_.y, y = unit_.z, z = unit_.w;
	vec4 q = 2.0 * vec4(
		x * (d[7] - d[5]) + y * (d[2] - d[6]) + z * (d[3] - d[1]),
		y * (d[1] + d[3]) + z * (d[2] + d[6]) + w * (d[7] - d[5]) - 2.0 * x * (d[4] + d[8]),
		x * (d[1] + d[3]) + z * (d[5] + d[7]) + w * (d[2] - d[6]) - 2.0 * y * (d[0] + d[8]),
		x * (d[2] + d[6]) + y * (d[5] + d[7]) + w * (d[3] - d[1]) - 2.0 * z * (d[0] + d[4]));
	o.quat += (q - dot(q, unit_) * unit_) / n;
}

// backward adds the gradients of splat i, given sum, those of what project wrote.
void backward(SplatView p, Row row, uint i, float sum[SLOT_ROW], inout Gradient o) {
	vec3 mean = back_color(row, i, sum, o);
	float opacity, s[6];
	vec3 cov = back_conic(p, sum, opacity);
	o.logit += opacity * p.comp * p.opacity * (1.0 - p.opacity);
	vec3 dt = back_image(p, cov, s);
	float iz = 1.0 / p.t.z, gx = sum[SLOT_X] * step_.Fx * iz, gy = sum[SLOT_Y] * step_.Fy * iz;
	dt += vec3(gx, gy, -(gx * p.t.x + gy * p.t.y) * iz);
	for (int k = 0; k < 3; k++) {
		o.mean[k] += mean[k] + step_.R[k] * dt.x + step_.R[3 + k] * dt.y + step_.R[6 + k] * dt.z;
	}
	back_covariance(p, row, s, o);
}
