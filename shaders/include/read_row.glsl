// read_row reads the geometry of a splat; geom must be bound.
Row read_row(uint i) {
	uint at = i * (GEOM_ROW / 4u);
	vec4 a = geom[at], c = geom[at + 2u];
	return Row(a.xyz, a.w, geom[at + 1u], c.xyz);
}
