#version 450
#include "common.glsl"
#include "gen/commit.glsl"

const uint LANES = 256u;

// The tiles' sums of L1 and of SSIM.
shared vec2 lanes[LANES];

// sum_partials adds them in a shape that depends on the number alone: each lane its
// stride in order, then the lanes pairwise. Lane 0 gets the sum.
vec2 sum_partials(uint lane, uint n) {
	precise vec2 sum = vec2(0.0);
	for (uint i = lane; i < n; i += LANES) {
		sum += vec2(partials[2u * i], partials[2u * i + 1u]);
	}
	lanes[lane] = sum;
	for (uint half_ = LANES / 2u; half_ > 0u; half_ /= 2u) {
		barrier();
		if (lane < half_) {
			precise vec2 pair = lanes[lane] + lanes[lane + half_];
			lanes[lane] = pair;
		}
	}
	return lanes[0];
}

// Ends a step that ran: writes the statistics to the ring at the step's number and
// only then advances the step. A step that met numbers which are not finite does not
// count, and none comes after it.
void main() {
	if (step_.Noop != NOOP_NONE) {
		return;
	}
	uint lane = gl_LocalInvocationID.x;
	precise vec2 sums = sum_partials(lane, step_.TilesX * step_.TilesY) * step_.LossScale;
	if (lane != 0u) {
		return;
	}
	precise float loss = (1.0 - step_.SSIMLambda) * sums.x + step_.SSIMLambda * (1.0 - sums.y);
	uint slot = step_.Index % c_ring;
	ring[slot].Step = step_.Index;
	ring[slot].View = step_.View;
	ring[slot].Splats = counts[COUNT_SPLATS];
	ring[slot].Visible = counts[COUNT_VISIBLE];
	ring[slot].Pairs = counts[COUNT_PAIRS];
	ring[slot].Loss = loss;
	ring[slot].L1 = sums.x;
	ring[slot].SSIM = sums.y;
	uint broken = counts[COUNT_BROKEN];
	if (broken != 0u || !is_finite(loss)) {
		control.NonFinite = step_.Index + 1u;
		control.Broken = broken != 0u ? ~broken : NO_SPLAT;
		return;
	}
	control.Step++;
}
