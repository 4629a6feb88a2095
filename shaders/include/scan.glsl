// Scans over a workgroup of 256, by sg_index. Sums saturate. Include it after
// subgroup.glsl.

shared uint scan_sums[64]; // of subgroups, which are at least 4 wide

// group_scan returns the sum of v over the invocations before this one, and of all.
uint group_scan(uint v, out uint total) {
	uint sum = v;
	for (uint d = 1u; d < SG_WIDTH; d *= 2u) {
		uint before = sg_shuffle_up(sum, d);
		sum = sg_lane() >= d ? add_saturating(sum, before) : sum;
	}
	if (sg_lane() == SG_WIDTH - 1u) {
		scan_sums[sg_id()] = sum;
	}
	uint before = sg_shuffle_up(sum, 1u);
	uint start = sg_lane() == 0u ? 0u : before;
	barrier();
	total = 0u;
	uint mine = 0u;
	for (uint s = 0; s < 256u / SG_WIDTH; s++) {
		mine = s == sg_id() ? total : mine;
		total = add_saturating(total, scan_sums[s]);
	}
	barrier();
	return add_saturating(mine, start);
}
