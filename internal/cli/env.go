package cli

import (
	"os"

	"splat/internal/backend"
)

// envVar is an environment variable that the program reads.
type envVar struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	Value   string `json:"value"`
	Set     bool   `json:"set"`
}

// environment lists every variable that the program, or the Go runtime on its
// behalf, reads, except PATH, in which other programs are looked for.
func environment() []envVar {
	vars := []envVar{
		{Name: "NO_COLOR", Meaning: "set to anything: no colour on a terminal"},
		{Name: "TERM", Meaning: "dumb: plain lines instead of a progress bar"},
		{Name: "GOMAXPROCS", Meaning: "upper limit of CPU threads"},
		{Name: "GOMEMLIMIT", Meaning: "soft limit of memory, such as 8GiB"},
		{Name: "GODEBUG", Meaning: "cpu.avx2=off: the CPU runs without AVX2, and the like"},
		{Name: backend.ValidateEnv, Meaning: "1: Vulkan's validation layer watches, and what it reports fails the run; slow"},
		{Name: "SPLAT_SHADERS", Meaning: "programs built with -tags shaderdir: a folder of SPIR-V files to use instead of those built in"},
		{Name: "VK_DRIVER_FILES", Meaning: "the Vulkan loader's: manifests of the only drivers to use"},
		{Name: "VK_ICD_FILENAMES", Meaning: "the same for older loaders"},
		{Name: "VULKAN_SDK", Meaning: "macOS: an installed SDK, in whose lib folder Vulkan is looked for too"},
		{Name: "XDG_CACHE_HOME", Meaning: "Linux: compiled GPU kernels are kept in its folder splat; default ~/.cache"},
	}
	for i := range vars {
		vars[i].Value, vars[i].Set = os.LookupEnv(vars[i].Name)
	}
	return vars
}
