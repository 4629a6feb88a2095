package vk

import (
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

const (
	extMemoryBudget       = "VK_EXT_memory_budget"
	extPortabilitySubset  = "VK_KHR_portability_subset"
	extSizeControl        = "VK_EXT_subgroup_size_control"
	extSynchronization2   = "VK_KHR_synchronization2"
	extCalibrated         = "VK_EXT_calibrated_timestamps"
	extPipelineExecutable = "VK_KHR_pipeline_executable_properties"
)

// Physical is a device of the machine, before it is opened.
type Physical struct {
	instance   *Instance
	handle     uint64
	version    version // the lower of the instance's and the device's
	extensions []string
	family     uint32
	uuid       [16]byte // of pipeline caches
	types      physicalDeviceMemoryProperties
	info       Info
}

// Info returns what the device says about itself.
func (p *Physical) Info() Info { return p.info }

// probe asks a device everything.
func probe(i *Instance, index int, handle uint64) (*Physical, error) {
	p := &Physical{instance: i, handle: handle}
	p.info.Index = index
	a := borrow()
	defer a.release()
	p.identify(a)
	if p.info.Unusable != "" {
		return p, nil
	}
	list, err := enumerate("vkEnumerateDeviceExtensionProperties", a, func(n *uint32, e *extensionProperties) int32 {
		return i.enumerateDeviceExtensionProperties(handle, nil, n, e)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.info.Name, err)
	}
	p.extensions = extensionNames(list)
	p.properties(a)
	p.features(a)
	p.memory(a)
	p.queue(a)
	p.judge()
	return p, nil
}

func (p *Physical) has(extension string) bool { return slices.Contains(p.extensions, extension) }

// identify fills in what devices of any version have.
func (p *Physical) identify(a *arena) {
	props := put[physicalDeviceProperties](a)
	p.instance.getPhysicalDeviceProperties(p.handle, props)
	api := version(props.apiVersion)
	p.version = min(p.instance.version, api)
	p.uuid = props.pipelineCacheUUID
	in := &p.info
	in.Name = fixedString(props.deviceName[:])
	in.API = api.String()
	in.DriverVersion = driverVersion(props.vendorID, props.driverVersion, runtime.GOOS == "windows")
	in.VendorID, in.DeviceID = props.vendorID, props.deviceID
	in.Kind = kindOf(props.deviceType)
	in.CacheID = fmt.Sprintf("%s-%08x", hex.EncodeToString(props.pipelineCacheUUID[:]), props.driverVersion)
	in.Limits = limitsOf(&props.limits)
	if !api.atLeast(1, 2) {
		in.Unusable = fmt.Sprintf("it has Vulkan %s, expected at least %s", api, oldest)
	}
}

func kindOf(t uint32) Kind {
	switch t {
	case physicalDeviceTypeIntegratedGpu:
		return Integrated
	case physicalDeviceTypeDiscreteGpu:
		return Discrete
	case physicalDeviceTypeVirtualGpu:
		return Virtual
	case physicalDeviceTypeCpu:
		return Software
	}
	return Other
}

func limitsOf(l *physicalDeviceLimits) Limits {
	return Limits{
		StorageBufferRange: uint64(l.maxStorageBufferRange),
		GroupsX:            l.maxComputeWorkGroupCount[0],
		GroupsY:            l.maxComputeWorkGroupCount[1],
		GroupInvocations:   l.maxComputeWorkGroupInvocations,
		SharedMemory:       l.maxComputeSharedMemorySize,
		StorageBuffers:     min(l.maxPerStageDescriptorStorageBuffers, l.maxDescriptorSetStorageBuffers, l.maxPerStageResources),
		PushBytes:          l.maxPushConstantsSize,
		TimestampPeriod:    float64(l.timestampPeriod),
		Allocations:        l.maxMemoryAllocationCount,
	}
}

// properties fills in driver, allocation size and subgroups.
func (p *Physical) properties(a *arena) {
	all := a.physicalDeviceProperties2()
	maintenance := a.physicalDeviceMaintenance3Properties()
	driver := a.physicalDeviceDriverProperties()
	group := a.physicalDeviceSubgroupProperties()
	sizes := a.physicalDeviceSubgroupSizeControlProperties()
	all.pNext = address(maintenance)
	maintenance.pNext = address(driver)
	driver.pNext = address(group)
	if p.sizeControl() {
		group.pNext = address(sizes)
	}
	p.instance.getPhysicalDeviceProperties2(p.handle, all)
	p.info.Limits.AllocationSize = maintenance.maxMemoryAllocationSize
	p.info.Driver = strings.TrimSpace(fixedString(driver.driverName[:]) + " " + fixedString(driver.driverInfo[:]))
	p.info.Subgroup = subgroupOf(group, sizes)
}

// sizeControl: the core of 1.3 has it, an extension before.
func (p *Physical) sizeControl() bool { return p.version.atLeast(1, 3) || p.has(extSizeControl) }

// synchronization2: the core of 1.3 has it, an extension before.
func (p *Physical) synchronization2() bool {
	return p.version.atLeast(1, 3) || p.has(extSynchronization2)
}

func subgroupOf(g *physicalDeviceSubgroupProperties, sizes *physicalDeviceSubgroupSizeControlProperties) Subgroup {
	s := Subgroup{Size: int(g.subgroupSize), Min: int(g.subgroupSize), Max: int(g.subgroupSize)}
	if sizes.minSubgroupSize > 0 {
		s.Min, s.Max = int(sizes.minSubgroupSize), int(sizes.maxSubgroupSize)
		s.Pin = sizes.requiredSubgroupSizeStages&shaderStageComputeBit != 0
	}
	if g.supportedStages&shaderStageComputeBit == 0 {
		return s
	}
	has := func(bit uint32) bool { return g.supportedOperations&bit != 0 }
	s.Basic, s.Vote = has(subgroupFeatureBasicBit), has(subgroupFeatureVoteBit)
	s.Arithmetic, s.Ballot = has(subgroupFeatureArithmeticBit), has(subgroupFeatureBallotBit)
	s.Shuffle, s.ShuffleRelative = has(subgroupFeatureShuffleBit), has(subgroupFeatureShuffleRelativeBit)
	return s
}

// queue takes the first family with compute, or the first of those with timestamps.
func (p *Physical) queue(a *arena) {
	n := put[uint32](a)
	p.instance.getPhysicalDeviceQueueFamilyProperties(p.handle, n, nil)
	if *n == 0 {
		p.info.Unusable = "it has no queue"
		return
	}
	list := array[queueFamilyProperties](a, int(*n))
	p.instance.getPhysicalDeviceQueueFamilyProperties(p.handle, n, &list[0])
	family := chooseFamily(list[:*n])
	if family < 0 {
		p.info.Unusable = "it has no queue for compute"
		return
	}
	p.family = uint32(family)
	p.info.Limits.TimestampBits = list[family].timestampValidBits
}

func chooseFamily(list []queueFamilyProperties) int {
	compute := func(q queueFamilyProperties) bool { return q.queueFlags&queueComputeBit != 0 && q.queueCount > 0 }
	timed := func(q queueFamilyProperties) bool { return compute(q) && q.timestampValidBits > 0 }
	if i := slices.IndexFunc(list, timed); i >= 0 {
		return i
	}
	return slices.IndexFunc(list, compute)
}

// judge says what is missing that this package cannot do without.
func (p *Physical) judge() {
	if p.info.Unusable == "" && !p.info.Features.TimelineSemaphore {
		p.info.Unusable = "it has no timeline semaphores"
	}
}
