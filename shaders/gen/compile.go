package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"splat/shaders"
)

// flags are the compiler's. SPIR-V 1.3 is what Vulkan 1.1 takes: every device that
// is asked for more than that offers more.
var flags = []string{"--target-env=vulkan1.1", "-O", "-Werror", "-I", "include"}

// compileAll compiles every build and writes the manifest.
func compileAll() error {
	compiler, err := compilerVersion()
	if err != nil {
		return err
	}
	builds := shaders.Builds()
	m := shaders.Manifest{Compiler: compiler, Flags: flags, Files: make([]shaders.Entry, len(builds))}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, b := range builds {
		group.Go(func() (err error) {
			m.Files[i], err = compile(b)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := removeOthers(builds); err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return writeChanged("manifest.json", append(text, '\n'))
}

// compilerVersion is the first word of each line that glslc says of itself.
func compilerVersion() (string, error) {
	out, err := exec.Command("glslc", "--version").Output()
	if err != nil {
		return "", fmt.Errorf("glslc --version: %w (Debian: apt-get install glslc)", err)
	}
	var lines []string
	for _, line := range strings.Split(string(out), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "Target") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; "), nil
}

// compile makes spv/FILE.spv and tells what of.
func compile(b shaders.Build) (shaders.Entry, error) {
	e := shaders.Entry{File: b.File(), Source: b.Kernel + ".comp"}
	args := slices.Clone(flags)
	for _, k := range slices.Sorted(maps.Keys(b.Defines)) {
		e.Defines = append(e.Defines, k+"="+b.Defines[k])
		args = append(args, "-D"+k+"="+b.Defines[k])
	}
	var stderr bytes.Buffer
	cmd := exec.Command("glslc", append(args, e.Source, "-o", "-")...)
	cmd.Stderr = &stderr
	code, err := cmd.Output()
	if err != nil {
		return e, fmt.Errorf("%s: %w\n%s", b.File(), err, stderr.String())
	}
	e.SHA256 = hash(code)
	if e.Sources, err = sourceHashes(e.Source); err != nil {
		return e, err
	}
	return e, writeChanged(filepath.Join("spv", b.File()+".spv"), code)
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

var includeLine = regexp.MustCompile(`(?m)^#include "([^"]+)"`)

// sourceHashes hashes a source and everything that it includes.
func sourceHashes(path string) (map[string]string, error) {
	out := map[string]string{}
	var visit func(path string) error
	visit = func(path string) error {
		if _, seen := out[path]; seen {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		out[path] = hash(text)
		for _, m := range includeLine.FindAllSubmatch(text, -1) {
			if err := visit("include/" + string(m[1])); err != nil {
				return err
			}
		}
		return nil
	}
	return out, visit(path)
}

// removeOthers removes files of builds that are no more.
func removeOthers(builds []shaders.Build) error {
	paths, err := filepath.Glob("spv/*.spv")
	if err != nil {
		return err
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".spv")
		if !slices.ContainsFunc(builds, func(b shaders.Build) bool { return b.File() == name }) {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}
