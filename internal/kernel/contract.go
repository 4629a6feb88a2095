// Package kernel describes work for a device without knowing any: contracts
// (what a kernel is called and which buffers it reads and writes), buffers,
// recordings (lists of dispatches) and the Backend interface that executes them.
//
// Every kernel has one contract here, one CPU function of the same name in
// kernel/cpu and one conformance case in kernel/kerneltest.
package kernel

import (
	"fmt"
	"slices"
	"strings"
)

// Access declares what a kernel does with a binding.
type Access uint8

// Read promises not to write. Write promises that what the buffer held before
// does not matter to the kernel. ReadWrite promises nothing.
const (
	Read Access = iota + 1
	Write
	ReadWrite
)

// Reads reports whether the previous contents matter.
func (a Access) Reads() bool { return a != Write }

// Writes reports whether the contents may change.
func (a Access) Writes() bool { return a != Read }

// Elem is the element type of a buffer: U32, Real, or the name of a record.
type Elem string

// U32 is a 32-bit unsigned integer. Real is the pipeline's floating-point
// number: float32 on every device, float64 on a CPU backend made for checks.
const (
	U32  Elem = "u32"
	Real Elem = "real"
)

// Binding is one typed buffer argument of a kernel.
type Binding struct {
	Name   string
	Elem   Elem
	Access Access
}

// MaxBindings is the number of storage buffers a kernel may bind; more than
// this is not available everywhere.
const MaxBindings = 12

// Contract is what a kernel promises: its name, the size of its workgroup, its
// buffers in binding order and its integer constants.
type Contract struct {
	Name      string
	Group     int // invocations per workgroup
	Bindings  []Binding
	Constants []string
}

var registry []*Contract

// define registers a kernel in one line. bindings is a space-separated list of
// name:element:access, with access r, w or rw; constants a list of names.
func define(name string, group int, bindings, constants string) *Contract {
	c := &Contract{Name: name, Group: group, Constants: strings.Fields(constants)}
	for _, field := range strings.Fields(bindings) {
		p := strings.Split(field, ":")
		if len(p) != 3 {
			panic(fmt.Sprintf("kernel %s: binding %q is not name:element:access", name, field))
		}
		access, ok := map[string]Access{"r": Read, "w": Write, "rw": ReadWrite}[p[2]]
		if !ok {
			panic(fmt.Sprintf("kernel %s: binding %q: unknown access", name, field))
		}
		c.Bindings = append(c.Bindings, Binding{p[0], Elem(p[1]), access})
	}
	if len(c.Bindings) > MaxBindings {
		panic(fmt.Sprintf("kernel %s: %d bindings, at most %d", name, len(c.Bindings), MaxBindings))
	}
	if Lookup(name) != nil {
		panic(fmt.Sprintf("kernel %s: defined twice", name))
	}
	registry = append(registry, c)
	return c
}

// Contracts returns all kernels in the order of their definition.
func Contracts() []*Contract { return slices.Clone(registry) }

// Lookup returns the contract called name, or nil.
func Lookup(name string) *Contract {
	for _, c := range registry {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Index returns the position of the binding called name, or -1.
func (c *Contract) Index(name string) int {
	return slices.IndexFunc(c.Bindings, func(b Binding) bool { return b.Name == name })
}
