package train

import "testing"

// States are saved on a GPU that has room for them, unless the configuration decides.
func TestWhereStatesAreSaved(t *testing.T) {
	for _, c := range []struct {
		kind, variant string
		bytes, free   int64
		want          bool
	}{
		{"cpu", "auto", 1, 100, false},
		{"cpu", "checkpoints", 1, 100, false},
		{"vulkan", "auto", 25, 100, true},
		{"vulkan", "auto", 26, 100, false},
		{"vulkan", "auto", 1 << 40, 0, true}, // the device does not say
		{"vulkan", "checkpoints", 26, 100, true},
		{"vulkan", "recompute", 1, 100, false},
	} {
		if got := savesOn(c.kind, c.variant, c.bytes, c.free); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
