// The raster passes split a tile into blocks of neighbouring pixels, one for every 32
// invocations: these mostly see the same splats, and pass over those that do not reach
// their block. Include it after blend.glsl.

// tile_at is the first pixel of a tile, corner_of its centre.
uvec2 tile_at(uint tile) { return uvec2(tile % step_.TilesX, tile / step_.TilesX) * TILE_SIZE; }
vec2 corner_of(uint tile) { return vec2(tile_at(tile)) + 0.5; }

// falls_short says whether the exponent at d surely lies below least: rounding is of the
// size of the terms.
bool falls_short(vec3 k, vec2 d, float least) {
	return exponent(k, d) < least - 0.01 - 1e-5 * (abs(k.x) * d.x * d.x + abs(k.z) * d.y * d.y);
}

// reaches_block says whether a splat may reach a pixel of a block; low and high are the
// outermost pixel centres, seen from its mean. A convex function has its least value over a box
// on an edge that faces its centre: at most one along x and one along y. Where numbers are
// not ordinary the answer is yes.
bool reaches_block(vec2 low, vec2 high, vec3 k, float least) {
	vec2 near = clamp(vec2(0.0), low, high);
	vec2 at_x = vec2(near.x, clamp(-0.5 * k.y / k.z * near.x, low.y, high.y));
	vec2 at_y = vec2(clamp(-0.5 * k.y / k.x * near.y, low.x, high.x), near.y);
	return !(falls_short(k, at_x, least) && falls_short(k, at_y, least));
}
