package vk

// featureChain is the structures in which features are asked for and enabled.
type featureChain struct {
	core       *physicalDeviceFeatures2
	v11        *physicalDeviceVulkan11Features
	v12        *physicalDeviceVulkan12Features
	size       *physicalDeviceSubgroupSizeControlFeatures
	sync       *physicalDeviceSynchronization2Features
	executable *physicalDevicePipelineExecutablePropertiesFeaturesKHR
}

// chain links the structures that the device knows, core first.
func (p *Physical) chain(a *arena) *featureChain {
	c := &featureChain{
		core:       a.physicalDeviceFeatures2(),
		v11:        a.physicalDeviceVulkan11Features(),
		v12:        a.physicalDeviceVulkan12Features(),
		size:       a.physicalDeviceSubgroupSizeControlFeatures(),
		sync:       a.physicalDeviceSynchronization2Features(),
		executable: a.physicalDevicePipelineExecutablePropertiesFeaturesKHR(),
	}
	c.core.pNext = address(c.v11)
	c.v11.pNext = address(c.v12)
	last := &c.v12.pNext
	if p.sizeControl() {
		*last, last = address(c.size), &c.size.pNext
	}
	if p.synchronization2() {
		*last, last = address(c.sync), &c.sync.pNext
	}
	if p.has(extPipelineExecutable) {
		*last = address(c.executable)
	}
	return c
}

// features asks what the device has.
func (p *Physical) features(a *arena) {
	c := p.chain(a)
	p.instance.getPhysicalDeviceFeatures2(p.handle, c.core)
	p.info.Features = Features{
		TimelineSemaphore:      c.v12.timelineSemaphore != 0,
		Float16:                c.v12.shaderFloat16 != 0,
		Storage16:              c.v11.storageBuffer16BitAccess != 0,
		SubgroupExtendedTypes:  c.v12.shaderSubgroupExtendedTypes != 0,
		Int16:                  c.core.features.shaderInt16 != 0,
		Int64:                  c.core.features.shaderInt64 != 0,
		MemoryModel:            c.v12.vulkanMemoryModel != 0,
		MemoryModelDeviceScope: c.v12.vulkanMemoryModelDeviceScope != 0,
		MemoryBudget:           p.has(extMemoryBudget),
		SizeControl:            c.size.subgroupSizeControl != 0,
		Synchronization2:       c.sync.synchronization2 != 0,
		HostQueryReset:         c.v12.hostQueryReset != 0,
		Portability:            p.has(extPortabilitySubset),
		PipelineExecutable:     c.executable.pipelineExecutableInfo != 0,
	}
	p.info.Subgroup.FullGroups = c.size.computeFullSubgroups != 0
	p.info.Subgroup.Pin = p.info.Subgroup.Pin && p.info.Features.SizeControl
}

// enable returns the features to open the device with: what shaders may need, and
// what this package uses. Robust buffer access stays off: it costs time and hides
// mistakes.
func (p *Physical) enable(a *arena, describes bool) *physicalDeviceFeatures2 {
	f, c := p.info.Features, p.chain(a)
	c.executable.pipelineExecutableInfo = bool32(describes)
	c.core.features.shaderInt64 = bool32(f.Int64)
	c.core.features.shaderInt16 = bool32(f.Int16)
	c.v11.storageBuffer16BitAccess = bool32(f.Storage16)
	c.v12.timelineSemaphore = bool32(f.TimelineSemaphore)
	c.v12.shaderFloat16 = bool32(f.Float16)
	c.v12.vulkanMemoryModel = bool32(f.MemoryModel)
	c.v12.vulkanMemoryModelDeviceScope = bool32(f.MemoryModelDeviceScope)
	c.v12.shaderSubgroupExtendedTypes = bool32(f.SubgroupExtendedTypes)
	c.v12.hostQueryReset = bool32(f.HostQueryReset)
	c.size.subgroupSizeControl = bool32(f.SizeControl)
	c.size.computeFullSubgroups = bool32(p.info.Subgroup.FullGroups)
	return c.core
}

// enableExtensions lists the extensions to open the device with.
func (p *Physical) enableExtensions() (use []string) {
	want := []string{extMemoryBudget, extPortabilitySubset, extCalibrated}
	if !p.version.atLeast(1, 3) {
		want = append(want, extSizeControl)
	}
	for _, e := range want {
		if p.has(e) {
			use = append(use, e)
		}
	}
	return use
}

func bool32(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
