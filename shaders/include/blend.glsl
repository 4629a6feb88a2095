// Blending, the same arithmetic forward and backward: what one pass decides, the other
// decides too. Products that are summed use fma and are precise, so that the variants
// of a pass give the same bits. Include it after gen/KERNEL.glsl and math.glsl.

const float MIN_ALPHA = 1.0 / 255.0;
const float MAX_ALPHA = 0.999;
const float MIN_TRANSMITTANCE = 1e-4;
const uint TILE_PIXELS = TILE_SIZE * TILE_SIZE;

// Splat is a projected splat as the raster passes take it.
struct Splat {
	vec2 mean;
	float opacity;
	float least;  // of the exponent below, where alpha reaches 1/255, a little lower
	vec3 k;       // exponent of 2 at (dx, dy): k.x dx^2 + k.y dx dy + k.z dy^2
	vec3 color;
	vec3 conic;
};

// half_of rounds a number that is not negative to 16 bits. Compilers leave out a
// conversion there and back.
float half_of(float x) {
	uint bits = floatBitsToUint(x);
	float r = uintBitsToFloat((bits + 0xFFFu + (bits >> 13 & 1u)) & 0xFFFFE000u);
	return x < 6.103515625e-5 ? 0.0 : min(r, 65504.0);
}

// load_splat reads the splat of a row of proj. F16 rounds its colour and opacity to 16
// bits, in both directions.
Splat load_splat(uint owner) {
	uint at = owner * (PROJ_ROW / 4u);
	vec4 a = proj[at], b = proj[at + 1u], c = proj[at + 2u];
	Splat s;
	s.mean = a.xy;
	s.conic = vec3(a.zw, b.x);
	s.opacity = b.y;
	s.least = -0.5 * LOG2E * c.w;
	s.k = vec3(-0.5 * LOG2E, -LOG2E, -0.5 * LOG2E) * s.conic;
	s.color = vec3(b.zw, c.x);
#ifdef F16
	s.color = vec3(half_of(s.color.r), half_of(s.color.g), half_of(s.color.b));
	s.opacity = half_of(s.opacity);
#endif
	return s;
}

// exponent is log2 of the Gaussian at d from the mean.
float exponent(vec3 k, vec2 d) {
	precise float t = fma(fma(k.x, d.x, k.y * d.y), d.x, k.z * d.y * d.y);
	return t;
}

// cutoff replaces the hard step at 1/255 by a C1 ramp, for gradient checks.
float cutoff(float raw, out float slope) {
	float u = min(max(raw * 255.0 - 1.0, 0.0), 1.0), s = u * u * (3.0 - 2.0 * u);
	slope = s + raw * 6.0 * u * (1.0 - u) * 255.0;
	return raw * s;
}

// alpha_of returns the splat's alpha at d and its raw value, both 0 where the splat does
// not reach. There are no branches, and rows of proj are ordinary numbers: see project.
float alpha_of(vec3 k, float opacity, vec2 d, out float raw) {
	precise float r = opacity * exp2(exponent(k, d));
	raw = r >= MIN_ALPHA ? r : 0.0;
	float alpha = min(raw, MAX_ALPHA);
	if (c_smooth != 0u) {
		float slope;
		alpha = cutoff(alpha, slope);
	}
	return alpha;
}
