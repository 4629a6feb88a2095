package backend

import (
	"strconv"
	"strings"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/kernel"
)

// slowed is a backend that runs one kernel more than once, so that tests of
// measurements know which kernel is slower and by how much. It takes kernels that read
// nothing of what they write: running those again changes nothing.
type slowed struct {
	kernel.Backend
	kernel string
	times  int
}

// withSlow slows a kernel of be where c says so: see config.Backend.Slow.
func withSlow(c config.Backend, be kernel.Backend) (kernel.Backend, error) {
	if c.Slow == "" {
		return be, nil
	}
	name, text, given := strings.Cut(c.Slow, "*")
	times := 2
	if n, err := strconv.Atoi(text); given && (err != nil || n < 1 || n > 100) {
		be.Close()
		return nil, fault.Usagef("slowed kernel %q: found %q times, expected 1 to 100", c.Slow, text)
	} else if given {
		times = n
	}
	for _, k := range kernel.Contracts() {
		if k.Name == name && repeatable(k) {
			return &slowed{be, name, times}, nil
		}
	}
	be.Close()
	return nil, fault.Usagef("slowed kernel %q: expected a kernel that does not read what it writes", c.Slow)
}

func repeatable(k *kernel.Contract) bool {
	for _, b := range k.Bindings {
		if b.Access.Reads() && b.Access.Writes() {
			return false
		}
	}
	return true
}

// Compile compiles a recording in which the kernel occurs several times in a row.
func (s *slowed) Compile(r *kernel.Recording) (kernel.Program, error) {
	more := *r
	more.Dispatches = nil
	for _, d := range r.Dispatches {
		n := 1
		if d.Kernel.Name == s.kernel {
			n = s.times
		}
		for range n {
			more.Dispatches = append(more.Dispatches, d)
		}
	}
	return s.Backend.Compile(&more)
}

// Budget is the backend's.
func (s *slowed) Budget() int64 {
	if b, ok := s.Backend.(interface{ Budget() int64 }); ok {
		return b.Budget()
	}
	return 0
}

// SetTracer passes a tracer on.
func (s *slowed) SetTracer(t kernel.Tracer) {
	if b, ok := s.Backend.(kernel.Traced); ok {
		b.SetTracer(t)
	}
}

// Sampling is the backend's.
func (s *slowed) Sampling() kernel.Sampling {
	if b, ok := s.Backend.(kernel.Sampled); ok {
		return b.Sampling()
	}
	return kernel.Sampling{}
}
