// Standard normal numbers as functions of (seed, i). Include it after math.glsl and
// rand.glsl.

// sincos_turns returns the sine and cosine of v turns, 0 <= v < 1, with an error
// below 2e-7 (Cephes' polynomials): v less a quarter is exact, and devices may be far
// off with sin and cos.
vec2 sincos_turns(float v) {
	uint quarter = uint(4.0 * v + 0.5);
	precise float a = (v - 0.25 * float(quarter)) * 6.28318530717958648;
	precise float z = a * a;
	precise float s = -1.9515295891e-4;
	s = s * z + 8.3321608736e-3;
	s = s * z - 1.6666654611e-1;
	s = s * z * a + a;
	precise float c = 2.443315711809948e-5;
	c = c * z - 1.388731625493765e-3;
	c = c * z + 4.166664568298827e-2;
	c = c * z * z - 0.5 * z + 1.0;
	switch (quarter & 3u) {
	case 0u:
		return vec2(s, c);
	case 1u:
		return vec2(c, -s);
	case 2u:
		return vec2(-s, -c);
	}
	return vec2(-c, s);
}

// normal_pair makes two normal numbers of two in [0, 1) by Box and Muller. 1 - u is
// exact.
vec2 normal_pair(float u, float v) {
	float radius = u > 0.0 ? sqrt(-2.0 * log_(1.0 - u)) : 0.0;
	vec2 p = sincos_turns(v);
	return vec2(radius * p.y, radius * p.x);
}

// normal3 returns three standard normal numbers of (seed, i).
vec3 normal3(uint seed, uint i) {
	vec2 a = normal_pair(unit(hash(seed, STREAM_NOISE, i)), unit(hash(seed, STREAM_NOISE + 16u, i)));
	vec2 b = normal_pair(unit(hash(seed, STREAM_NOISE + 32u, i)), unit(hash(seed, STREAM_NOISE + 48u, i)));
	return vec3(a, b.x);
}
