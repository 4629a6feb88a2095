package sysinfo

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
)

// Vulkan is what is installed for Vulkan, by the files alone: nothing is loaded.
type Vulkan struct {
	Loader  string // path of the library, "" where none was found
	Drivers []Driver
}

// Driver is a Vulkan driver that the loader would find.
type Driver struct {
	Manifest string // path of the file that announces it
	Library  string // as the manifest names it
	Software bool   // it draws on the processor
}

// loaders are where the loader lies, or what does without one on macOS.
var loaders = []string{
	"usr/lib/*/libvulkan.so.1", "usr/lib64/libvulkan.so.1", "usr/lib/libvulkan.so.1", "usr/local/lib/libvulkan.so.1",
	"opt/homebrew/lib/libvulkan.dylib", "usr/local/lib/libvulkan.dylib", "opt/homebrew/lib/libMoltenVK.dylib", "usr/local/lib/libMoltenVK.dylib",
	"Windows/System32/vulkan-1.dll",
}

var manifests = []string{
	"usr/share/vulkan/icd.d/*.json", "usr/local/share/vulkan/icd.d/*.json", "etc/vulkan/icd.d/*.json",
	"usr/local/etc/vulkan/icd.d/*.json", "opt/homebrew/share/vulkan/icd.d/*.json", "opt/homebrew/etc/vulkan/icd.d/*.json",
}

// ReadVulkan looks for the loader and for drivers in the usual places.
func ReadVulkan() Vulkan { return vulkan(root) }

func vulkan(root fs.FS) (v Vulkan) {
	if found := find(root, loaders...); len(found) > 0 {
		v.Loader = "/" + found[0]
	}
	for _, name := range find(root, manifests...) {
		d := Driver{Manifest: "/" + name, Library: library(text(root, name))}
		d.Software = slices.ContainsFunc([]string{"lvp", "llvmpipe", "swiftshader"}, func(word string) bool {
			return strings.Contains(strings.ToLower(d.Library+name), word)
		})
		v.Drivers = append(v.Drivers, d)
	}
	return v
}

// library returns the library that a manifest names.
func library(manifest string) string {
	var m struct {
		ICD struct {
			Path string `json:"library_path"`
		}
	}
	_ = json.Unmarshal([]byte(manifest), &m) // a damaged one names none
	return m.ICD.Path
}
