// Summing a splat's gradient slots in an order that depends on their number alone.
// Include it after gen/KERNEL.glsl, which must bind slots.

const uint LANES = 32u; // of a long sum
shared uint long_sums;            // splats of this workgroup with more than LANES slots
shared uint long_at[256];         // their first slots
shared uint long_count[256];      // how many
shared float lanes[SLOT_ROW * LANES];

// sum_slots adds count slots from first on: up to 32 in order by the invocation, more
// by 32 lanes of stride 32 and then as a tree, for which the workgroup stands together.
// All its invocations must call it.
void sum_slots(uint first, uint count, out float sum[SLOT_ROW]) {
	uint i = gl_LocalInvocationIndex, mine = 0xFFFFFFFFu;
	for (uint j = 0; j < SLOT_ROW; j++) {
		sum[j] = 0.0;
	}
	if (i == 0u) {
		long_sums = 0u;
	}
	barrier();
	if (count > LANES) {
		mine = atomicAdd(long_sums, 1u); // which place does not matter
		long_at[mine] = first;
		long_count[mine] = count;
	} else {
		for (uint k = first; k < first + count; k++) {
			for (uint j = 0; j < SLOT_ROW / 4u; j++) {
				vec4 v = slots[k * (SLOT_ROW / 4u) + j];
				sum[4u * j] += v.x;
				sum[4u * j + 1u] += v.y;
				sum[4u * j + 2u] += v.z;
				sum[4u * j + 3u] += v.w;
			}
		}
	}
	barrier();
	uint n = long_sums;
	for (uint s = 0; s < n; s++) {
		for (uint e = i; e < SLOT_ROW * LANES; e += 256u) {
			float v = 0.0;
			for (uint k = e % LANES; k < long_count[s]; k += LANES) {
				v += slots[(long_at[s] + k) * (SLOT_ROW / 4u) + e / LANES / 4u][e / LANES % 4u];
			}
			lanes[e] = v;
		}
		for (uint half_ = LANES / 2u; half_ > 0u; half_ /= 2u) {
			barrier();
			if (i < SLOT_ROW * half_) {
				lanes[i / half_ * LANES + i % half_] += lanes[i / half_ * LANES + i % half_ + half_];
			}
		}
		barrier();
		if (s == mine) {
			for (uint j = 0; j < SLOT_ROW; j++) {
				sum[j] = lanes[j * LANES];
			}
		}
		barrier();
	}
}
