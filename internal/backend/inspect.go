package backend

import "splat/internal/kernel/vulkan"

// Reasons why there is no Vulkan device, for errors.Is.
var (
	ErrNotBuilt = vulkan.ErrNotBuilt // this build does without Vulkan
	ErrNoLoader = vulkan.ErrNoLoader // no Vulkan library
	ErrNoDevice = vulkan.ErrNoDevice // no driver, or none that works
)

// Facts is what can be told of a Vulkan device without opening it.
type Facts struct {
	vulkan.Info
	Size, Free uint64   // bytes of its largest memory; 0 where it cannot be used
	Emulated   []string // kernels whose subgroup operations go through shared memory
}

// Inspect tells of every Vulkan device, also of those that cannot be used. The error
// says why there are none.
func Inspect() ([]Facts, error) {
	m, err := machine()
	if err != nil {
		return nil, err
	}
	var list []Facts
	for i, info := range m.Devices() {
		f := Facts{Info: info}
		if info.Unusable == "" {
			f.Size, f.Free = m.Memory(i)
			f.Emulated = vulkan.Emulated(info)
		}
		list = append(list, f)
	}
	return list, nil
}
