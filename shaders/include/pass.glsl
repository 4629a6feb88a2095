// The backward raster pass over a bucket of pairs: a workgroup of 128, two pixels an
// invocation. A block of 8x8 pixels walks through those of the bucket's splats that reach
// it, front to back. What the block's pixels give to a splat is added up by butterflies
// over the lanes; what the blocks give, in their order. Shared memory is what limits how
// many workgroups run at once, so there is little of it. Include it after blend.glsl,
// subgroup.glsl and blocks.glsl. RECOMPUTE carries the colour along.

// Pixel is what a pixel carries past the splats.
struct Pixel {
	vec2 at;       // its centre
	vec4 g;        // gradient of the loss by its colour, and the product of that with all its colour
	uint reached;  // splats of the tile that it went through
	float t;       // transmittance in front of the current splat
	float front;   // product of the gradient with the colour in front of it
	vec3 color;    // that colour (RECOMPUTE)
};

// Light is what one pixel gives to a splat: weight and, of the exponent, the gradient
// h = -alpha dL/dalpha and absolute gradients of the mean.
struct Light {
	float w, h;
	vec2 absolute;
};

const uint BLOCKS = 4u;               // of a tile
const uint HALF = 4u;                 // rows from an invocation's first pixel to its second
const uint BATCH = 32u;               // splats that are loaded together
const uint PIECE = 16u;               // splats that are added up together; a power of 2 below 32
const uint ADDED = c_absgrad != 0u ? 11u : 9u; // sums of a splat
const uint PART_ROW = PIECE * BLOCKS + 1u; // odd: lanes write to different banks

// The sums: colour, h, h dx, h dy, h dx^2, h dx dy, h dy^2, absolute gradients.
const uint COLOR = 0u, H = 3u, HX = 4u, HY = 5u, HXX = 6u, HXY = 7u, HYY = 8u, ABSOLUTE = 9u;

shared vec4 batch_shape[BATCH]; // mean, opacity, least
shared vec4 batch_form[BATCH];  // k, red
shared vec2 batch_rest[BATCH];  // green, blue
shared uint batch_pair[BATCH];
shared float parts[ADDED * PART_ROW]; // each sum, of each block and in it each splat of the piece
shared float sums[ADDED * PIECE];     // each sum, of each splat
shared uint given[BLOCKS];            // the splats of the piece that the block gave light to

// block_at is where the invocation's block begins in its tile.
uvec2 block_at() { return uvec2(sg_index() >> 5 & 1u, sg_index() >> 6) * 8u; }

// place_of is where pixel h (0 or 1) of the invocation lies in its tile.
uvec2 place_of(uint h) { return block_at() + uvec2(sg_index() & 7u, (sg_index() >> 3 & 3u) + h * HALF); }

// front_of is the product of a pixel's gradient with a colour, in a fixed order.
float front_of(vec3 color, vec3 g) {
	precise float f = fma(color.b, g.b, fma(color.g, g.g, color.r * g.r));
	return f;
}

// pixel_of starts a pixel at the front of its tile.
Pixel pixel_of(uint tile, uint h) {
	uvec2 at = tile_at(tile) + place_of(h);
	Pixel p = Pixel(vec2(at) + 0.5, vec4(0.0), 0u, 1.0, 0.0, vec3(0.0));
	if (at.x < step_.Width && at.y < step_.Height) {
		uint i = at.y * step_.Width + at.x;
		vec3 g = vec3(gradient[3u * i], gradient[3u * i + 1u], gradient[3u * i + 2u]);
		p.g = vec4(g, front_of(image[i].rgb, g));
		p.reached = last[i];
	}
	return p;
}

// load puts n splats, those of the pairs from begin on, where all can read them.
void load(uint begin, uint n) {
	uint i = gl_LocalInvocationIndex;
	if (i < n) {
		uint pair = pairs[begin + i];
		Splat s = load_splat(owners[pair]);
		batch_pair[i] = pair;
		batch_shape[i] = vec4(s.mean, s.opacity, s.least);
		batch_form[i] = vec4(s.k, s.color.r);
		batch_rest[i] = s.color.gb;
	}
}

