package vk

import (
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
)

// collect runs the collector, and moves stacks, until stop.
func collect(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
			runtime.GC()
			deep(50)
		}
	}
}

// deep grows the stack.
func deep(n int) byte {
	var pad [1024]byte
	if n == 0 {
		return pad[n]
	}
	return deep(n-1) + pad[n]
}

// Nothing that Vulkan sees depends on the collector: devices, buffers, pipelines and
// submissions come and go while it runs all the time.
func TestCollectorStress(t *testing.T) {
	i := openInstance(t, Options{})
	stop := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { collect(stop) })
	for range 3 {
		d := openDevice(t, i, DeviceOptions{})
		r := &rig{t, d, i}
		for n := range 5 {
			roundTrip(r, 1000+n)
		}
		if _, err := d.CacheData(); err != nil {
			t.Error(err)
		}
		d.Close()
	}
	close(stop)
	running.Wait()
}

// A device is used by several goroutines at once.
func TestParallelUse(t *testing.T) {
	r := newRig(t)
	var g errgroup.Group
	for n := range 4 {
		g.Go(func() error {
			for i := range 3 {
				roundTrip(r, 100+10*n+i)
			}
			return nil
		})
	}
	r.must(g.Wait())
	if r.Used() != 0 {
		t.Errorf("%d bytes in use", r.Used())
	}
}
