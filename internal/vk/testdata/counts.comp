// Writes the counts of an indirect dispatch of n invocations, 64 a workgroup.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) writeonly buffer Counts { uint counts[3]; };
layout(push_constant) uniform Push { uint n; } push;

void main() {
	counts[0] = (push.n + 63) / 64;
	counts[1] = 1;
	counts[2] = 1;
}
