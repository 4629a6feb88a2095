package house

import (
	"io/fs"
	"slices"
)

// MissingParts lists what the kernels called names lack: a CPU function, a case of
// the conformance suite, and a shader once the repository has a folder of them.
// It also lists cases for kernels that do not exist.
func (t *Tree) MissingParts(names []string, onCPU func(name string) bool, cases []string) (out complaints) {
	_, err := fs.Stat(t.FS, "shaders")
	hasShaders := err == nil
	for _, name := range names {
		if !onCPU(name) {
			out.add("kernel %s has no CPU function: register one in internal/kernel/cpu", name)
		}
		if !slices.Contains(cases, name) {
			out.add("kernel %s has no case in internal/kernel/kerneltest", name)
		}
		if hasShaders && !slices.Contains(t.Files, "shaders/"+name+".comp") {
			out.add("kernel %s has no shaders/%s.comp", name, name)
		}
	}
	for _, name := range cases {
		if !slices.Contains(names, name) {
			out.add("internal/kernel/kerneltest has a case for %s, which is no kernel", name)
		}
	}
	return out
}
