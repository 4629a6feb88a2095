package cpu

import "math"

// exp returns e^x. In float32 it is a polynomial after range reduction to
// |r| <= ln2/2 (relative error below 2e-7), underflowing to 0 below -87.
func exp[F Float](x F) F {
	if is32[F]() {
		return F(exp32(float32(x)))
	}
	return F(math.Exp(float64(x)))
}

func exp32(x float32) float32 {
	const (
		ln2Hi = 0.693359375
		ln2Lo = -2.12194440e-4
		magic = 12582912 // 1.5 * 2^23: adding it rounds to the nearest integer
	)
	if !(x > -87) {
		if x != x {
			return x
		}
		return 0
	}
	if x > 88 {
		return float32(math.Inf(1))
	}
	n := float32(x*log2e+magic) - magic
	r := float32(x-float32(n*ln2Hi)) - float32(n*ln2Lo)
	p := float32(1.9875691500e-4)
	p = float32(p*r) + 1.3981999507e-3
	p = float32(p*r) + 8.3334519073e-3
	p = float32(p*r) + 4.1665795894e-2
	p = float32(p*r) + 1.6666665459e-1
	p = float32(p*r) + 5.0000001201e-1
	p = float32(float32(p*r)*r) + r + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

// log2e turns exponents of e into exponents of 2.
const log2e = 1.44269504088896341

// exp2Small returns 2^t for the exponents of the rasteriser, -100 <= t <= 1 (the
// pixel intervals keep t above about -9): 2^n 2^f with a polynomial for 2^f, |f|
// <= 1/2 (Cephes' coefficients), and no range checks. Relative error below 2e-7.
// It is small enough to be inlined; a generic wrapper would not be.
func exp2Small(t float32) float32 {
	const magic = 12582912 // 1.5 * 2^23
	n := t + magic
	f := t - (n - magic)
	p := float32(1.535336188e-4)*f + 1.339887440e-3
	p = (((p*f+9.618437357e-3)*f+5.550332471e-2)*f+2.402264791e-1)*f + 6.931472028e-1
	p = p*f + 1
	return math.Float32frombits(math.Float32bits(p) + math.Float32bits(n)<<23)
}

func pow(x, y float64) float64 { return math.Pow(x, y) }

func sqrt[F Float](x F) F { return F(math.Sqrt(float64(x))) }

func log[F Float](x F) F { return F(math.Log(float64(x))) }

func abs[F Float](x F) F {
	if is32[F]() {
		return F(math.Float32frombits(math.Float32bits(float32(x)) &^ (1 << 31)))
	}
	return F(math.Abs(float64(x)))
}

func sigmoid[F Float](x F) F { return 1 / (1 + exp(-x)) }

func clamp[F Float](x, lo, hi F) F { return min(max(x, lo), hi) }

// isFinite is positive only for ordinary numbers.
func isFinite[F Float](x F) bool { return x-x == 0 }

// ceilWithin returns the smallest integer not below x, cut to [lo, hi] with lo >=
// 0; NaN becomes lo.
func ceilWithin[F Float](x F, lo, hi int) int {
	if !(x > F(lo)) {
		return lo
	}
	if x > F(hi) {
		return hi
	}
	i := int(x)
	if F(i) < x {
		i++
	}
	return i
}

// beyondWithin returns one more than the largest integer not above x, cut to [lo,
// hi] with lo >= 0; NaN becomes lo.
func beyondWithin[F Float](x F, lo, hi int) int {
	if !(x >= F(lo)) {
		return lo
	}
	if x >= F(hi) {
		return hi
	}
	return int(x) + 1
}
