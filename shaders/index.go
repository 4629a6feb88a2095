package shaders

import (
	"embed"
	"fmt"
	"maps"
	"slices"
)

//go:embed spv/*.spv
var spv embed.FS

// Code returns the SPIR-V of a kernel's variant; "" is the plain one.
func Code(kernel, variant string) ([]byte, error) {
	b := Build{Kernel: kernel, Variant: variant}
	code, err := spv.ReadFile("spv/" + b.File() + ".spv")
	if err != nil {
		return nil, fmt.Errorf("shaders: kernel %s has no variant %q", kernel, variant)
	}
	return code, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
