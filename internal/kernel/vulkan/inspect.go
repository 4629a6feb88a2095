package vulkan

import (
	"slices"

	"splat/internal/vk"
	"splat/shaders"
)

// Memory returns size and free bytes of a device's largest memory of its own; 0 for
// devices that cannot be used.
func (m *Machine) Memory(device int) (size, free uint64) {
	for _, h := range m.devices[device].Heaps() {
		if h.DeviceLocal && h.Size > size {
			size, free = h.Size, h.Free()
		}
	}
	return size, free
}

// Emulated lists the kernels whose subgroup operations go through shared memory on a
// device, in the order of the contracts.
func Emulated(info vk.Info) (kernels []string) {
	for _, b := range shaders.Builds() {
		if !shaders.UsesSubgroups(b.Kernel, b.Variant) || slices.Contains(kernels, b.Kernel) {
			continue
		}
		if _, native := nativeWidth(info.Subgroup, b.Kernel); !native {
			kernels = append(kernels, b.Kernel)
		}
	}
	return kernels
}
