package vk

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

func TestInfo(t *testing.T) {
	i := openInstance(t, Options{})
	for n, p := range i.Devices() {
		in := p.Info()
		t.Logf("%+v", in)
		if in.Index != n || in.Name == "" || in.API == "" || in.DriverVersion == "" {
			t.Errorf("device %d: %+v", n, in)
		}
		if !regexp.MustCompile(`^[0-9a-f]{32}-[0-9a-f]{8}$`).MatchString(in.CacheID) {
			t.Errorf("cache id %q", in.CacheID)
		}
		if in.Unusable == "" {
			checkUsable(t, p)
		}
	}
}

// checkUsable holds what every Vulkan 1.2 device guarantees.
func checkUsable(t *testing.T, p *Physical) {
	l, g := p.Info().Limits, p.Info().Subgroup
	if l.StorageBufferRange < 1<<27 || l.AllocationSize < 1<<30 || l.GroupsX < 65535 || l.GroupsY < 65535 ||
		l.GroupInvocations < 128 || l.SharedMemory < 16384 || l.StorageBuffers < 4 || l.PushBytes < 128 || l.Allocations < 1024 {
		t.Errorf("limits below the minimum: %+v", l)
	}
	if l.TimestampBits > 0 && l.TimestampPeriod <= 0 {
		t.Errorf("%d timestamp bits of %g ns", l.TimestampBits, l.TimestampPeriod)
	}
	if g.Size < 1 || g.Min > g.Size || g.Max < g.Size || !g.Basic {
		t.Errorf("subgroup: %+v", g)
	}
	if !p.Info().Features.TimelineSemaphore {
		t.Error("usable without timeline semaphores")
	}
	heaps := p.Heaps()
	t.Logf("%+v", heaps)
	local := false
	for _, h := range heaps {
		local = local || h.DeviceLocal
		if h.Size == 0 || h.Budget == 0 || h.Free() > h.Budget {
			t.Errorf("heap %+v", h)
		}
	}
	if !local {
		t.Error("no heap is the device's")
	}
}

func TestUnusableIsRefused(t *testing.T) {
	p := &Physical{info: Info{Index: 3, Name: "toy", Unusable: "it has Vulkan 1.0.0, expected at least 1.2.0"}}
	_, err := p.Open(DeviceOptions{})
	if err == nil || err.Error() != "device 3 (toy) cannot be used: it has Vulkan 1.0.0, expected at least 1.2.0" {
		t.Error(err)
	}
	p = &Physical{}
	p.judge()
	if !strings.Contains(p.info.Unusable, "timeline semaphores") {
		t.Errorf("without timeline semaphores: %q", p.info.Unusable)
	}
}

func TestChooseFamily(t *testing.T) {
	const graphics, compute = 1, queueComputeBit
	q := func(flags, bits uint32) queueFamilyProperties {
		return queueFamilyProperties{queueFlags: flags, timestampValidBits: bits, queueCount: 1}
	}
	for _, c := range []struct {
		list []queueFamilyProperties
		want int
	}{
		{nil, -1},
		{[]queueFamilyProperties{q(graphics, 64)}, -1},
		{[]queueFamilyProperties{q(graphics, 64), q(compute, 0)}, 1},
		{[]queueFamilyProperties{q(compute, 0), q(compute|graphics, 36), q(compute, 64)}, 1},
		{[]queueFamilyProperties{q(compute|graphics, 64), q(compute, 64)}, 0},
	} {
		if got := chooseFamily(c.list); got != c.want {
			t.Errorf("%+v: %d, expected %d", c.list, got, c.want)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	lost := check("vkQueueSubmit", errorDeviceLost)
	if lost.Error() != "vkQueueSubmit: device lost (VK_ERROR_DEVICE_LOST)" {
		t.Error(lost)
	}
	if !errors.Is(lost, ErrDeviceLost) || errors.Is(lost, ErrOutOfDeviceMemory) {
		t.Error("device lost matches wrongly")
	}
	if e := check("vkX", errorOutOfDeviceMemory); !errors.Is(e, ErrOutOfDeviceMemory) {
		t.Error(e)
	}
	if e := check("vkX", -77); e.Error() != "vkX: VkResult -77" {
		t.Error(e)
	}
	for _, r := range []int32{success, notReady, timeout, incomplete} {
		if check("vkX", r) != nil {
			t.Errorf("result %d is a failure", r)
		}
	}
}

func TestLost(t *testing.T) {
	d := &Device{}
	if d.check("vkX", errorOutOfDeviceMemory); d.Lost() {
		t.Error("lost for want of memory")
	}
	if d.check("vkX", errorDeviceLost); !d.Lost() {
		t.Error("not lost")
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{makeVersion(1, 3).String(), "1.3.0"},
		{driverVersion(vendorNVIDIA, 535<<22|104<<14|5<<6, false), "535.104.05"},
		{driverVersion(vendorIntel, 101<<14|2111, true), "101.2111"},
		{driverVersion(vendorIntel, 22<<22|3<<12|6, false), "22.3.6"},
	} {
		if c.got != c.want {
			t.Errorf("%s, expected %s", c.got, c.want)
		}
	}
	if makeVersion(1, 1).atLeast(1, 2) || !makeVersion(1, 3).atLeast(1, 2) || !(makeVersion(1, 2)|7).atLeast(1, 2) {
		t.Error("order of versions")
	}
}

func TestCloseTwice(t *testing.T) {
	r := newRig(t)
	b := r.buffer("b", 8, DeviceMemory)
	b.Free()
	b.Free()
	(*Buffer)(nil).Free()
	(*Device)(nil).Close()
	r.Close()
	r.Close()
	r.instance.Close()
	r.instance.Close()
}
