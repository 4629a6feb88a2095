#version 450
#include "common.glsl"
#include "gen/emit.glsl"
#include "math.glsl"
#include "tiles.glsl"

// ellipse_of reads the ellipse of a row of proj.
Ellipse ellipse_of(uint id) {
	vec4 a = proj[id * (PROJ_ROW / 4u)], b = proj[id * (PROJ_ROW / 4u) + 1u], c = proj[id * (PROJ_ROW / 4u) + 2u];
	return Ellipse(a.x, a.y, a.z, a.w, b.x, c.w, ellipse_ex(a.z, b.x, c.z), c.z);
}

#ifdef TOGETHER
#include "subgroup.glsl"
#include "scan.glsl"

const uint ALONE = 32u; // pairs that an invocation lists by itself
shared uint wide_splats;
shared uint wide[256]; // ranks of the workgroup's splats with more

// list_together lists a splat's pairs, a row of tiles an invocation. All of the workgroup
// must call it.
void list_together(uint r) {
	uint id = ids[r], at = offsets[r], end = at + ordered[r], i = sg_index();
	for (uint j = at + i; j < end; j += 256u) {
		pairs[j] = j;
		owners[j] = id;
	}
	Ellipse e = ellipse_of(id);
	int w = int(step_.Width), h = int(step_.Height);
	ivec2 rows = tile_rows(e, h);
	for (int first = rows.x; first < rows.y; first += 256) {
		int y = first + int(i);
		ivec2 span = y < rows.y ? tile_span(e, w, h, y) : ivec2(0);
		uint total, place = at + group_scan(uint(span.y - span.x), total);
		for (int x = span.x; x < span.y && place < end; x++) {
			keys[place] = uint(y) * step_.TilesX + uint(x);
			place++;
		}
		at = min(at + total, end);
	}
	for (uint j = at + i; j < end; j += 256u) {
		keys[j] = step_.TilesX * step_.TilesY;
	}
}
#endif

// list_alone lists a splat's pairs.
void list_alone(uint r) {
	uint id = ids[r], at = offsets[r], end = at + ordered[r];
	for (uint j = at; j < end; j++) {
		pairs[j] = j;
		owners[j] = id;
	}
	Ellipse e = ellipse_of(id);
	int w = int(step_.Width), h = int(step_.Height);
	ivec2 rows = tile_rows(e, h);
	for (int y = rows.x; y < rows.y; y++) {
		ivec2 span = tile_span(e, w, h, y);
		for (int x = span.x; x < span.y && at < end; x++) {
			keys[at] = uint(y) * step_.TilesX + uint(x);
			at++;
		}
	}
	for (; at < end; at++) {
		keys[at] = step_.TilesX * step_.TilesY;
	}
}

// Lists the (tile, splat) pairs of each visible splat, nearest splat first. The payload
// is the place in this list, which is also the pair's gradient slot. Should the tile
// test find fewer tiles than project counted, the rest is padded with a tile that does
// not exist. TOGETHER, the workgroup lists large splats one after the other.
void main() {
	uint r = invocation_id();
	bool listed = r < counts[COUNT_VISIBLE];
	if (listed) {
		base[ids[r]] = offsets[r];
	}
#ifdef TOGETHER
	if (gl_LocalInvocationIndex == 0u) {
		wide_splats = 0u;
	}
	barrier();
	if (listed && ordered[r] > ALONE) {
		wide[atomicAdd(wide_splats, 1u)] = r; // in any order: each has its own places
		listed = false;
	}
	barrier();
	uint n = wide_splats;
	for (uint k = 0; k < n; k++) {
		list_together(wide[k]);
	}
#endif
	if (listed) {
		list_alone(r);
	}
}
