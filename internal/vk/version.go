package vk

import "fmt"

// version is a packed Vulkan version.
type version uint32

func makeVersion(major, minor uint32) version { return version(major<<22 | minor<<12) }

func (v version) String() string {
	return fmt.Sprintf("%d.%d.%d", v>>22&0x7f, v>>12&0x3ff, v&0xfff)
}

// atLeast ignores the patch number.
func (v version) atLeast(major, minor uint32) bool { return v&(1<<29-1) >= makeVersion(major, minor) }

var (
	oldest = makeVersion(1, 2)
	newest = makeVersion(1, 3)
)

const (
	vendorNVIDIA = 0x10de
	vendorIntel  = 0x8086
)

// driverVersion writes the number the way the vendor does.
func driverVersion(vendor, v uint32, windows bool) string {
	switch {
	case vendor == vendorNVIDIA:
		s := fmt.Sprintf("%d.%d.%02d", v>>22, v>>14&0xff, v>>6&0xff)
		if last := v & 0x3f; last != 0 {
			s += fmt.Sprintf(".%d", last)
		}
		return s
	case vendor == vendorIntel && windows:
		return fmt.Sprintf("%d.%d", v>>14, v&0x3fff)
	}
	return version(v).String()
}
