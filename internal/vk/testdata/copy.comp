// to[i] = from[i] for i < n.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };
layout(push_constant) uniform Push { uint n; } push;

void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i < push.n) to[i] = from[i];
}
