package vk

import (
	"fmt"
	"sync"
)

// waitStages is where submissions wait for their points.
const waitStages = pipelineStageComputeShaderBit | pipelineStageTransferBit | pipelineStageDrawIndirectBit

// submitter guards the queue and keeps the memory that submissions are described in,
// so that they leave nothing to collect.
type submitter struct {
	mu      sync.Mutex
	scratch *arena
}

// Submit hands lists to the device, which runs them in order. They begin when all of
// waits are reached and raise signals when all are done. Only a reusable list may
// appear twice, or again before it is done. It costs a few microseconds and does not
// wait. Lists of several submissions may overlap: barriers and points order them.
func (d *Device) Submit(cmds []*Commands, waits, signals []Point) error {
	for i, c := range cmds {
		if !c.ended {
			return fmt.Errorf("command list %d of %d has not been ended", i+1, len(cmds))
		}
	}
	d.submit.mu.Lock()
	defer d.submit.mu.Unlock()
	info := d.submit.describe(cmds, waits, signals)
	d.counts.submits.Add(1)
	d.counts.lists.Add(int64(len(cmds)))
	return d.check("vkQueueSubmit", d.queueSubmit(d.queue, 1, info, 0))
}

func (s *submitter) describe(cmds []*Commands, waits, signals []Point) *submitInfo {
	a := s.scratch
	a.reset()
	info, values := a.submitInfo(), a.timelineSemaphoreSubmitInfo()
	info.pNext = address(values)
	handles := array[uint64](a, len(cmds))
	for i, c := range cmds {
		handles[i] = c.handle
	}
	info.commandBufferCount, info.pCommandBuffers = uint32(len(cmds)), first(handles)
	info.waitSemaphoreCount, values.waitSemaphoreValueCount = uint32(len(waits)), uint32(len(waits))
	info.pWaitSemaphores, values.pWaitSemaphoreValues = points(a, waits)
	stages := array[uint32](a, len(waits))
	for i := range stages {
		stages[i] = waitStages
	}
	info.pWaitDstStageMask = first(stages)
	info.signalSemaphoreCount, values.signalSemaphoreValueCount = uint32(len(signals)), uint32(len(signals))
	info.pSignalSemaphores, values.pSignalSemaphoreValues = points(a, signals)
	return info
}

// points returns the addresses of the handles and of the values.
func points(a *arena, list []Point) (handles, values uintptr) {
	h, v := array[uint64](a, len(list)), array[uint64](a, len(list))
	for i, p := range list {
		h[i], v[i] = p.Timeline.handle, p.Value
	}
	return first(h), first(v)
}
