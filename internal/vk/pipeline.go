package vk

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Constant sets a specialization constant; Value has its 32 bits.
type Constant struct{ ID, Value uint32 }

// PipelineSpec describes a compute pipeline. Its entry point is main.
type PipelineSpec struct {
	Name      string // for errors
	Code      []byte // SPIR-V
	Bindings  int    // storage buffers 0 to Bindings-1 of set 0
	PushBytes int    // push constants, a multiple of 4
	Constants []Constant
	// SubgroupSize pins the size; 0 leaves it to the driver. It needs Subgroup.Pin.
	SubgroupSize int
	// FullSubgroups promises that no subgroup has idle invocations at its end: the
	// workgroup's width must be a multiple of the subgroup's size. It needs
	// Subgroup.FullGroups.
	FullSubgroups bool
	// Describe makes the driver keep what Pipeline.Describe asks for. It may compile
	// such a pipeline anew, past its cache.
	Describe bool
}

// Pipeline is a compiled kernel.
type Pipeline struct {
	d        *Device
	name     string
	handle   uint64
	layout   layout
	bindings int
	push     int
}

// spirvMagic begins every SPIR-V module.
const spirvMagic = 0x07230203

// NewPipeline compiles a kernel, or takes it from the device's pipeline cache. Several
// goroutines may do so at once.
func (d *Device) NewPipeline(s PipelineSpec) (*Pipeline, error) {
	p := &Pipeline{d: d, name: s.Name, bindings: s.Bindings, push: s.PushBytes}
	err := s.check(d.physical.info)
	if err == nil {
		p.layout, err = d.layout(layoutKey{s.Bindings, s.PushBytes})
	}
	if err == nil {
		err = p.compile(s)
	}
	if err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", s.Name, err)
	}
	d.label(objectTypePipeline, p.handle, s.Name)
	d.counts.pipelines.Add(1)
	d.keep(p)
	return p, nil
}

func (s *PipelineSpec) check(in Info) error {
	switch {
	case len(s.Code) < 20 || len(s.Code)%4 != 0 || binary.LittleEndian.Uint32(s.Code) != spirvMagic:
		return fmt.Errorf("%d bytes of code that are not SPIR-V", len(s.Code))
	case s.Bindings < 0 || s.Bindings > int(in.Limits.StorageBuffers):
		return fmt.Errorf("%d storage buffers, the device has at most %d", s.Bindings, in.Limits.StorageBuffers)
	case s.PushBytes < 0 || s.PushBytes > int(in.Limits.PushBytes) || s.PushBytes%4 != 0:
		return fmt.Errorf("%d bytes of push constants, expected a multiple of 4 up to %d", s.PushBytes, in.Limits.PushBytes)
	case s.FullSubgroups && !in.Subgroup.FullGroups:
		return fmt.Errorf("the device cannot promise full subgroups")
	}
	return s.checkSubgroupSize(in.Subgroup)
}

func (s *PipelineSpec) checkSubgroupSize(g Subgroup) error {
	n := s.SubgroupSize
	switch {
	case n == 0:
		return nil
	case !g.Pin:
		return fmt.Errorf("the device cannot pin the subgroup size")
	case n < g.Min || n > g.Max || bits.OnesCount(uint(n)) != 1:
		return fmt.Errorf("subgroup size %d, expected a power of two from %d to %d", n, g.Min, g.Max)
	}
	return nil
}

func (p *Pipeline) compile(s PipelineSpec) error {
	a := borrow()
	defer a.release()
	module, err := p.d.module(a, s.Code)
	if err != nil {
		return err
	}
	defer p.d.destroyShaderModule(p.d.handle, module)
	info := a.computePipelineCreateInfo()
	info.stage = *s.stage(a, module)
	info.layout = p.layout.pipeline
	if s.Describe && p.d.describes {
		info.flags = pipelineCreateCaptureStatisticsBitKhr
	}
	info.basePipelineIndex = -1
	out := put[uint64](a)
	result := p.d.createComputePipelines(p.d.handle, p.d.cache, 1, info, out)
	p.handle = *out
	return p.d.check("vkCreateComputePipelines", result)
}

func (d *Device) module(a *arena, code []byte) (uint64, error) {
	info := a.shaderModuleCreateInfo()
	info.codeSize = uint64(len(code))
	info.pCode = first(copied(a, code))
	out := put[uint64](a)
	err := d.check("vkCreateShaderModule", d.createShaderModule(d.handle, info, out))
	return *out, err
}

func (s *PipelineSpec) stage(a *arena, module uint64) *pipelineShaderStageCreateInfo {
	stage := a.pipelineShaderStageCreateInfo()
	stage.stage = shaderStageComputeBit
	stage.module = module
	stage.pName = address(a.cstring("main"))
	if len(s.Constants) > 0 {
		stage.pSpecializationInfo = address(s.specialization(a))
	}
	if s.SubgroupSize > 0 {
		size := a.pipelineShaderStageRequiredSubgroupSizeCreateInfo()
		size.requiredSubgroupSize = uint32(s.SubgroupSize)
		stage.pNext = address(size)
	}
	if s.FullSubgroups {
		stage.flags = pipelineShaderStageCreateRequireFullSubgroupsBit
	}
	return stage
}

func (s *PipelineSpec) specialization(a *arena) *specializationInfo {
	entries := array[specializationMapEntry](a, len(s.Constants))
	values := array[uint32](a, len(s.Constants))
	for i, c := range s.Constants {
		entries[i] = specializationMapEntry{constantID: c.ID, offset: uint32(4 * i), size: 4}
		values[i] = c.Value
	}
	info := put[specializationInfo](a)
	info.mapEntryCount = uint32(len(entries))
	info.pMapEntries = first(entries)
	info.dataSize = uint64(4 * len(values))
	info.pData = first(values)
	return info
}

// Name returns the name.
func (p *Pipeline) Name() string { return p.name }

// Free destroys the pipeline. Freeing twice, or nil, does nothing.
func (p *Pipeline) Free() {
	if p != nil && p.d.forget(p) {
		p.d.destroyPipeline(p.d.handle, p.handle)
	}
}
