package vk

// layoutKey tells the interfaces of kernels apart.
type layoutKey struct{ bindings, pushBytes int }

// layout is the interface of a kernel: set and pipeline layout. Kernels with the same
// number of buffers and bytes share one; the device destroys them.
type layout struct{ set, pipeline uint64 }

// layout returns the layout of a key, made on first use.
func (d *Device) layout(k layoutKey) (layout, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l, ok := d.layouts[k]; ok {
		return l, nil
	}
	l, err := d.newLayout(k)
	if err != nil {
		d.destroyLayout(l)
		return layout{}, err
	}
	d.layouts[k] = l
	return l, nil
}

func (d *Device) newLayout(k layoutKey) (l layout, err error) {
	a := borrow()
	defer a.release()
	set := a.descriptorSetLayoutCreateInfo()
	bindings := storageBindings(a, k.bindings)
	set.bindingCount = uint32(len(bindings))
	set.pBindings = first(bindings)
	out := array[uint64](a, 2)
	if err := d.check("vkCreateDescriptorSetLayout", d.createDescriptorSetLayout(d.handle, set, &out[0])); err != nil {
		return l, err
	}
	l.set = out[0]
	info := a.pipelineLayoutCreateInfo()
	info.setLayoutCount = 1
	info.pSetLayouts = address(&out[0])
	if k.pushBytes > 0 {
		info.pushConstantRangeCount = 1
		info.pPushConstantRanges = first(copied(a, []pushConstantRange{{stageFlags: shaderStageComputeBit, size: uint32(k.pushBytes)}}))
	}
	err = d.check("vkCreatePipelineLayout", d.createPipelineLayout(d.handle, info, &out[1]))
	l.pipeline = out[1]
	return l, err
}

func storageBindings(a *arena, n int) []descriptorSetLayoutBinding {
	list := array[descriptorSetLayoutBinding](a, n)
	for i := range list {
		list[i].binding = uint32(i)
		list[i].descriptorType = descriptorTypeStorageBuffer
		list[i].descriptorCount = 1
		list[i].stageFlags = shaderStageComputeBit
	}
	return list
}

// destroyLayout does nothing with handles that are 0.
func (d *Device) destroyLayout(l layout) {
	d.destroyPipelineLayout(d.handle, l.pipeline)
	d.destroyDescriptorSetLayout(d.handle, l.set)
}
