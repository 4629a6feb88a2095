package cli

import (
	"errors"

	"splat/internal/backend"
	"splat/internal/config"
	"splat/internal/sysinfo"
)

// vulkanInfo is whether Vulkan works and why not, and what is installed, found by its
// files.
type vulkanInfo struct {
	Backend string       `json:"backend"`       // builtIn or notBuilt
	Why     string       `json:"why,omitempty"` // there are no devices
	Loader  string       `json:"loader,omitempty"`
	Drivers []driverInfo `json:"drivers"`
}

const (
	builtIn  = "built in"
	notBuilt = "not built in"
)

type driverInfo struct {
	Manifest string `json:"manifest"`
	Library  string `json:"library"`
	Software bool   `json:"software"`
}

// autoInfo is the device that auto takes.
type autoInfo struct {
	Device string `json:"device"`
	Reason string `json:"reason"`
}

// gpuInfo is a Vulkan device. One that cannot be used has little more than the reason.
type gpuInfo struct {
	Kind       string       `json:"kind"` // discrete, integrated, virtual, software, other
	Layer      bool         `json:"layer,omitempty"`
	API        string       `json:"api"`
	Driver     string       `json:"driver,omitempty"`
	Unusable   string       `json:"unusable,omitempty"`
	Memory     uint64       `json:"memory_bytes,omitempty"`
	Free       uint64       `json:"free_bytes,omitempty"`
	Limits     *gpuLimits   `json:"limits,omitempty"`
	Subgroup   *gpuSubgroup `json:"subgroup,omitempty"`
	Features   []gpuFeature `json:"features,omitempty"`
	Emulated   []string     `json:"emulated,omitempty"`       // kernels
	Nanosecond float64      `json:"timestamp_tick,omitempty"` // length of a tick
}

type gpuLimits struct {
	StorageBuffer  uint64 `json:"storage_buffer_bytes"`
	Allocation     uint64 `json:"allocation_bytes"`
	SharedMemory   uint32 `json:"shared_memory_bytes"`
	Workgroup      uint32 `json:"workgroup_invocations"`
	Groups         uint32 `json:"workgroups"`      // of a dispatch, along x
	StorageBuffers uint32 `json:"storage_buffers"` // of a kernel
}

type gpuSubgroup struct {
	Size  int  `json:"size"`
	Min   int  `json:"min"`
	Max   int  `json:"max"`
	Pin32 bool `json:"pin_32"`
}

// gpuFeature is something that splat makes use of, and what happens without it.
type gpuFeature struct {
	Name    string `json:"name"`
	Present bool   `json:"present"`
	Without string `json:"without"`
}

// vulkan reports what is installed; err is why there are no devices.
func vulkan(err error) vulkanInfo {
	found := sysinfo.ReadVulkan()
	v := vulkanInfo{Backend: builtIn, Loader: found.Loader, Drivers: []driverInfo{}}
	if err != nil {
		v.Why = message(err)
	}
	if errors.Is(err, backend.ErrNotBuilt) {
		v.Backend = notBuilt
	}
	for _, d := range found.Drivers {
		v.Drivers = append(v.Drivers, driverInfo(d))
	}
	return v
}

// automatic asks what auto would take.
func automatic() autoInfo {
	c, err := backend.Choose(config.Backend{Device: "auto"})
	if err != nil {
		return autoInfo{"none", message(err)}
	}
	return autoInfo{wordOf(c), c.Reason}
}

func gpuDevice(index int, f *backend.Facts) deviceInfo {
	g := &gpuInfo{Kind: f.Kind.String(), API: f.API, Driver: f.Driver, Unusable: f.Unusable}
	if g.Driver == "" {
		g.Driver = f.DriverVersion
	}
	if f.Unusable == "" {
		g.describe(f)
	}
	return deviceInfo{Device: vulkanWord(index), Name: f.Name, GPU: g}
}

func (g *gpuInfo) describe(f *backend.Facts) {
	l, s := f.Limits, f.Subgroup
	g.Layer = f.Features.Portability
	g.Memory, g.Free, g.Emulated = f.Size, f.Free, f.Emulated
	g.Limits = &gpuLimits{l.StorageBufferRange, l.AllocationSize, l.SharedMemory, l.GroupInvocations, l.GroupsX, l.StorageBuffers}
	g.Subgroup = &gpuSubgroup{s.Size, s.Min, s.Max, s.Pin && s.Min <= 32 && 32 <= s.Max}
	if l.TimestampBits > 0 {
		g.Nanosecond = l.TimestampPeriod
	}
	g.Features = []gpuFeature{
		{"subgroup operations", len(f.Emulated) == 0, "they go through shared memory in " + join(f.Emulated, ", ")},
		{"memory budget", f.Features.MemoryBudget, "four fifths of the memory are taken to be free"},
		{"host-cached memory", f.Features.HostCached, "reading back statistics and pictures is slow"},
		{"timestamps", l.TimestampBits > 0, "backend.profile has no times of kernels"},
	}
}

// gpuRows says all of a Vulkan device.
func (d *deviceInfo) gpuRows(out *rows) {
	g := d.GPU
	layer := map[bool]string{true: ", a layer over another API", false: ""}[g.Layer]
	out.add(d.Device, "%s, %s%s, Vulkan %s, driver %s", d.Name, g.Kind, layer, g.API, g.Driver)
	if g.Unusable != "" {
		out.add("  unusable", "%s", g.Unusable)
		return
	}
	out.add("  memory", "%s, %s free", byteText(g.Memory), byteText(g.Free))
	out.add("  limits", "storage buffer %s, shared memory %s, workgroup of %d, %d workgroups, %d buffers a kernel",
		byteText(g.Limits.StorageBuffer), byteText(uint64(g.Limits.SharedMemory)), g.Limits.Workgroup, g.Limits.Groups, g.Limits.StorageBuffers)
	out.add("  subgroups", "%d lanes, %d to %d, 32 %s", g.Subgroup.Size, g.Subgroup.Min, g.Subgroup.Max,
		map[bool]string{true: "can be asked for", false: "cannot be asked for"}[g.Subgroup.Pin32])
	if g.Nanosecond > 0 {
		out.add("  timestamps", "ticks of %.4g ns", g.Nanosecond)
	}
	g.featureRows(out)
}

func (g *gpuInfo) featureRows(out *rows) {
	var present []string
	for _, f := range g.Features {
		if f.Present {
			present = append(present, f.Name)
		}
	}
	if len(present) > 0 {
		out.add("  features", "%s", join(present, ", "))
	}
	for _, f := range g.Features {
		if !f.Present {
			out.add("  without", "%s: %s", f.Name, f.Without)
		}
	}
}

func (v *vulkanInfo) rows(out *rows) {
	text := v.Backend
	if v.Why != "" {
		text += ", no devices: " + v.Why
	}
	out.add("vulkan", "%s", text)
	loader := v.Loader
	if loader == "" {
		loader = "not found"
	}
	out.add("  loader", "%s", loader)
	for _, d := range v.Drivers {
		out.add("  driver", "%s (%s)%s", d.Library, d.Manifest, map[bool]string{true: ", software", false: ""}[d.Software])
	}
}
