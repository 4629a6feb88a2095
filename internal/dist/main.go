// Command dist builds the program for all platforms and packs it: an archive each
// with README and LICENSE, a static binary without Vulkan, and their SHA-256 sums.
// The same commit and the same Go give the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// target is a platform to build for.
type target struct{ os, arch, tags string }

var targets = []target{
	{"linux", "amd64", ""}, {"linux", "arm64", ""}, {"darwin", "arm64", ""}, {"windows", "amd64", ""},
	{"linux", "amd64", "novulkan"},
}

// texts go into every archive.
var texts = []string{"README.md", "LICENSE"}

func (t target) name() string {
	return strings.TrimSuffix("splat-"+t.os+"-"+t.arch+"-"+t.tags, "-")
}

func (t target) program() string {
	if t.os == "windows" {
		return "splat.exe"
	}
	return "splat"
}

func main() {
	out := flag.String("out", "dist", "folder of the archives; files in it are replaced")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// run writes everything into out. It runs in the root of the repository.
func run(out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "splat-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	var made []string
	for _, t := range targets {
		name, err := deliver(t, tmp, out)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name(), err)
		}
		fmt.Println(filepath.Join(out, name))
		made = append(made, name)
	}
	return writeSums(out, made)
}

// deliver builds one target and writes its file in out, whose name it returns: the bare
// binary where it needs nothing beside it, an archive otherwise.
func deliver(t target, tmp, out string) (string, error) {
	binary := filepath.Join(tmp, t.name(), t.program())
	if err := build(t, binary); err != nil {
		return "", err
	}
	if t.tags == "" {
		return packFile(t, binary, out)
	}
	if err := checkStatic(binary); err != nil {
		return "", err
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return "", err
	}
	return t.name(), os.WriteFile(filepath.Join(out, t.name()), data, 0o755)
}

func build(t target, binary string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-tags", t.tags, "-o", binary, "./cmd/splat")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+t.os, "GOARCH="+t.arch)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}
