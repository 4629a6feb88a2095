// rotation_of turns a quaternion w x y z of any length into a rotation matrix,
// row-major. It returns false where there is none.
bool rotation_of(vec4 quat, out float r[9]) {
	float w = quat.x, x = quat.y, y = quat.z, z = quat.w;
	precise float n = w * w + x * x + y * y + z * z;
	if (!(n > 0.0) || !is_finite(n)) {
		r = float[9](1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
		return false;
	}
	precise float s = 2.0 / n;
	precise float r0 = 1.0 - s * (y * y + z * z), r1 = s * (x * y - w * z), r2 = s * (x * z + w * y);
	precise float r3 = s * (x * y + w * z), r4 = 1.0 - s * (x * x + z * z), r5 = s * (y * z - w * x);
	precise float r6 = s * (x * z - w * y), r7 = s * (y * z + w * x), r8 = 1.0 - s * (x * x + y * y);
	r = float[9](r0, r1, r2, r3, r4, r5, r6, r7, r8);
	return true;
}
