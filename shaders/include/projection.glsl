// Projecting one splat (EWA splatting): see internal/kernel/cpu/projection.go. Include
// it after gen/KERNEL.glsl, which must bind step, and math.glsl.
#include "rotation.glsl"

const float FAR_PLANE = 1e10;

// Row is a row of geom.
struct Row {
	vec3 mean;
	float logit;
	vec4 quat; // w x y z
	vec3 log_scale;
};

// SplatView is what projecting computes on the way and update runs backwards.
struct SplatView {
	vec3 t;    // mean in the camera frame
	float u, v; // t.x/t.z and t.y/t.z after the Jacobian's clamp
	bool clamp_u, clamp_v;
	float rot[9];
	vec3 scale;
	float sigma[6]; // world covariance: xx xy xz yy yz zz
	vec3 m0, m1;    // rows of J W
	float a, b, c;  // image covariance with the blur: xx xy yy
	float det, comp, opacity;
};

vec3 symmetric(float s[6], vec3 v) {
	return vec3(
		s[0] * v.x + s[1] * v.y + s[2] * v.z,
		s[1] * v.x + s[3] * v.y + s[4] * v.z,
		s[2] * v.x + s[4] * v.y + s[5] * v.z);
}

// world_covariance fills rot, scale and sigma = R S S R^T.
bool world_covariance(inout SplatView p, Row row) {
	if (!rotation_of(row.quat, p.rot)) {
		return false;
	}
	p.scale = vec3(exp_(row.log_scale.x), exp_(row.log_scale.y), exp_(row.log_scale.z));
	vec3 v = p.scale * p.scale;
	p.sigma[0] = p.rot[0] * p.rot[0] * v.x + p.rot[1] * p.rot[1] * v.y + p.rot[2] * p.rot[2] * v.z;
	p.sigma[1] = p.rot[0] * p.rot[3] * v.x + p.rot[1] * p.rot[4] * v.y + p.rot[2] * p.rot[5] * v.z;
	p.sigma[2] = p.rot[0] * p.rot[6] * v.x + p.rot[1] * p.rot[7] * v.y + p.rot[2] * p.rot[8] * v.z;
	p.sigma[3] = p.rot[3] * p.rot[3] * v.x + p.rot[4] * p.rot[4] * v.y + p.rot[5] * p.rot[5] * v.z;
	p.sigma[4] = p.rot[3] * p.rot[6] * v.x + p.rot[4] * p.rot[7] * v.y + p.rot[5] * p.rot[8] * v.z;
	p.sigma[5] = p.rot[6] * p.rot[6] * v.x + p.rot[7] * p.rot[7] * v.y + p.rot[8] * p.rot[8] * v.z;
	return true;
}

// image_covariance fills the rest. The Jacobian's x/z and y/z are clamped at 15 %
// outside the picture.
void image_covariance(inout SplatView p) {
	float w = float(step_.Width), h = float(step_.Height), iz = 1.0 / p.t.z;
	float tu = p.t.x * iz, tv = p.t.y * iz;
	p.u = min(max(tu, (-0.15 * w - step_.Cx) / step_.Fx), (1.15 * w - step_.Cx) / step_.Fx);
	p.v = min(max(tv, (-0.15 * h - step_.Cy) / step_.Fy), (1.15 * h - step_.Cy) / step_.Fy);
	p.clamp_u = p.u != tu;
	p.clamp_v = p.v != tv;
	vec3 r0 = vec3(step_.R[0], step_.R[1], step_.R[2]);
	vec3 r1 = vec3(step_.R[3], step_.R[4], step_.R[5]);
	vec3 r2 = vec3(step_.R[6], step_.R[7], step_.R[8]);
	p.m0 = step_.Fx * iz * (r0 - p.u * r2);
	p.m1 = step_.Fy * iz * (r1 - p.v * r2);
	vec3 s0 = symmetric(p.sigma, p.m0), s1 = symmetric(p.sigma, p.m1);
	float a = s0.x * p.m0.x + s0.y * p.m0.y + s0.z * p.m0.z;
	float b = s0.x * p.m1.x + s0.y * p.m1.y + s0.z * p.m1.z;
	float c = s1.x * p.m1.x + s1.y * p.m1.y + s1.z * p.m1.z;
	p.a = a + step_.Blur;
	p.b = b;
	p.c = c + step_.Blur;
	precise float det = p.a * p.c - p.b * p.b;
	p.det = det;
	p.comp = 1.0;
	if ((step_.Mode & MODE_ANTIALIASED) != 0u) {
		precise float raw = a * c - b * b;
		p.comp = sqrt(max(raw, 0.0) / p.det);
	}
}

// project_splat returns false where nothing can be seen; NaN counts as that.
bool project_splat(out SplatView p, Row row) {
	for (int i = 0; i < 3; i++) {
		p.t[i] = step_.R[3 * i] * row.mean.x + step_.R[3 * i + 1] * row.mean.y + step_.R[3 * i + 2] * row.mean.z + step_.T[i];
	}
	if (is_nan(p.t.z) || !(p.t.z >= step_.Near && p.t.z <= FAR_PLANE)) {
		return false;
	}
	p.opacity = sigmoid(row.logit);
	if (is_nan(p.opacity) || !(p.opacity >= 1.0 / 255.0)) {
		return false;
	}
	if (!world_covariance(p, row)) {
		return false;
	}
	image_covariance(p);
	if (!is_finite(p.det) || !(p.det > 0.0)) {
		return false;
	}
	float o = p.opacity * p.comp;
	return !is_nan(o) && o >= 1.0 / 255.0;
}

// view_direction returns the unit vector from the camera to the splat and its former
// length; a splat at the camera itself gets +z.
vec3 view_direction(Row row, out float length_) {
	vec3 d = row.mean - vec3(step_.Camera[0], step_.Camera[1], step_.Camera[2]);
	length_ = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
	if (is_nan(length_) || !(length_ > 0.0)) {
		length_ = 1.0;
		return vec3(0.0, 0.0, 1.0);
	}
	return d / length_;
}