// walkers returns those of a piece of n splats, the first of which is number from of the
// batch and number first of the tile, that reach the invocation's block; reached is how
// far its pixels went. Emulated subgroups take all, since their turns must be the same for
// the whole workgroup.
uint walkers(uint from, uint n, vec2 corner, uint first, uint reached) {
#ifdef EMULATED
	return (1u << n) - 1u; // PIECE is less than 32
#else
	uint lane = sg_index() % 32u, most = reached;
	for (uint d = 1u; d < 32u; d *= 2u) {
		most = max(most, subgroupShuffleXor(most, d));
	}
	bool takes = lane < n && first + lane < most;
	uint k = from + (takes ? lane : 0u);
	vec2 low = corner + vec2(block_at()) - batch_shape[k].xy;
	return subgroupBallot(takes && reaches_block(low, low + 7.0, batch_form[k].xyz, batch_shape[k].w)).x;
#endif
}

// meet takes a pixel past splat k of the batch; there says whether it went that far.
Light meet(inout Pixel p, uint k, bool there) {
	vec4 shape = batch_shape[k], form = batch_form[k];
	vec2 d = p.at - shape.xy;
	float raw, alpha = alpha_of(form.xyz, shape.z, d, raw);
	raw = there ? raw : 0.0;
	alpha = there ? alpha : 0.0;
	float slope = raw > MAX_ALPHA ? 0.0 : raw; // capped: alpha does not move with the splat
	if (c_smooth != 0u) {
		cutoff(min(raw, MAX_ALPHA), slope);
		slope *= raw;
	}
	vec3 color = vec3(form.w, batch_rest[k]);
	precise float w = alpha * p.t, along = front_of(color, p.g.rgb);
	precise float front = fma(w, along, p.front), left = 1.0 - alpha;
	precise float h = -slope * fma(p.t, along, -(p.g.w - front) / left);
	precise float after = p.t * left;
#ifdef RECOMPUTE
	precise vec3 sum = fma(vec3(w), color, p.color);
	p.color = sum;
#endif
	p.front = front;
	p.t = after;
	Light o = Light(w, h, vec2(0.0));
	if (c_absgrad != 0u) {
		precise vec2 a = abs(vec2(fma(2.0 * form.x, d.x, form.y * d.y), fma(2.0 * form.z, d.y, form.y * d.x)) * h);
		o.absolute = a;
	}
	return o;
}

// pair_up adds a over lane pairs that differ in bit d in the lanes without it, b in those
// with it.
float pair_up(float a, float b, uint lane, uint d) {
	bool high = (lane & d) != 0u;
	precise float s = (high ? b : a) + sg_shuffle_xor(high ? a : b, d);
	return s;
}

float add_up(float v, uint d) {
	precise float s = v + sg_shuffle_xor(v, d);
	return s;
}

// sum_block adds up over the block's lanes what its pixels, two a lane, give to a splat:
// lane L gets sum L. Values are halved at each turn, so that 13 shuffles do for 11. d goes
// from the mean to the lane's first pixel.
float sum_block(Light o[2], vec3 g0, vec3 g1, vec2 d, uint lane) {
	precise float y1 = d.y + float(HALF), hy0 = o[0].h * d.y, hy1 = o[1].h * y1;
	precise vec3 c = fma(vec3(o[1].w), g1, o[0].w * g0);
	precise float h = o[0].h + o[1].h, hx = h * d.x, hy = hy0 + hy1;
	precise float hxx = hx * d.x, hxy = hy * d.x, hyy = fma(hy1, y1, hy0 * d.y);
	float a = pair_up(pair_up(c.r, c.g, lane, 1u), pair_up(c.b, h, lane, 1u), lane, 2u);
	float b = pair_up(pair_up(hx, hy, lane, 1u), pair_up(hxx, hxy, lane, 1u), lane, 2u);
	float rest;
	if (c_absgrad != 0u) {
		precise vec2 absolute = o[0].absolute + o[1].absolute;
		rest = pair_up(pair_up(hyy, absolute.x, lane, 1u), add_up(absolute.y, 1u), lane, 2u);
	} else {
		rest = add_up(add_up(hyy, 1u), 2u);
	}
	return add_up(pair_up(pair_up(a, b, lane, 4u), add_up(rest, 4u), lane, 8u), 16u);
}

// far is how many splats a pixel goes past from number first of the tile on.
uint far(Pixel p, uint first) { return p.reached > first ? p.reached - first : 0u; }

