package vk

import (
	"errors"
	"fmt"
	"strings"
)

// What callers tell apart with errors.Is.
var (
	// ErrNoLoader: the Vulkan library was not found, is too old, or this build does
	// without.
	ErrNoLoader = errors.New("no Vulkan loader")
	// ErrNotBuilt: this build does without Vulkan. It matches ErrNoLoader too.
	ErrNotBuilt = errors.New("no Vulkan in this build")
	// ErrNoDevice: there is a loader, but no driver or no device.
	ErrNoDevice = errors.New("no Vulkan device")
	// ErrDeviceLost: the device stopped working; everything on it is gone.
	ErrDeviceLost = errors.New("device lost")
	// ErrOutOfDeviceMemory: the driver or the budget refused memory.
	ErrOutOfDeviceMemory = errors.New("out of device memory")
)

// Error is a Vulkan call that failed.
type Error struct {
	Call   string // vkQueueSubmit
	Result int32  // a negative VkResult
}

// Error returns call, meaning and name of the result.
func (e *Error) Error() string {
	name, ok := resultNames[e.Result]
	if !ok {
		return fmt.Sprintf("%s: VkResult %d", e.Call, e.Result)
	}
	return fmt.Sprintf("%s: %s (%s)", e.Call, meaning(name), name)
}

// Is matches ErrDeviceLost and ErrOutOfDeviceMemory.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrDeviceLost:
		return e.Result == errorDeviceLost
	case ErrOutOfDeviceMemory:
		return e.Result == errorOutOfDeviceMemory
	}
	return false
}

// meaning turns VK_ERROR_DEVICE_LOST into "device lost".
func meaning(name string) string {
	s := strings.TrimPrefix(strings.TrimPrefix(name, "VK_"), "ERROR_")
	return strings.ToLower(strings.ReplaceAll(s, "_", " "))
}

// check turns a failure into an error; results that are no failures pass.
func check(name string, result int32) error {
	if result >= 0 {
		return nil
	}
	return &Error{Call: name, Result: result}
}

// OutOfMemory is a buffer for which there is no memory. It matches
// ErrOutOfDeviceMemory. Sizes are bytes.
type OutOfMemory struct {
	Buffer string
	Kind   MemoryKind
	Asked  int64
	Used   int64 // allocated by this device in the heap
	Heap   int64 // size of the heap
	Free   int64 // what the budget left before
	Cause  error // what the driver said; nil when it was not asked
}

// Error names the buffer and all sizes.
func (e *OutOfMemory) Error() string {
	s := fmt.Sprintf("out of %s: buffer %q needs %s; %s are in use here, %s of %s are free",
		e.Kind, e.Buffer, bytesText(e.Asked), bytesText(e.Used), bytesText(e.Free), bytesText(e.Heap))
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Is matches ErrOutOfDeviceMemory.
func (e *OutOfMemory) Is(target error) bool { return target == ErrOutOfDeviceMemory }

// Unwrap returns what the driver said.
func (e *OutOfMemory) Unwrap() error { return e.Cause }

// BufferLimit is a buffer that no memory would help: it exceeds a limit of the device.
type BufferLimit struct {
	Buffer string
	Limit  string // its Vulkan name
	Asked  int64
	Max    int64
}

// Error names buffer and limit.
func (e *BufferLimit) Error() string {
	return fmt.Sprintf("buffer %q: %s exceed the device's %s of %s", e.Buffer, bytesText(e.Asked), e.Limit, bytesText(e.Max))
}

// bytesText writes a size for people: 3.2 GiB, 500 bytes.
func bytesText(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	v, u := float64(n)/1024, 0
	for v >= 1024 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	return fmt.Sprintf("%.1f %s", v, units[u])
}
