package vk

import "fmt"

// SetSpec is the buffers of one use of a pipeline, in the order of its bindings.
type SetSpec struct {
	Pipeline *Pipeline
	Buffers  []*Buffer
}

// Descriptors is a list of descriptor sets, written once. The buffers must live as
// long as work with the sets is submitted.
type Descriptors struct {
	d    *Device
	pool uint64
	sets []uint64
}

// NewDescriptors makes one set for each SetSpec, all in one pool of exactly their size.
func (d *Device) NewDescriptors(specs []SetSpec) (*Descriptors, error) {
	total, err := countBuffers(specs)
	if err != nil {
		return nil, err
	}
	s := &Descriptors{d: d, sets: make([]uint64, len(specs))}
	if len(specs) > 0 {
		if err := s.create(specs, total); err != nil {
			d.destroyDescriptorPool(d.handle, s.pool)
			return nil, fmt.Errorf("%d descriptor sets: %w", len(specs), err)
		}
		s.write(specs, total)
	}
	d.keep(s)
	return s, nil
}

func countBuffers(specs []SetSpec) (total int, err error) {
	for i, s := range specs {
		if s.Pipeline == nil {
			return 0, fmt.Errorf("descriptor set %d has no pipeline", i)
		}
		if len(s.Buffers) != s.Pipeline.bindings {
			return 0, fmt.Errorf("descriptor set %d of pipeline %q: %d buffers, expected %d", i, s.Pipeline.name, len(s.Buffers), s.Pipeline.bindings)
		}
		for j, b := range s.Buffers {
			if b == nil {
				return 0, fmt.Errorf("descriptor set %d of pipeline %q: no buffer for binding %d", i, s.Pipeline.name, j)
			}
		}
		total += len(s.Buffers)
	}
	return total, nil
}

func (s *Descriptors) create(specs []SetSpec, total int) error {
	a := borrow()
	defer a.release()
	info := a.descriptorPoolCreateInfo()
	info.maxSets = uint32(len(specs))
	info.poolSizeCount = 1
	info.pPoolSizes = first(copied(a, []descriptorPoolSize{{typ: descriptorTypeStorageBuffer, descriptorCount: uint32(max(total, 1))}}))
	out := put[uint64](a)
	if err := s.d.check("vkCreateDescriptorPool", s.d.createDescriptorPool(s.d.handle, info, out)); err != nil {
		return err
	}
	s.pool = *out
	layouts := array[uint64](a, len(specs))
	for i, spec := range specs {
		layouts[i] = spec.Pipeline.layout.set
	}
	alloc := a.descriptorSetAllocateInfo()
	alloc.descriptorPool = s.pool
	alloc.descriptorSetCount = uint32(len(specs))
	alloc.pSetLayouts = first(layouts)
	sets := array[uint64](a, len(specs))
	err := s.d.check("vkAllocateDescriptorSets", s.d.allocateDescriptorSets(s.d.handle, alloc, &sets[0]))
	copy(s.sets, sets)
	return err
}

// write points the bindings at whole buffers.
func (s *Descriptors) write(specs []SetSpec, total int) {
	if total == 0 {
		return
	}
	a := borrow()
	defer a.release()
	writes := array[writeDescriptorSet](a, total)
	buffers := array[descriptorBufferInfo](a, total)
	tag := a.writeDescriptorSet().sType
	n := 0
	for i, spec := range specs {
		for j, b := range spec.Buffers {
			buffers[n] = descriptorBufferInfo{buffer: b.handle, rng: uint64(b.size)}
			writes[n] = writeDescriptorSet{sType: tag, dstSet: s.sets[i], dstBinding: uint32(j), descriptorCount: 1,
				descriptorType: descriptorTypeStorageBuffer, pBufferInfo: address(&buffers[n])}
			n++
		}
	}
	s.d.updateDescriptorSets(s.d.handle, uint32(total), &writes[0], 0)
}

// Len returns the number of sets.
func (s *Descriptors) Len() int { return len(s.sets) }

// Free destroys the sets. Freeing twice, or nil, does nothing.
func (s *Descriptors) Free() {
	if s != nil && s.d.forget(s) {
		s.d.destroyDescriptorPool(s.d.handle, s.pool)
	}
}
