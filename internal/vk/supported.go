//go:build !novulkan && (linux || darwin || windows) && (amd64 || arm64)

package vk

const (
	whyNone   = ""
	supported = true
)