// walk takes the block's pixels past a piece: see walkers.
void walk(inout Pixel p[2], uint from, uint n, uint first, vec2 corner) {
	uint lane = sg_index() % 32u, gives = 0u, column = sg_index() / 32u * PIECE;
	uint far0 = far(p[0], first), far1 = far(p[1], first);
	uint bits = walkers(from, n, corner, first, max(p[0].reached, p[1].reached));
	for (; bits != 0u; bits &= bits - 1u) {
		uint k = uint(findLSB(bits));
		Light o[2] = Light[2](meet(p[0], from + k, k < far0), meet(p[1], from + k, k < far1));
#ifndef EMULATED
		if (subgroupBallot(o[0].w + o[1].w > 0.0).x == 0u) {
			continue;
		}
#endif
		gives |= 1u << k;
		float sum = sum_block(o, p[0].g.rgb, p[1].g.rgb, p[0].at - batch_shape[from + k].xy, lane);
		if (lane < ADDED) {
			parts[lane * PART_ROW + column + k] = sum;
		}
	}
	if (lane == 0u) {
		given[sg_index() / 32u] = gives;
	}
}

// add_blocks adds up each splat's parts over the blocks, in their order.
void add_blocks() {
	uint k = gl_LocalInvocationIndex % PIECE;
	for (uint r = gl_LocalInvocationIndex / PIECE; r < ADDED; r += 128u / PIECE) {
		precise float sum = 0.0;
		for (uint b = 0; b < BLOCKS; b++) {
			if ((given[b] >> k & 1u) != 0u) {
				sum += parts[r * PART_ROW + b * PIECE + k];
			}
		}
		sums[r * PIECE + k] = sum;
	}
}

float total(uint row, uint k) { return sums[row * PIECE + k]; }

// store_piece writes the slots of n splats, the first of which is number from of the batch.
void store_piece(uint from, uint n) {
	uint k = gl_LocalInvocationIndex;
	if (k >= n) {
		return;
	}
	uint at = batch_pair[from + k] * (SLOT_ROW / 4u);
	float opacity = batch_shape[from + k].z, hx = total(HX, k), hy = total(HY, k);
	vec3 form = batch_form[from + k].xyz;
	// The gradient of the exponent, in base 2, by the mean.
	precise float gx = fma(2.0 * form.x, hx, form.y * hy) / LOG2E, gy = fma(2.0 * form.z, hy, form.y * hx) / LOG2E;
	vec2 absolute = c_absgrad != 0u ? vec2(total(ABSOLUTE, k), total(ABSOLUTE + 1u, k)) / LOG2E : vec2(0.0);
	slots[at] = vec4(gx, gy, 0.5 * total(HXX, k), total(HXY, k));
	slots[at + 1u] = vec4(0.5 * total(HYY, k), opacity > 0.0 ? -total(H, k) / opacity : 0.0, total(COLOR, k), total(COLOR + 1u, k));
	slots[at + 2u] = vec4(total(COLOR + 2u, k), absolute, 0.0);
}

// pass_batch takes the tile's pixels past n pairs from begin on, the first of which is
// number first of the tile, and writes their slots.
void pass_batch(inout Pixel p[2], uint begin, uint n, uint first, vec2 corner) {
	barrier();
	load(begin, n);
	barrier();
	for (uint from = 0u; from < n; from += PIECE) {
		uint m = min(n - from, PIECE);
		walk(p, from, m, first + from, corner);
		barrier();
		add_blocks();
		barrier();
		store_piece(from, m);
	}
}

// pass_bucket does so with up to BUCKET pairs. The whole workgroup calls it.
void pass_bucket(inout Pixel p[2], uint begin, uint n, uint first, vec2 corner) {
	for (uint from = 0u; from < n; from += BATCH) {
		pass_batch(p, begin + from, min(n - from, BATCH), first + from, corner);
	}
}

// clear_padding writes zeros to the slots of pairs that belong to no tile.
void clear_padding() {
	uint n = counts[COUNT_PAIRS];
	for (uint k = ranges[2u * counts[COUNT_TILES] - 1u] + gl_LocalInvocationIndex; k < n; k += 128u) {
		for (uint j = 0; j < SLOT_ROW / 4u; j++) {
			slots[pairs[k] * (SLOT_ROW / 4u) + j] = vec4(0.0);
		}
	}
}
