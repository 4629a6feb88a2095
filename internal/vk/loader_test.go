package vk

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestLoaderPaths(t *testing.T) {
	if got := loaderPaths("linux", "/opt/splat", ""); !slices.Equal(got, []string{"libvulkan.so.1", "libvulkan.so"}) {
		t.Errorf("linux: %q", got)
	}
	if got := loaderPaths("windows", `C:\splat`, ""); !slices.Equal(got, []string{"vulkan-1.dll"}) {
		t.Errorf("windows: %q", got)
	}
	got := loaderPaths("darwin", "/Apps/S.app/Contents/MacOS", "/sdk")
	want := []string{"libvulkan.1.dylib", "/Apps/S.app/Contents/MacOS/libMoltenVK.dylib",
		"/Apps/S.app/Contents/Frameworks/libMoltenVK.dylib", "/opt/homebrew/lib/libvulkan.dylib",
		"/usr/local/lib/libvulkan.1.dylib", "/sdk/lib/libMoltenVK.dylib"}
	at := -1
	for _, w := range want {
		i := slices.Index(got, filepath.FromSlash(w))
		if i <= at {
			t.Errorf("%s is at %d of %q, expected behind %d", w, i, got, at)
		}
		at = i
	}
	if got := loaderPaths("darwin", "/x", ""); slices.Contains(got, "lib/libvulkan.dylib") {
		t.Errorf("without an SDK: %q", got)
	}
}

// Every library that was tried appears in one line.
func TestNoLoader(t *testing.T) {
	if !supported {
		t.Skip("this build loads nothing")
	}
	none := filepath.Join(t.TempDir(), "none.so")
	text := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(text, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := tryPaths([]string{none, text})
	if !errors.Is(err, ErrNoLoader) || strings.Count(err.Error(), none) != 1 || !strings.Contains(err.Error(), "; "+text+": ") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// A library that is not Vulkan is no loader.
func TestOtherLibrary(t *testing.T) {
	if runtime.GOOS != "linux" || !supported {
		t.Skip("needs the C library by name")
	}
	_, err := tryPaths([]string{"libc.so.6"})
	if !errors.Is(err, ErrNoLoader) || !strings.Contains(err.Error(), "vkGetInstanceProcAddr") {
		t.Errorf("%v", err)
	}
}

func TestOneLine(t *testing.T) {
	err := errors.New("a.so: no\n\tsuch  file")
	if got := oneLine("a.so", err); got != "a.so: no such file" {
		t.Errorf("%q", got)
	}
}

func TestMissingFunction(t *testing.T) {
	var f deviceFuncs
	err := fill(f.entries(), func(name string) uintptr {
		if name == "vkMapMemory" {
			return 0
		}
		return 1
	})
	if err == nil || !strings.Contains(err.Error(), "vkMapMemory") {
		t.Errorf("%v", err)
	}
	err = fill(f.entries(), func(name string) uintptr {
		if name == "vkSetDebugUtilsObjectNameEXT" {
			return 0
		}
		return 1
	})
	if err != nil || f.vkCreateBuffer != 1 || f.vkSetDebugUtilsObjectNameEXT != 0 {
		t.Errorf("%v, %+v", err, f)
	}
}

const childEnv = "SPLAT_VK_TEST_CHILD"

// With a loader but no driver the error says so. The loader reads the environment of
// the process, so another process is needed.
func TestNoDriver(t *testing.T) {
	if os.Getenv(childEnv) != "" {
		_, err := Open(Options{})
		if !errors.Is(err, ErrNoDevice) || errors.Is(err, ErrNoLoader) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
		return
	}
	openInstance(t, Options{}) // skips without a loader
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "none.json")
	cmd := exec.Command(exe, "-test.run=^TestNoDriver$", "-test.v")
	cmd.Env = append(os.Environ(), childEnv+"=1", "VK_DRIVER_FILES="+none, "VK_ICD_FILENAMES="+none)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestNoDriverResults(t *testing.T) {
	for result, want := range map[int32]bool{errorIncompatibleDriver: true, errorInitializationFailed: true, errorOutOfHostMemory: false} {
		if got := errors.Is(noDriver(check("vkCreateInstance", result)), ErrNoDevice); got != want {
			t.Errorf("result %d: no device is %t", result, got)
		}
	}
}
