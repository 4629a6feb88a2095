package kernel

import "fmt"

// Buffer is a handle to device memory. Two buffers are the same only if they are
// the same handle. A backend gives it storage in Alloc.
type Buffer struct {
	Name string
	Elem Elem
	Len  int // elements
	// Persistent buffers carry state from one submission to the next. The others
	// hold nothing of value between submissions; tests fill them with poison there.
	Persistent bool
	// Watched buffers are copied for the host at the end of each submission, so that
	// Backend.Peek can look at them while work is in flight. They are small.
	Watched bool
}

// Bytes returns the size on a device. It is 64-bit arithmetic: 12 million splats
// of degree 3 alone are 2.3 GB.
func (b *Buffer) Bytes() int64 { return int64(b.Len) * int64(b.Elem.Size()) }

// Args binds buffers to a kernel's binding names.
type Args map[string]*Buffer

// Dispatch is one kernel launch of a recording.
type Dispatch struct {
	Kernel    *Contract
	Buffers   []*Buffer // in binding order
	Constants []uint32  // in the order of Kernel.Constants
	Groups    int       // workgroups of a direct dispatch; ignored when Indirect is set
	Indirect  *Buffer   // u32 buffer with three group counts an entry; nil for a direct dispatch
	Entry     int       // entry in Indirect
	Stage     string    // what the dispatch belongs to, for profiles: "depth-sort"
}

// Recording is a list of dispatches that runs from start to end without the
// host. It is built once and submitted many times.
type Recording struct {
	Name       string
	Dispatches []Dispatch
	stage      string
}

// Stage names what the dispatches recorded from here on belong to.
func (r *Recording) Stage(name string) { r.stage = name }

// Direct records a launch of a fixed number of workgroups.
func (r *Recording) Direct(k *Contract, groups int, args Args, constants ...uint32) {
	r.add(Dispatch{Kernel: k, Groups: groups, Constants: constants}, args)
}

// Indirect records a launch whose number of workgroups the device reads from
// entry of counts when it gets there.
func (r *Recording) Indirect(k *Contract, counts *Buffer, entry int, args Args, constants ...uint32) {
	r.add(Dispatch{Kernel: k, Indirect: counts, Entry: entry, Constants: constants}, args)
}

// add checks a dispatch against its contract. A mismatch is a programming error.
func (r *Recording) add(d Dispatch, args Args) {
	k := d.Kernel
	if len(args) != len(k.Bindings) || len(d.Constants) != len(k.Constants) {
		panic(fmt.Sprintf("recording %s: kernel %s wants %d buffers and %d constants, got %d and %d",
			r.Name, k.Name, len(k.Bindings), len(k.Constants), len(args), len(d.Constants)))
	}
	written := map[*Buffer]string{}
	for _, b := range k.Bindings {
		buf := args[b.Name]
		if buf == nil {
			panic(fmt.Sprintf("recording %s: kernel %s: no buffer for %s", r.Name, k.Name, b.Name))
		}
		if buf.Elem != b.Elem {
			panic(fmt.Sprintf("recording %s: kernel %s: %s is %s, buffer %s is %s",
				r.Name, k.Name, b.Name, b.Elem, buf.Name, buf.Elem))
		}
		if other, seen := written[buf]; seen && (b.Access.Writes() || other != "") {
			panic(fmt.Sprintf("recording %s: kernel %s: buffer %s is bound twice and written", r.Name, k.Name, buf.Name))
		}
		written[buf] = ""
		if b.Access.Writes() {
			written[buf] = b.Name
		}
		d.Buffers = append(d.Buffers, buf)
	}
	d.Stage = r.stage
	r.Dispatches = append(r.Dispatches, d)
}

// Buffers returns every buffer the recording touches, each once, in order of
// first use.
func (r *Recording) Buffers() []*Buffer {
	var out []*Buffer
	seen := map[*Buffer]bool{}
	note := func(b *Buffer) {
		if b != nil && !seen[b] {
			seen[b] = true
			out = append(out, b)
		}
	}
	for _, d := range r.Dispatches {
		for _, b := range d.Buffers {
			note(b)
		}
		note(d.Indirect)
	}
	return out
}

// Barriers returns, for each dispatch, whether it must wait for those before it:
// true where it reads or writes what was written, or writes what was read, since
// the last barrier. Nothing else orders dispatches on a device.
func (r *Recording) Barriers() []bool {
	out := make([]bool, len(r.Dispatches))
	read, wrote := map[*Buffer]bool{}, map[*Buffer]bool{}
	for i, d := range r.Dispatches {
		hazard := d.Indirect != nil && wrote[d.Indirect]
		for j, b := range d.Buffers {
			writes := d.Kernel.Bindings[j].Access.Writes()
			hazard = hazard || wrote[b] || writes && read[b]
		}
		if hazard {
			out[i] = true
			clear(read)
			clear(wrote)
		}
		if d.Indirect != nil {
			read[d.Indirect] = true
		}
		for j, b := range d.Buffers {
			read[b] = true
			if d.Kernel.Bindings[j].Access.Writes() {
				wrote[b] = true
			}
		}
	}
	return out
}
