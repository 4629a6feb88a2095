//go:build novulkan

package vk

const (
	whyNone   = "tag novulkan"
	supported = false
)
