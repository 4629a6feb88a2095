// The tile test. project counts with it and emit lists with it, on the same numbers;
// precise keeps the compiler from rounding differently in the two. See
// internal/kernel/cpu/tiles.go.

// power_of is 2 ln(255 opacity), slightly widened: the squared Mahalanobis radius at
// which alpha falls to 1/255.
float power_of(float opacity) { return 2.0 * log_(255.0 * opacity) * (1.0 + 1e-5) + 1e-5; }

// Ellipse is where alpha can reach 1/255: a dx^2 + 2 b dx dy + c dy^2 <= power.
struct Ellipse {
	float x, y, a, b, c, power, ex, ey;
};

float ellipse_ex(float a, float c, float ey) {
	precise float ex = ey * sqrt(c / a);
	return ex;
}

// tile_rows returns the rows of tiles [x, y) that the ellipse may touch.
ivec2 tile_rows(Ellipse e, int height) {
	precise float low = e.y - e.ey - 0.5, high = e.y + e.ey - 0.5;
	int first = ceil_within(low, 0, height), last = beyond_within(high, 0, height);
	if (first >= last) {
		return ivec2(0);
	}
	return ivec2(first / int(TILE_SIZE), (last - 1) / int(TILE_SIZE) + 1);
}

// reach is a times half the chord of the ellipse at dy.
float reach(Ellipse e, float dy) {
	precise float r = e.a * e.power - (e.a * e.c - e.b * e.b) * dy * dy;
	return sqrt(max(r, 0.0));
}

// tile_span returns the tiles [x, y) of one row of tiles that the ellipse meets.
ivec2 tile_span(Ellipse e, int width, int height, int row) {
	precise float top = float(row * int(TILE_SIZE)) + 0.5;
	precise float bottom = float(min((row + 1) * int(TILE_SIZE), height)) - 0.5;
	precise float d0 = max(top - e.y, -e.ey), d1 = min(bottom - e.y, e.ey);
	if (d0 > d1) {
		return ivec2(0);
	}
	precise float peak = -e.b / e.c * e.ex;
	precise float v1 = min(max(peak, d0), d1), v0 = min(max(-peak, d0), d1);
	precise float right = e.x + (-e.b * v1 + reach(e, v1)) / e.a;
	precise float left = e.x + (-e.b * v0 - reach(e, v0)) / e.a;
	precise float low = left - 0.5, high = right - 0.5;
	int first = ceil_within(low, 0, width), last = beyond_within(high, 0, width);
	if (first >= last) {
		return ivec2(0);
	}
	return ivec2(first / int(TILE_SIZE), (last - 1) / int(TILE_SIZE) + 1);
}
