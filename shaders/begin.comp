#version 450
#include "common.glsl"
#include "gen/begin.glsl"
#include "math.glsl"
#include "rand.glsl"
#include "work.glsl"
#include "due.glsl"
#include "view.glsl"

// view_at returns the view that a step uses among n: each epoch of n steps visits
// every view once. It is a bijection of four Feistel rounds, walked until the value
// falls below n.
uint view_at(uint seed, uint index, uint n) {
	if (n <= 1u) {
		return 0u;
	}
	uint epoch = index / n, x = index % n;
	uint width = uint(findMSB(n - 1u) + 2) / 2u;
	uint mask = (1u << width) - 1u;
	do {
		uint left = x >> width, right = x & mask;
		for (uint round_ = 0; round_ < 4u; round_++) {
			uint next = left ^ (hash(seed ^ (STREAM_VIEW << 24), epoch * 4u + round_, right) & mask);
			left = right;
			right = next;
		}
		x = left << width | right;
	} while (x >= n);
	return x;
}

// pixels_missing reports whether the view's pixels are not on the device.
bool pixels_missing(uint view) {
	if (views[view].Resident == 0u) {
		return true;
	}
	if (schedule.RingSlots == 0u) {
		return false;
	}
	return resident[control.Step % schedule.RingSlots] != control.Step + 1u;
}

// noop_of returns why a step must not run, or NOOP_NONE.
uint noop_of(uint view) {
	if (control.NonFinite != 0u) {
		return NOOP_BROKEN;
	}
	if (control.Overflow != 0u) {
		return NOOP_OVERFLOW;
	}
	if (control.Step >= control.Limit) {
		return NOOP_LIMIT;
	}
	if (refine_due(control.Step, control.LastRefine, schedule.RefineEvery, schedule.RefineStart, schedule.RefineStop)) {
		return NOOP_REFINE;
	}
	return pixels_missing(view) ? NOOP_RESIDENT : NOOP_NONE;
}

void set_background(inout Step s) {
	for (uint c = 0; c < 3u; c++) {
		s.Background[c] = schedule.Background[c];
		if (schedule.BackgroundRandom != 0u) {
			s.Background[c] = unit(hash(s.Seed, STREAM_BACKGROUND, c));
		}
	}
}

// bias returns 1 - beta^t without cancellation.
float bias(float beta, uint t) {
	if (!(beta > 0.0)) {
		return 1.0;
	}
	precise float x = float(t) * log_(beta);
	if (x > -0.01) {
		return -x * (1.0 + x / 2.0 * (1.0 + x / 3.0));
	}
	return 1.0 - exp_(x);
}

// set_rates evaluates the schedules: the means' rate falls exponentially, Adam's
// bias correction counts steps from 1.
void set_rates(inout Step s) {
	float t = min(float(s.Index) / float(max(schedule.Steps, 1u)), 1.0);
	s.LRMeans = schedule.LRMeans;
	if (schedule.LRMeans > 0.0 && schedule.LRMeansEnd > 0.0) {
		precise float x = t * log_(schedule.LRMeansEnd / schedule.LRMeans);
		s.LRMeans = schedule.LRMeans * exp_(x);
	}
	s.LRScales = schedule.LRScales;
	s.LRQuats = schedule.LRQuats;
	s.LROpacities = schedule.LROpacities;
	s.LRSH0 = schedule.LRSH0;
	s.LRSHRest = schedule.LRSHRest;
	s.Beta1 = schedule.Beta1;
	s.Beta2 = schedule.Beta2;
	s.Eps = schedule.Eps;
	s.Bias1 = bias(schedule.Beta1, s.Index + 1u);
	s.Bias2 = bias(schedule.Beta2, s.Index + 1u);
	s.SSIMLambda = schedule.SSIMLambda;
	float n = float(max(control.Splats, 1u));
	s.OpacityReg = schedule.OpacityReg / n;
	s.ScaleReg = schedule.ScaleReg / (3.0 * n);
	s.Noise = schedule.NoiseLR * s.LRMeans;
}

// Decides whether the step runs and, if so, with which view, rates and seeds.
void main() {
	Step s = empty_step();
	s.Index = control.Step;
	s.View = view_at(schedule.Seed, s.Index, schedule.Views);
	s.Seed = hash(schedule.Seed, s.Index, 0u);
	s.Noop = noop_of(s.View);
	s.SHDegree = schedule.SHDegree;
	if (schedule.SHInterval > 0u) {
		s.SHDegree = min(schedule.SHDegree, s.Index / schedule.SHInterval);
	}
	s.Audit = uint(s.Index % AUDIT_EVERY == AUDIT_EVERY - 1u);
	set_view(s);
	if (schedule.RingSlots > 0u) {
		s.Pixels = s.Index % schedule.RingSlots * schedule.RingPixels;
	}
	set_background(s);
	set_rates(s);
	step_ = s;
	start_counts(s, control.Splats);
}
