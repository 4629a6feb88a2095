package cli

import (
	"slices"

	"splat/internal/config"
	"splat/shaders"
)

// gpuVariants lists what runs in more than one way on a GPU: what is in use, and what
// can be chosen in this build.
func gpuVariants(cfg config.Run) []variant {
	b := cfg.Backend
	list := []variant{
		{"sort", b.Variants.Sort, words("backend.variants.sort")},
		fromShaders("emit", b.Variants.Emit),
		fromShaders("raster", b.Variants.Raster),
		{"backward", b.Variants.Backward, words("backend.variants.backward")},
		{"sync", b.Sync, words("backend.sync")},
		{"record", b.Record, words("backend.record")},
		{"targets", b.Targets, words("backend.targets")},
	}
	host := "none"
	if len(b.Host) > 0 {
		host = join(b.Host, ", ")
	}
	return append(list, variant{"host", host, []string{"none", "any kernels"}})
}

func words(key string) []string {
	f, _ := config.Lookup(key)
	return f.OneOf
}

// fromShaders is a variant that shaders are built for; the plain one comes first among
// the words of its key. Words without any shader are left out.
func fromShaders(name, used string) variant {
	all := words("backend.variants." + name)
	choices := all[:1:1]
	for _, word := range all[1:] {
		if slices.ContainsFunc(shaders.Builds(), func(b shaders.Build) bool { return b.Variant == word }) {
			choices = append(choices, word)
		}
	}
	return variant{name, used, choices}
}
