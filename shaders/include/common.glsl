// What every shader shares: the records and numbers of the contracts, flat ids, and
// tests for ordinary numbers. Include it before gen/KERNEL.glsl.
#extension GL_GOOGLE_include_directive : require
#include "gen/records.glsl"
#include "gen/numbers.glsl"

// Groups beyond the device's limit are folded into y: this is the number of the
// workgroup, which may be beyond what the kernel has work for.
uint group_id() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

// invocation_id() is the flat number of this invocation in the dispatch. It is a macro
// because the workgroup's size, declared in gen/KERNEL.glsl, counts as 1 up to there.
#define invocation_id() (group_id() * gl_WorkGroupSize.x + gl_LocalInvocationID.x)

// is_finite is decided on bits: compilers may assume that there is no NaN.
bool is_finite(float x) { return (floatBitsToUint(x) & 0x7F800000u) != 0x7F800000u; }

bool is_nan(float x) { return (floatBitsToUint(x) & 0x7FFFFFFFu) > 0x7F800000u; }

uint blocks(uint n, uint per) { return n / per + uint(n % per != 0u); }

uint add_saturating(uint a, uint b) { uint s = a + b; return s >= a ? s : 0xFFFFFFFFu; }
