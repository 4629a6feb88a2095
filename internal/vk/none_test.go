//go:build novulkan

package vk

import (
	"errors"
	"testing"
)

func TestBuildWithoutVulkan(t *testing.T) {
	i, err := Open(Options{Validate: true})
	if i != nil || !errors.Is(err, ErrNoLoader) || err.Error() != "this build has no Vulkan (tag novulkan)" {
		t.Errorf("%v, %v", i, err)
	}
}
