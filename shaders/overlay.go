//go:build shaderdir

package shaders

import "os"

// A program built with the tag shaderdir takes SPIR-V files from the folder that
// SPLAT_SHADERS names, where they exist there, so that variants of a shader can be
// timed side by side with one binary.
func init() {
	if dir := os.Getenv("SPLAT_SHADERS"); dir != "" {
		overlay = os.DirFS(dir)
	}
}
