package vk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// entry is a function of a table: its name, where its address goes, and whether it
// may be absent.
type entry struct {
	name     string
	fn       *uintptr
	optional bool
}

// fill finds the addresses of a table's functions.
func fill(table []entry, find func(name string) uintptr) error {
	for _, e := range table {
		*e.fn = find(e.name)
		if *e.fn == 0 && !e.optional {
			return fmt.Errorf("the Vulkan driver has no function %s", e.name)
		}
	}
	return nil
}

// loader is the Vulkan library. It is never unloaded: drivers keep threads.
type loader struct {
	path    string
	getAddr uintptr // vkGetInstanceProcAddr
	globalFuncs
}

// find returns the address of a function of an instance, or of a global one when
// instance is 0; 0 when there is none.
func (l *loader) find(instance uint64, name string) uintptr {
	a := borrow()
	defer a.release()
	return call(l.getAddr, uintptr(instance), address(a.cstring(name)))
}

var loaded struct {
	sync.Mutex
	*loader
}

// openLoader loads the library on the first call that succeeds.
func openLoader() (*loader, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.loader != nil {
		return loaded.loader, nil
	}
	if !supported {
		return nil, noBuild{}
	}
	exe, _ := os.Executable()
	l, err := tryPaths(loaderPaths(runtime.GOOS, filepath.Dir(exe), os.Getenv("VULKAN_SDK")))
	if err == nil {
		loaded.loader = l
	}
	return l, err
}

// noBuild is the error of a build without Vulkan.
type noBuild struct{}

func (noBuild) Error() string { return "this build has no Vulkan (" + whyNone + ")" }

// Is matches ErrNotBuilt and ErrNoLoader.
func (noBuild) Is(target error) bool { return target == ErrNotBuilt || target == ErrNoLoader }

// loaderPaths lists what to try, in order. sdk is the folder of an installed Vulkan
// SDK, or "".
func loaderPaths(goos, exeFolder, sdk string) []string {
	switch goos {
	case "windows":
		return []string{"vulkan-1.dll"}
	case "darwin":
		return darwinPaths(exeFolder, sdk)
	}
	return []string{"libvulkan.so.1", "libvulkan.so"}
}

func darwinPaths(exeFolder, sdk string) (paths []string) {
	names := []string{"libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"}
	paths = append(paths, names...)
	folders := []string{exeFolder, filepath.Join(exeFolder, "..", "Frameworks"), "/opt/homebrew/lib", "/usr/local/lib"}
	if sdk != "" {
		folders = append(folders, filepath.Join(sdk, "lib"))
	}
	for _, f := range folders {
		for _, n := range names {
			paths = append(paths, filepath.Join(f, n))
		}
	}
	return paths
}

// tryPaths opens the first library that is one; its error has every failure, in one
// line.
func tryPaths(paths []string) (*loader, error) {
	var failures []string
	for _, p := range paths {
		l, err := tryPath(p)
		if err == nil {
			return l, nil
		}
		failures = append(failures, oneLine(p, err))
	}
	return nil, fmt.Errorf("%w: %s", ErrNoLoader, strings.Join(failures, "; "))
}

func tryPath(path string) (*loader, error) {
	lib, err := openLibrary(path)
	if err != nil {
		return nil, err
	}
	l := &loader{path: path}
	if l.getAddr, err = symbol(lib, "vkGetInstanceProcAddr"); err != nil {
		return nil, err
	}
	if l.getAddr == 0 {
		return nil, errors.New("no vkGetInstanceProcAddr")
	}
	return l, fill(l.entries(), func(name string) uintptr { return l.find(0, name) })
}

// oneLine writes a loader's message, which may have line breaks and may or may not
// name the file, behind the file's name.
func oneLine(path string, err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	return path + ": " + strings.TrimPrefix(text, path+": ")
}
