package vk

import (
	"math"
	"strings"
	"testing"
)

func TestStatisticFormats(t *testing.T) {
	for _, c := range []struct {
		format uint32
		value  uint64
		want   float64
	}{
		{pipelineExecutableStatisticFormatBool32Khr, 0xAAAAAAAA00000001, 1},
		{pipelineExecutableStatisticFormatInt64Khr, math.MaxUint64, -1},
		{pipelineExecutableStatisticFormatUint64Khr, 48, 48},
		{pipelineExecutableStatisticFormatFloat64Khr, math.Float64bits(0.5), 0.5},
	} {
		if got := (&pipelineExecutableStatisticKHR{format: c.format, value: c.value}).number(); got != c.want {
			t.Errorf("format %d, value %x: %g, expected %g", c.format, c.value, got, c.want)
		}
	}
}

// A pipeline is described where the device can and was asked to, and says why not else.
func TestDescribe(t *testing.T) {
	i := openInstance(t, Options{})
	d := openDevice(t, i, DeviceOptions{Describe: true})
	s := copySpec(t)
	s.Describe = true
	p, err := d.NewPipeline(s)
	if err != nil {
		t.Fatal(err)
	}
	about, err := p.Describe()
	if !d.Info().Features.PipelineExecutable {
		if err == nil || !strings.Contains(err.Error(), "does not describe") {
			t.Errorf("%v, %v", about, err)
		}
		return
	}
	if err != nil || about.SubgroupSize == 0 && len(about.Statistics) == 0 {
		t.Errorf("%+v, %v", about, err)
	}
	for _, s := range about.Statistics {
		if s.Name == "" || math.IsNaN(s.Value) {
			t.Errorf("statistic %+v", s)
		}
	}
}

// A device that was not asked to describe keeps the plain way of compiling.
func TestNothingIsDescribedUnasked(t *testing.T) {
	r := newRig(t)
	s := copySpec(t)
	s.Describe = true
	p := r.pipeline(s)
	if _, err := p.Describe(); err == nil {
		t.Error("described without being asked")
	}
}
