// Command gen writes what the shaders take from Go (records, counts, bindings),
// compiles every build with glslc and records in manifest.json what it was made
// of. Run it through go generate ./shaders.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "shaders/gen:", err)
		os.Exit(1)
	}
}

func run() error {
	if err := writeIncludes("include/gen"); err != nil {
		return err
	}
	return compileAll()
}
