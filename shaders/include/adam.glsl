// Adam (Kingma and Ba 2015, bias-corrected). Include it after gen/KERNEL.glsl, which
// must bind step.

// Adam is what one step's updates share; rates include the first moment's correction.
struct Adam {
	float c1, c2; // 1 - beta
	float ib2;    // 1/sqrt of the second moment's correction
	float ib1;
};

Adam adam_of_step() {
	return Adam(1.0 - step_.Beta1, 1.0 - step_.Beta2, 1.0 / sqrt(step_.Bias2), 1.0 / step_.Bias1);
}

// adam_step moves p along g and keeps the moments.
void adam_step(Adam a, inout float p, inout float m, inout float v, float g, float rate) {
	m += a.c1 * (g - m);
	v += a.c2 * (g * g - v);
	p -= rate * m / (sqrt(v) * a.ib2 + step_.Eps);
}
