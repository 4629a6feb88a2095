//go:build !novulkan && (!(linux || darwin || windows) || !(amd64 || arm64))

package vk

import "runtime"

const (
	whyNone   = runtime.GOOS + "/" + runtime.GOARCH + " is not supported"
	supported = false
)
