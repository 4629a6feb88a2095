// x[i] = x[i] * factor + add for i < n, with the workgroup's width and the factor as
// specialization constants.
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 7) const uint factor = 1;
layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform Push { uint n; uint add; } push;

void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i < push.n) x[i] = x[i] * factor + push.add;
}
