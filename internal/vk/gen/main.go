// Command gen writes the raw layer of package vk from vulkan.txt: structures with
// the C layout of 64-bit platforms, constants, and tables of function pointers with
// a wrapper each. With -c it prints a C program instead, which checks the list
// against the Vulkan headers and prints the sizes and offsets that the tests of
// package vk compare with.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	list := flag.String("list", "gen/vulkan.txt", "what to generate")
	out := flag.String("out", ".", "folder of the generated files")
	c := flag.Bool("c", false, "print the C program that checks the list")
	flag.Parse()
	if err := run(*list, *out, *c); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(list, out string, c bool) error {
	a, err := readFile(list)
	if err != nil {
		return err
	}
	if c {
		_, err := os.Stdout.Write(checkProgram(a))
		return err
	}
	files, err := generate(a)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func readFile(name string) (*api, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	a, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return a, nil
}

// generate returns the text of every generated file.
func generate(a *api) (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, write := range map[string]func(*api) ([]byte, error){
		"zz_constants.go":    constantsFile,
		"zz_structs.go":      structsFile,
		"zz_functions.go":    functionsFile,
		"zz_structs_test.go": structsTestFile,
	} {
		text, err := write(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = text
	}
	return files, nil
}
