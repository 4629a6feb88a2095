package vulkan

import (
	"errors"
	"os"
	"testing"

	"splat/internal/vk"
)

// openTest opens the first usable device, or skips where there is none, unless the
// environment says that there must be one.
func openTest(t testing.TB, o Options) *Backend {
	t.Helper()
	b, instance, err := openFirst(o, vk.Options{})
	if err != nil {
		if os.Getenv("SPLAT_REQUIRE_VULKAN") == "" {
			t.Skipf("no Vulkan device (set SPLAT_REQUIRE_VULKAN=1 to fail instead): %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.Close()
		instance.Close()
	})
	return b
}

func openFirst(o Options, vo vk.Options) (*Backend, *vk.Instance, error) {
	instance, err := vk.Open(vo)
	if err != nil {
		return nil, nil, err
	}
	err = errors.New("no device")
	for _, p := range instance.Devices() {
		var b *Backend
		if b, err = Open(p, o); err == nil {
			return b, instance, nil
		}
	}
	instance.Close()
	return nil, nil, err
}
