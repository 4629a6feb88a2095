package shaders

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

//go:embed spv/*.spv
var spv embed.FS

// overlay holds SPIR-V files that replace those of spv/; nil outside experiments.
var overlay fs.FS

// Code returns the SPIR-V of a kernel's variant; "" is the plain one.
func Code(kernel, variant string) ([]byte, error) {
	b := Build{Kernel: kernel, Variant: variant}
	if overlay != nil {
		if code, err := fs.ReadFile(overlay, b.File()+".spv"); err == nil {
			return code, nil
		}
	}
	code, err := spv.ReadFile("spv/" + b.File() + ".spv")
	if err != nil {
		return nil, fmt.Errorf("shaders: kernel %s has no variant %q", kernel, variant)
	}
	return code, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
