package main

import (
	"strings"
	"unicode"
)

// goType turns VkBufferCopy into bufferCopy.
func goType(c string) string { return lowerFirst(strings.TrimPrefix(c, "Vk")) }

// goFunc turns vkCmdDispatch into cmdDispatch.
func goFunc(c string) string { return lowerFirst(strings.TrimPrefix(c, "vk")) }

// goConst turns VK_ERROR_DEVICE_LOST into errorDeviceLost.
func goConst(c string) string {
	words := strings.Split(strings.ToLower(strings.TrimPrefix(c, "VK_")), "_")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

// goField keeps a C name unless Go reserves it.
func goField(c string) string {
	switch c {
	case "type":
		return "typ"
	case "range":
		return "rng"
	}
	return c
}

func lowerFirst(s string) string {
	r := []rune(s)
	r[0] = unicode.ToLower(r[0])
	return string(r)
}
