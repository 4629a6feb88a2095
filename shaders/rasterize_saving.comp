#version 450
#include "common.glsl"
#include "gen/rasterize_saving.glsl"

// rasterize that keeps each pixel's state in front of every bucket of pairs.
#define SAVING
#include "rasterize.glsl"
