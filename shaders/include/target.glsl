// The step's target, composited over the background: see internal/kernel/cpu/loss.go.
// Include it after gen/KERNEL.glsl, which must bind step and targets.

// target returns the target's colour at a pixel; weight is 0 for one to ignore.
vec3 target(uint x, uint y, out float weight) {
	uint word = targets[step_.Pixels + y * step_.Width + x];
	float a = float(word >> 24) / 255.0;
	vec3 rgb = vec3(float(word & 0xFFu) / 255.0, float(word >> 8 & 0xFFu) / 255.0, float(word >> 16 & 0xFFu) / 255.0);
	weight = a;
	if ((step_.Flags & VIEW_MASK) != 0u) {
		return rgb;
	}
	weight = 1.0;
	return rgb + (1.0 - a) * vec3(step_.Background[0], step_.Background[1], step_.Background[2]);
}

// SIDE is the width of a tile with the window's halo.
#define SIDE (TILE_SIZE + c_window - 1u)
