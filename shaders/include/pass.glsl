// The backward raster pass over one bucket: each of 32 lanes holds a splat, and the
// tile's pixels pass through the lanes one after the other, front to back. What changes
// on the way, a pixel's transmittance and colour so far, moves to the next lane with
// each turn; gradients stay in registers. Include it after blend.glsl and subgroup.glsl.

// Traveller is what changes of a pixel on its way.
struct Traveller {
	float t;     // transmittance in front of the lane's splat
	float front; // product of the gradient with the colour in front of it
};

Traveller shuffle_up(Traveller q) { return Traveller(sg_shuffle_up(q.t, 1u), sg_shuffle_up(q.front, 1u)); }

// Sums is what a splat's gradients are made of; h is -alpha dL/dalpha of a pixel.
struct Sums {
	vec3 color;
	float h, hx, hy, hxx, hxy, hyy;
	vec2 absolute;
};

// front_of is the product of a pixel's gradient with a colour, in a fixed order.
float front_of(vec3 color, vec3 g) {
	precise float f = fma(color.b, g.b, fma(color.g, g.g, color.r * g.r));
	return f;
}

// meet takes a pixel past the lane's splat. pixel holds the gradient of the loss by its
// colour, and the product of that with all its colour.
void meet(inout Traveller q, inout Sums o, Splat s, vec2 d, vec4 pixel) {
	float raw, alpha = alpha_of(s.k, s.opacity, s.least, d, raw);
	if (raw == 0.0) {
		return;
	}
	float slope = raw > MAX_ALPHA ? 0.0 : 1.0; // capped: alpha does not move with the splat
	if (c_smooth != 0u) {
		cutoff(min(raw, MAX_ALPHA), slope);
	}
	precise float w = alpha * q.t, along = front_of(s.color, pixel.rgb);
	precise vec3 sum = fma(vec3(w), pixel.rgb, o.color);
	o.color = sum;
	precise float front = fma(w, along, q.front), left = 1.0 - alpha;
	precise float h = -raw * slope * fma(q.t, along, -(pixel.w - front) / left);
	precise float after = q.t * left;
	q.front = front;
	q.t = after;
	precise float hx = h * d.x, hy = h * d.y;
	precise float sh = o.h + h, shx = o.hx + hx, shy = o.hy + hy;
	precise float sxx = fma(hx, d.x, o.hxx), sxy = fma(hx, d.y, o.hxy), syy = fma(hy, d.y, o.hyy);
	o.h = sh;
	o.hx = shx;
	o.hy = shy;
	o.hxx = sxx;
	o.hxy = sxy;
	o.hyy = syy;
	if (c_absgrad != 0u) {
		precise vec2 a = o.absolute + abs(vec2(fma(s.conic.x, hx, s.conic.y * hy), fma(s.conic.y, hx, s.conic.z * hy)));
		o.absolute = a;
	}
}

// store writes a splat's sums to its slot.
void store(uint slot, Sums o, Splat s) {
	vec3 conic = s.conic;
	uint at = slot * (SLOT_ROW / 4u); // in the order of the SLOT offsets
	precise float gx = -fma(conic.x, o.hx, conic.y * o.hy), gy = -fma(conic.z, o.hy, conic.y * o.hx);
	slots[at] = vec4(gx, gy, 0.5 * o.hxx, o.hxy);
	slots[at + 1u] = vec4(0.5 * o.hyy, s.opacity > 0.0 ? -o.h / s.opacity : 0.0, o.color.rg);
	slots[at + 2u] = vec4(o.color.b, o.absolute, 0.0);
}

// clear_padding writes zeros to the slots of pairs that belong to no tile.
void clear_padding() {
	uint n = counts[COUNT_PAIRS];
	for (uint k = ranges[2u * counts[COUNT_TILES] - 1u] + gl_LocalInvocationIndex; k < n; k += 256u) {
		for (uint j = 0; j < SLOT_ROW / 4u; j++) {
			slots[pairs[k] * (SLOT_ROW / 4u) + j] = vec4(0.0);
		}
	}
}

// tile_pixel is the position of pixel p of a tile.
uvec2 tile_pixel(uint tile, uint p) {
	return uvec2(tile % step_.TilesX * TILE_SIZE + p % TILE_SIZE, tile / step_.TilesX * TILE_SIZE + p / TILE_SIZE);
}

// pixel_at reads what a pixel carries all the way, and how many splats of the tile it
// went through: none outside the picture.
vec4 pixel_at(uvec2 at, out uint reached) {
	reached = 0u;
	if (at.x >= step_.Width || at.y >= step_.Height) {
		return vec4(0.0);
	}
	uint i = at.y * step_.Width + at.x;
	reached = last[i];
	vec3 g = vec3(gradient[3u * i], gradient[3u * i + 1u], gradient[3u * i + 2u]);
	return vec4(g, front_of(image[i].rgb, g));
}
