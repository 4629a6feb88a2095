#version 450
#include "common.glsl"
#include "gen/emit.glsl"
#include "math.glsl"
#include "tiles.glsl"

// Lists the (tile, splat) pairs of each visible splat, nearest splat first. The payload
// is the place in this list, which is also the pair's gradient slot. Should the tile
// test find fewer tiles than project counted, the rest is padded with a tile that does
// not exist.
void main() {
	uint r = invocation_id();
	if (r >= counts[COUNT_VISIBLE]) {
		return;
	}
	uint id = ids[r], at = offsets[r], end = at + ordered[r];
	base[id] = at;
	for (uint j = at; j < end; j++) {
		pairs[j] = j;
		owners[j] = id;
	}
	uint row = id * PROJ_ROW;
	Ellipse e;
	e.x = proj[row + PROJ_X];
	e.y = proj[row + PROJ_Y];
	e.a = proj[row + PROJ_CONIC_A];
	e.b = proj[row + PROJ_CONIC_B];
	e.c = proj[row + PROJ_CONIC_C];
	e.power = proj[row + PROJ_POWER];
	e.ey = proj[row + PROJ_EXTENT_Y];
	e.ex = ellipse_ex(e.a, e.c, e.ey);
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
