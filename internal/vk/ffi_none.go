//go:build novulkan || !(linux || darwin || windows) || !(amd64 || arm64)

package vk

import "errors"

var errNone = errors.New("this build has no Vulkan (" + whyNone + ")")

// call is never reached: without a library there is no function to call.
func call(fn uintptr, args ...uintptr) uintptr { return 0 }

func openLibrary(string) (uintptr, error) { return 0, errNone }

func symbol(uintptr, string) (uintptr, error) { return 0, errNone }

func newCallback(any) uintptr { return 0 }
