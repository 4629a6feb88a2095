// Functions with the definitions of the CPU kernels.

const float LOG2E = 1.44269504088896341;

// exp_ is e^x: a polynomial after range reduction to |r| <= ln2/2 (relative error
// below 2e-7), 0 below -87, infinite above 88.
float exp_(float x) {
	if (is_nan(x)) {
		return x;
	}
	if (!(x > -87.0)) {
		return 0.0;
	}
	if (x > 88.0) {
		return uintBitsToFloat(0x7F800000u);
	}
	precise float n = roundEven(x * LOG2E);
	precise float r = (x - n * 0.693359375) - n * -2.12194440e-4;
	precise float p = 1.9875691500e-4;
	p = p * r + 1.3981999507e-3;
	p = p * r + 8.3334519073e-3;
	p = p * r + 4.1665795894e-2;
	p = p * r + 1.6666665459e-1;
	p = p * r + 5.0000001201e-1;
	p = p * r * r + r + 1.0;
	return p * uintBitsToFloat(uint(int(n) + 127) << 23);
}

// log_ is ln x with a relative error below 2e-7, for positive ordinary numbers
// (Cephes' polynomial); devices may be far off near 1.
float log_(float x) {
	if (!(x > 0.0)) {
		return x == 0.0 ? uintBitsToFloat(0xFF800000u) : uintBitsToFloat(0x7FC00000u);
	}
	if (!is_finite(x)) {
		return x;
	}
	float scale = 0.0;
	if (x < 1.17549435e-38) { // denormal
		x *= 8388608.0;
		scale = -23.0;
	}
	uint bits = floatBitsToUint(x);
	float e = float(int(bits >> 23) - 126) + scale;
	float m = uintBitsToFloat((bits & 0x007FFFFFu) | 0x3F000000u); // [0.5, 1)
	if (m < 0.707106781186547524) {
		e -= 1.0;
		m = m + m - 1.0;
	} else {
		m = m - 1.0;
	}
	precise float z = m * m;
	precise float y = 7.0376836292e-2;
	y = y * m - 1.1514610310e-1;
	y = y * m + 1.1676998740e-1;
	y = y * m - 1.2420140846e-1;
	y = y * m + 1.4249322787e-1;
	y = y * m - 1.6668057665e-1;
	y = y * m + 2.0000714765e-1;
	y = y * m - 2.4999993993e-1;
	y = y * m + 3.3333331174e-1;
	y = y * m * z;
	y = y + e * -2.12194440e-4;
	y = y - 0.5 * z;
	return (m + y) + e * 0.693359375;
}

float sigmoid(float x) { return 1.0 / (1.0 + exp_(-x)); }

float logit(float o) { return log_(o / (1.0 - o)); }

float sign_(float x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0); }

// ceil_within is the smallest integer not below x, cut to [lo, hi]; NaN becomes lo.
int ceil_within(float x, int lo, int hi) {
	if (is_nan(x) || !(x > float(lo))) {
		return lo;
	}
	if (x > float(hi)) {
		return hi;
	}
	int i = int(x);
	return float(i) < x ? i + 1 : i;
}

// beyond_within is one more than the largest integer not above x, cut to [lo, hi];
// NaN becomes lo.
int beyond_within(float x, int lo, int hi) {
	if (is_nan(x) || !(x >= float(lo))) {
		return lo;
	}
	return x >= float(hi) ? hi : int(x) + 1;
}
