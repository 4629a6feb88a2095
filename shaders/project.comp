#version 450
#include "common.glsl"
#include "gen/project.glsl"
#include "math.glsl"
#include "projection.glsl"
#include "read_row.glsl"
#include "tiles.glsl"
#include "sh.glsl"

Ellipse ellipse;
float opacity;

// set_ellipse fills what proj holds of the splat's shape.
void set_ellipse(SplatView p) {
	float iz = 1.0 / p.t.z, id = 1.0 / p.det;
	ellipse.x = step_.Fx * p.t.x * iz + step_.Cx;
	ellipse.y = step_.Fy * p.t.y * iz + step_.Cy;
	ellipse.a = p.c * id;
	ellipse.b = -p.b * id;
	ellipse.c = p.a * id;
	opacity = p.opacity * p.comp;
	ellipse.power = power_of(opacity);
	ellipse.ey = sqrt(ellipse.power * p.c);
	ellipse.ex = ellipse_ex(ellipse.a, ellipse.c, ellipse.ey);
}

// count_tiles is the number of tiles in which alpha can reach 1/255, saturating; 0
// when a number is not ordinary.
uint count_tiles() {
	if (!is_finite(ellipse.x + ellipse.y) || !is_finite(ellipse.a + ellipse.b + ellipse.c) ||
		is_nan(ellipse.ex) || is_nan(ellipse.ey) || !(ellipse.ex >= 0.0 && ellipse.ey >= 0.0)) {
		return 0u;
	}
	int w = int(step_.Width), h = int(step_.Height);
	ivec2 rows = tile_rows(ellipse, h);
	uint n = 0u;
	for (int row = rows.x; row < rows.y; row++) {
		ivec2 span = tile_span(ellipse, w, h, row);
		n = add_saturating(n, uint(span.y - span.x));
	}
	return n;
}

// splat_color evaluates the SH towards the splat, plus 0.5, before the clamp.
vec3 splat_color(Row row, uint i) {
	float y[16], length_;
	vec3 d = view_direction(row, length_);
	sh_basis(y, step_.SHDegree, d);
	vec3 color = vec3(0.5);
	uint n = min(sh_count(step_.SHDegree), c_coefficients), at = i * 3u * c_coefficients;
	for (uint k = 0; k < c_coefficients; k++) {
		if (k < n) {
			color += y[k] * vec3(sh[at + 3u * k], sh[at + 3u * k + 1u], sh[at + 3u * k + 2u]);
		}
	}
	return color;
}

// Projects every splat, counts the tiles it touches and evaluates the colour of those
// that touch any. tiles is 0 for what is not drawn.
void main() {
	uint i = invocation_id();
	if (i >= counts[COUNT_SPLATS]) {
		return;
	}
	Row row = read_row(i);
	SplatView p;
	if (!project_splat(p, row)) {
		tiles[i] = 0u;
		return;
	}
	set_ellipse(p);
	uint n = count_tiles();
	vec3 color = vec3(0.0);
	if (n > 0u) {
		color = splat_color(row, i);
		if (!is_finite(color.x + color.y + color.z)) {
			n = 0u; // damaged SH must not spread over the picture
		}
	}
	tiles[i] = n;
	if (n == 0u) {
		return;
	}
	uint at = i * (PROJ_ROW / 4u); // in the order of the PROJ offsets
	color = max(color, vec3(0.0));
	proj[at] = vec4(ellipse.x, ellipse.y, ellipse.a, ellipse.b);
	proj[at + 1u] = vec4(ellipse.c, opacity, color.x, color.y);
	proj[at + 2u] = vec4(color.z, p.t.z, ellipse.ey, ellipse.power);
}
