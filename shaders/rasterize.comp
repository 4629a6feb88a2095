#version 450
#include "common.glsl"
#include "gen/rasterize.glsl"

// Blends a tile's splats front to back: RGB over the background and the final
// transmittance; last is one more than the position of the last splat that a pixel
// blended.
#include "rasterize.glsl"
