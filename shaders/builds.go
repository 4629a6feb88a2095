// Package shaders holds the compute shaders, one a kernel contract, and their
// SPIR-V. A shader has the name of its contract and does what the CPU function of
// that name does. Its bindings, constants and records are generated from the Go
// declarations, so that the two cannot drift apart.
//
//	NAME.comp         the source
//	include/          what several share
//	include/gen/      generated: records, counts, bindings of each kernel
//	spv/              what glslc made of them, committed: a build needs no shader compiler
//	manifest.json     which sources, compiler and flags made each file of spv/
package shaders

//go:generate go run ./gen

import (
	"strings"

	"splat/internal/kernel"
)

// Build is one SPIR-V file: a shader compiled with some definitions.
type Build struct {
	Kernel  string
	Variant string            // "" for the plain one
	Defines map[string]string // of the preprocessor
}

// File is the build's name in spv/, without the extension.
func (b Build) File() string {
	if b.Variant == "" {
		return b.Kernel
	}
	return b.Kernel + "." + b.Variant
}

// Emulated is the variant in which subgroup operations go through shared memory,
// for devices whose subgroups are too narrow or lack operations.
const Emulated = "emulated"

// subgroups lists the kernels that use include/subgroup.glsl.
var subgroups = strings.Fields("scan_reduce scan_top scan_apply sort_scatter sweep_scatter rasterize_backward rasterize_backward_buckets")

// Widths says which native subgroups a kernel takes: a range of lanes. A scan takes any;
// a sort counts digits for each of at most eight subgroups; a bucket of pairs is one
// subgroup.
func Widths(name string) (least, most int) {
	switch {
	case strings.HasPrefix(name, "scan_"), name == "emit":
		return 4, 128
	case strings.HasPrefix(name, "sort_"), strings.HasPrefix(name, "sweep_"):
		return 32, 64
	}
	return 32, 32
}

// variants lists further builds of a kernel, by name.
var variants = map[string]map[string]map[string]string{
	"emit":                       {"subgroup": {"TOGETHER": "1"}},
	"rasterize":                  half,
	"rasterize_saving":           half,
	"rasterize_backward":         half,
	"rasterize_backward_buckets": half,
}

// half rounds the colours and opacities of splats to 16 bits.
var half = map[string]map[string]string{"f16": {"F16": "1"}}

// UsesSubgroups reports whether a kernel's variant has an emulated build.
func UsesSubgroups(name, variant string) bool {
	if name == "emit" {
		return variant == "subgroup"
	}
	for _, s := range subgroups {
		if s == name {
			return true
		}
	}
	return false
}

// Builds lists every SPIR-V file that there must be.
func Builds() (out []Build) {
	for _, c := range kernel.Contracts() {
		list := []Build{{Kernel: c.Name}}
		for _, v := range sortedKeys(variants[c.Name]) {
			list = append(list, Build{c.Name, v, variants[c.Name][v]})
		}
		for _, b := range list {
			out = append(out, b)
			if UsesSubgroups(c.Name, b.Variant) {
				out = append(out, emulated(b))
			}
		}
	}
	return out
}

// emulated is b without native subgroup operations.
func emulated(b Build) Build {
	e := Build{Kernel: b.Kernel, Variant: Emulated, Defines: map[string]string{"EMULATED": "1"}}
	if b.Variant != "" {
		e.Variant = b.Variant + "." + Emulated
	}
	for k, v := range b.Defines {
		e.Defines[k] = v
	}
	return e
}
