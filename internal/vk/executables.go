package vk

import (
	"errors"
	"math"
)

// Statistic is something that the driver tells of a compiled kernel, in the driver's own
// words, such as "Register Count".
type Statistic struct {
	Name  string
	Value float64
}

// Description is what the driver tells of a compiled kernel.
type Description struct {
	SubgroupSize int // 0: it does not say
	Statistics   []Statistic
}

// errUndescribed says why a pipeline has no description.
var errUndescribed = errors.New("the driver does not describe what it compiles (VK_KHR_pipeline_executable_properties), or was not asked to")

// Describe asks the driver about a pipeline whose spec had Describe set, on a device that
// was opened with it.
func (p *Pipeline) Describe() (out Description, err error) {
	if !p.d.describes || p.d.vkGetPipelineExecutablePropertiesKHR == 0 || p.d.vkGetPipelineExecutableStatisticsKHR == 0 {
		return out, errUndescribed
	}
	a := borrow()
	defer a.release()
	info := a.pipelineInfoKHR()
	info.pipeline = p.handle
	n := put[uint32](a)
	if err := p.d.check("vkGetPipelineExecutablePropertiesKHR", p.d.getPipelineExecutablePropertiesKHR(p.d.handle, info, n, nil)); err != nil || *n == 0 {
		return out, err
	}
	*n = 1 // a compute pipeline is one program; of more, the first
	about := a.pipelineExecutablePropertiesKHR()
	result := p.d.getPipelineExecutablePropertiesKHR(p.d.handle, info, n, about)
	if result != incomplete {
		if err := p.d.check("vkGetPipelineExecutablePropertiesKHR", result); err != nil {
			return out, err
		}
	}
	out.SubgroupSize = int(about.subgroupSize)
	out.Statistics, err = p.statistics(a)
	return out, err
}

// statistics asks for all numbers.
func (p *Pipeline) statistics(a *arena) (out []Statistic, err error) {
	info := a.pipelineExecutableInfoKHR()
	info.pipeline = p.handle
	n := put[uint32](a)
	if err := p.d.check("vkGetPipelineExecutableStatisticsKHR", p.d.getPipelineExecutableStatisticsKHR(p.d.handle, info, n, nil)); err != nil || *n == 0 {
		return nil, err
	}
	list := array[pipelineExecutableStatisticKHR](a, int(*n))
	for i := range list {
		list[i].sType = a.pipelineExecutableStatisticKHR().sType
	}
	if err := p.d.check("vkGetPipelineExecutableStatisticsKHR", p.d.getPipelineExecutableStatisticsKHR(p.d.handle, info, n, &list[0])); err != nil {
		return nil, err
	}
	for i := range list[:*n] {
		out = append(out, Statistic{fixedString(list[i].name[:]), list[i].number()})
	}
	return out, nil
}

// number is the value of a statistic, whatever its format.
func (s *pipelineExecutableStatisticKHR) number() float64 {
	switch s.format {
	case pipelineExecutableStatisticFormatBool32Khr:
		return float64(uint32(s.value))
	case pipelineExecutableStatisticFormatInt64Khr:
		return float64(int64(s.value))
	case pipelineExecutableStatisticFormatFloat64Khr:
		return math.Float64frombits(s.value)
	}
	return float64(s.value)
}
