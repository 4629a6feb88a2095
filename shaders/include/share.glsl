// How MCMC splits a splat. Include it after math.glsl.

// log1p_ is ln(1 + x) for -1 < x <= 0: the error of 1 + x cancels (Kahan).
float log1p_(float x) {
	precise float u = 1.0 + x;
	precise float d = u - 1.0;
	return d == 0.0 ? x : log_(u) * (x / d);
}

// complement_exp is 1 - e^w for w <= 0: the error of e^w cancels where it matters.
float complement_exp(float w) {
	precise float u = exp_(w);
	precise float d = 1.0 - u;
	if (w < -0.7) {
		return d;
	}
	return d == 0.0 ? -w : d * (w / log_(u));
}

// complement_power is 1 - (1-y)^n for 0 <= y <= 1 and n < 64, without cancellation:
// of two such numbers a and b, the one for the sum of the powers is a + b (1 - a).
float complement_power(float y, uint n) {
	float c = 0.0;
	for (int bit = 5; bit >= 0; bit--) {
		c = c * (2.0 - c);
		if ((n >> uint(bit) & 1u) != 0u) {
			c = c + y * (1.0 - c);
		}
	}
	return c;
}

// share_opacity is the opacity of each of n splats that replace one of opacity o.
float share_opacity(float o, uint n) {
	return o < 1.0 ? complement_exp(log1p_(-o) / float(n)) : 1.0;
}

// share_sum is sum_{i=1..n} sum_{k<i} C(i-1,k) (-1)^k x^(k+1) / sqrt(k+1), which is
// sum_{k=1..n} C(n,k) (-1)^(k-1) x^k / sqrt(k) and, since 1/sqrt(k) is 2/sqrt(pi)
// times the integral of e^(-k t^2) over t > 0, that factor times the integral of
// 1 - (1 - x e^(-t^2))^n. Nothing cancels there, and the trapezoidal rule with steps
// of 1/4 has a relative error below 6e-8 for all n <= 51 and x <= 1.
float share_sum(float x, uint n) {
	float sum = 0.5 * complement_power(x, n);
	for (uint j = 1; j <= 18u; j++) {
		float t = 0.25 * float(j);
		sum += complement_power(x * exp_(-t * t), n);
	}
	return sum * 0.282094791773878143; // 2/sqrt(pi)/4
}
