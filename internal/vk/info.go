package vk

// Kind is what sort of device it is.
type Kind int

// Kinds of devices.
const (
	Other Kind = iota
	Integrated
	Discrete
	Virtual
	Software
)

// String returns the kind in lower case.
func (k Kind) String() string {
	switch k {
	case Integrated:
		return "integrated"
	case Discrete:
		return "discrete"
	case Virtual:
		return "virtual"
	case Software:
		return "software"
	}
	return "other"
}

// Info is what a device says about itself.
type Info struct {
	Index         int    // place in Instance.Devices
	Name          string // as the driver writes it
	Driver        string // name and version text of the driver, "" when unknown
	API           string // Vulkan version of the device
	DriverVersion string // the way the vendor writes it
	VendorID      uint32
	DeviceID      uint32
	Kind          Kind
	// CacheID changes whenever compiled pipelines of another driver cannot be used:
	// hexadecimal, fit for a file name.
	CacheID string
	// Unusable is why this package cannot use the device, or "". With a reason,
	// what follows may be empty.
	Unusable string
	Limits   Limits
	Subgroup Subgroup
	Features Features
}

// Limits of a device, for one buffer, dispatch, workgroup or pipeline.
type Limits struct {
	StorageBufferRange uint64 // bytes of a storage buffer
	AllocationSize     uint64 // bytes of one allocation
	GroupsX, GroupsY   uint32 // workgroups of a dispatch
	GroupInvocations   uint32
	SharedMemory       uint32 // bytes a workgroup
	StorageBuffers     uint32 // a pipeline
	PushBytes          uint32
	TimestampPeriod    float64 // nanoseconds a tick
	TimestampBits      uint32  // 0: the queue has no timestamps
	Allocations        uint32  // at a time
}

// Subgroup is what compute shaders can do within a subgroup.
type Subgroup struct {
	Size     int // what pipelines get that do not ask
	Min, Max int // what they may ask for, when Pin
	// Pin: PipelineSpec.SubgroupSize may be set.
	Pin bool
	// FullGroups: PipelineSpec.FullSubgroups may be set.
	FullGroups                                                bool
	Basic, Vote, Arithmetic, Ballot, Shuffle, ShuffleRelative bool
}

// Features of a device. What a shader may need of these is enabled when the device is
// opened.
type Features struct {
	TimelineSemaphore      bool
	Float16                bool // 16-bit float arithmetic
	Storage16              bool // 16-bit values in storage buffers
	Int16                  bool // 16-bit integer arithmetic
	Int64                  bool // 64-bit integer arithmetic
	SubgroupExtendedTypes  bool // subgroup operations on 16-bit and 64-bit types
	MemoryModel            bool // the Vulkan memory model
	MemoryModelDeviceScope bool
	MemoryBudget           bool // the driver tells what memory is free
	SizeControl            bool // subgroup sizes may be controlled
	Synchronization2       bool
	HostCached             bool // ReadbackMemory is fast to read
	HostQueryReset         bool
	Portability            bool // a layer over another API, such as MoltenVK
	PipelineExecutable     bool // the driver can describe what it compiled
}
