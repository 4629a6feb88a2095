// Command splat trains, evaluates, renders and converts 3D Gaussian splats.
package main

import (
	"os"

	"splat/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
