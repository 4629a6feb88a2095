// Subgroup operations, native or through shared memory (EMULATED), for workgroups of up to
// 256. Emulated subgroups are as wide as the constant says, 32 or 64, and every call
// is a barrier: all invocations of the workgroup must make it. Include it after
// gen/KERNEL.glsl.
//
//	SG_WIDTH    lanes of a subgroup
//	sg_id()     its number in the workgroup
//	sg_lane()   this invocation's place in it
//	sg_index()  sg_id * SG_WIDTH + sg_lane, which orders the invocations

#ifdef EMULATED

layout(constant_id = 100) const uint SG_WIDTH = 32;
shared uint sg_words[256];

uint sg_id() { return gl_LocalInvocationIndex / SG_WIDTH; }
uint sg_lane() { return gl_LocalInvocationIndex % SG_WIDTH; }

// sg_sync orders shared memory between the lanes of a subgroup.
void sg_sync() { barrier(); }

// sg_shuffle_up returns v of the lane d places before; of the first d lanes, v.
uint sg_shuffle_up(uint v, uint d) {
	barrier();
	sg_words[gl_LocalInvocationIndex] = v;
	barrier();
	return sg_lane() >= d ? sg_words[gl_LocalInvocationIndex - d] : v;
}

// sg_shuffle_xor returns v of the lane whose number differs in the bits of d.
uint sg_shuffle_xor(uint v, uint d) {
	barrier();
	sg_words[gl_LocalInvocationIndex] = v;
	barrier();
	return sg_words[gl_LocalInvocationIndex ^ d];
}

// sg_match returns which lanes have the same digit; lanes that are not valid match
// none.
uvec2 sg_match(uint digit, bool valid) {
	barrier();
	sg_words[gl_LocalInvocationIndex] = valid ? digit : 0xFFFFFFFFu;
	barrier();
	uvec2 mask = uvec2(0u);
	uint first = sg_id() * SG_WIDTH;
	for (uint l = 0; l < SG_WIDTH; l++) {
		if (valid && sg_words[first + l] == digit) {
			mask[l >> 5] |= 1u << (l & 31u);
		}
	}
	return mask;
}

#else

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require

#define SG_WIDTH gl_SubgroupSize

uint sg_id() { return gl_SubgroupID; }
uint sg_lane() { return gl_SubgroupInvocationID; }

void sg_sync() {
	subgroupMemoryBarrierShared();
	subgroupBarrier();
}

uint sg_shuffle_up(uint v, uint d) {
	uint o = subgroupShuffleUp(v, d);
	return sg_lane() >= d ? o : v;
}

uint sg_shuffle_xor(uint v, uint d) { return subgroupShuffleXor(v, d); }

uvec2 sg_match(uint digit, bool valid) {
	uvec2 mask = subgroupBallot(valid).xy;
	for (uint b = 0; b < 8u; b++) {
		bool one = (digit >> b & 1u) != 0u;
		uvec2 ones = subgroupBallot(one).xy;
		mask &= one ? ones : ~ones;
	}
	return valid ? mask : uvec2(0u);
}

#endif

uint sg_index() { return sg_id() * SG_WIDTH + sg_lane(); }

float sg_shuffle_up(float v, uint d) { return uintBitsToFloat(sg_shuffle_up(floatBitsToUint(v), d)); }

float sg_shuffle_xor(float v, uint d) { return uintBitsToFloat(sg_shuffle_xor(floatBitsToUint(v), d)); }

// sg_before is the number of set lanes before this one, of up to 64.
uint sg_before(uvec2 mask) {
	uint l = sg_lane();
	uint low = l < 32u ? (1u << l) - 1u : 0xFFFFFFFFu;
	uint high = l > 32u ? (1u << (l - 32u)) - 1u : 0u;
	return bitCount(mask.x & low) + bitCount(mask.y & high);
}

uint sg_count(uvec2 mask) { return bitCount(mask.x) + bitCount(mask.y); }
