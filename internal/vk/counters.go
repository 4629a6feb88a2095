package vk

import "sync/atomic"

// Counters is how often a device was asked for something since it was opened. Of
// these only Waits and IdleWaits wait for the device; Maps, Allocations and Pipelines
// may take long.
type Counters struct {
	Submits     int64 // calls of Submit
	Lists       int64 // command lists submitted
	Waits       int64 // Timeline.Wait with a timeout
	Polls       int64 // Timeline.Value, and Timeline.Wait without one
	IdleWaits   int64 // Device.WaitIdle
	Maps        int64 // memory blocks mapped
	Allocations int64 // memory blocks allocated
	Releases    int64 // memory blocks given back
	Buffers     int64 // made
	Pipelines   int64 // compiled
	Recordings  int64 // command lists begun
	Reads       int64 // Timestamps.Read
}

type counts struct {
	submits, lists, waits, polls, idleWaits   atomic.Int64
	maps, allocations, releases               atomic.Int64
	buffers, pipelines, recordings, readCalls atomic.Int64
}

// Counters returns the counts so far.
func (d *Device) Counters() Counters {
	c := &d.counts
	return Counters{
		Submits: c.submits.Load(), Lists: c.lists.Load(), Waits: c.waits.Load(), Polls: c.polls.Load(),
		IdleWaits: c.idleWaits.Load(), Maps: c.maps.Load(), Allocations: c.allocations.Load(),
		Releases: c.releases.Load(), Buffers: c.buffers.Load(), Pipelines: c.pipelines.Load(),
		Recordings: c.recordings.Load(), Reads: c.readCalls.Load(),
	}
}
