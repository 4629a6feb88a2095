// read_row reads the geometry of a splat; geom must be bound.
Row read_row(uint i) {
	uint at = i * GEOM_ROW;
	return Row(
		vec3(geom[at], geom[at + 1u], geom[at + 2u]), geom[at + GEOM_OPACITY],
		vec4(geom[at + 4u], geom[at + 5u], geom[at + 6u], geom[at + 7u]),
		vec3(geom[at + 8u], geom[at + 9u], geom[at + 10u]));
}
