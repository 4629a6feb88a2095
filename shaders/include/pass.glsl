// The backward raster pass over one bucket: each of 32 lanes holds a splat, and the
// tile's pixels pass through the lanes one after the other, front to back. A pixel's
// state moves to the next lane with each turn; gradients stay in registers. Include it
// after blend.glsl and subgroup.glsl.

const uint TURNS = TILE_PIXELS + BUCKET - 1u;

// Traveller is a pixel on its way through the lanes.
struct Traveller {
	float t;     // transmittance in front of the lane's splat
	float front; // product of the gradient with the colour in front of it
	float all;   // and with all colour
	vec3 g;      // gradient of the loss by the pixel's colour
	uint last;   // splats of the tile that the pixel went through; 0: not at all
};

#ifdef EMULATED
shared vec4 travellers[256];

// shuffle_up passes every pixel on to the next lane.
Traveller shuffle_up(Traveller q) {
	uint i = gl_LocalInvocationIndex, from = sg_lane() > 0u ? i - 1u : i;
	barrier();
	travellers[i] = vec4(q.t, q.front, q.all, uintBitsToFloat(q.last));
	barrier();
	vec4 a = travellers[from];
	barrier();
	travellers[i] = vec4(q.g, 0.0);
	barrier();
	return Traveller(a.x, a.y, a.z, travellers[from].xyz, floatBitsToUint(a.w));
}
#else
// shuffle_up passes every pixel on to the next lane.
Traveller shuffle_up(Traveller q) {
	Traveller o;
	o.t = sg_shuffle_up(q.t, 1u);
	o.front = sg_shuffle_up(q.front, 1u);
	o.all = sg_shuffle_up(q.all, 1u);
	o.g.r = sg_shuffle_up(q.g.r, 1u);
	o.g.g = sg_shuffle_up(q.g.g, 1u);
	o.g.b = sg_shuffle_up(q.g.b, 1u);
	o.last = sg_shuffle_up(q.last, 1u);
	return o;
}
#endif

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

// meet takes a pixel past the lane's splat.
void meet(inout Traveller q, inout Sums o, Splat s, vec3 conic, vec2 d, uint position) {
	if (position >= q.last) {
		return;
	}
	float raw, alpha = alpha_of(s.k, s.opacity, s.least, d, raw);
	if (raw == 0.0) {
		return;
	}
	float slope = raw > MAX_ALPHA ? 0.0 : 1.0; // capped: alpha does not move with the splat
	if (c_smooth != 0u) {
		cutoff(min(raw, MAX_ALPHA), slope);
	}
	precise float w = alpha * q.t, along = front_of(s.color, q.g);
	precise vec3 sum = fma(vec3(w), q.g, o.color);
	o.color = sum;
	precise float front = fma(w, along, q.front), left = 1.0 - alpha;
	precise float h = -raw * slope * fma(q.t, along, -(q.all - front) / left);
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
		precise vec2 a = o.absolute + abs(vec2(fma(conic.x, hx, conic.y * hy), fma(conic.y, hx, conic.z * hy)));
		o.absolute = a;
	}
}

// store writes a splat's sums to its slot.
void store(uint slot, Sums o, Splat s, vec3 conic) {
	uint at = slot * SLOT_ROW;
	precise float gx = -fma(conic.x, o.hx, conic.y * o.hy), gy = -fma(conic.z, o.hy, conic.y * o.hx);
	slots[at + SLOT_X] = gx;
	slots[at + SLOT_Y] = gy;
	slots[at + SLOT_CONIC_A] = 0.5 * o.hxx;
	slots[at + SLOT_CONIC_B] = o.hxy;
	slots[at + SLOT_CONIC_C] = 0.5 * o.hyy;
	slots[at + SLOT_OPACITY] = s.opacity > 0.0 ? -o.h / s.opacity : 0.0;
	slots[at + SLOT_COLOR] = o.color.r;
	slots[at + SLOT_COLOR + 1u] = o.color.g;
	slots[at + SLOT_COLOR + 2u] = o.color.b;
	slots[at + SLOT_ABS_X] = o.absolute.x;
	slots[at + SLOT_ABS_Y] = o.absolute.y;
	slots[at + SLOT_ROW - 1u] = 0.0;
}

// clear_padding writes zeros to the slots of pairs that belong to no tile.
void clear_padding() {
	uint n = counts[COUNT_PAIRS];
	for (uint k = ranges[2u * counts[COUNT_TILES] - 1u] + gl_LocalInvocationIndex; k < n; k += 256u) {
		for (uint j = 0; j < SLOT_ROW; j++) {
			slots[pairs[k] * SLOT_ROW + j] = 0.0;
		}
	}
}

// tile_pixel is the position of pixel p of a tile.
uvec2 tile_pixel(uint tile, uint p) {
	return uvec2(tile % step_.TilesX * TILE_SIZE + p % TILE_SIZE, tile / step_.TilesX * TILE_SIZE + p / TILE_SIZE);
}

// departing fills what a pixel carries all the way: gradient, all colour, last.
Traveller departing(uint tile, uint p) {
	Traveller q = Traveller(0.0, 0.0, 0.0, vec3(0.0), 0u);
	uvec2 at = tile_pixel(tile, p);
	if (at.x < step_.Width && at.y < step_.Height) {
		uint i = at.y * step_.Width + at.x;
		q.last = last[i];
		q.g = vec3(gradient[3u * i], gradient[3u * i + 1u], gradient[3u * i + 2u]);
		q.all = front_of(vec3(image[4u * i], image[4u * i + 1u], image[4u * i + 2u]), q.g);
	}
	return q;
}
