package cpu

import (
	"bytes"
	"fmt"
	"math"

	"splat/internal/kernel"
)

// poison is the word that unused memory is filled with: a NaN as a float and an
// index far outside anything as an integer.
const poison = 0xFFFFDEAD

// fill overwrites all of a buffer with poison.
func (s *storage) fill() {
	for i := range s.u32 {
		s.u32[i] = poison
	}
	for i := range s.f32 {
		s.f32[i] = math.Float32frombits(poison)
	}
	for i := range s.f64 {
		s.f64[i] = math.NaN()
	}
	for i := range s.raw {
		s.raw[i] = 0xFF
	}
}

// poisonScratch fills the recording's buffers that carry nothing between
// submissions.
func (b *Backend) poisonScratch(p *program) {
	for _, buf := range p.rec.Buffers() {
		if !buf.Persistent {
			b.memory[buf].fill()
		}
	}
}

// runChecked executes one dispatch as strictly as its contract allows: see
// Options.Checked. A broken promise panics with the kernel and the buffer.
func (b *Backend) runChecked(op *operation, groups int) {
	declared := map[*storage]kernel.Access{}
	for i, s := range op.buffers {
		declared[s] |= op.contract.Bindings[i].Access
	}
	saved := map[*storage][]byte{}
	for _, s := range b.memory {
		access, ok := declared[s]
		switch {
		case !ok:
			saved[s] = bytes.Clone(s.bytes())
			if s != op.indirect {
				s.fill()
			}
		case access == kernel.Write && groups > 0 && !s.buf.Persistent:
			s.fill()
		case access == kernel.Read:
			saved[s] = bytes.Clone(s.bytes())
		}
	}
	b.pool.run(op, groups, b.rng.Perm(groups))
	for s, old := range saved {
		if _, ok := declared[s]; !ok {
			copy(s.bytes(), old)
			continue
		}
		if !bytes.Equal(s.bytes(), old) {
			panic(fmt.Sprintf("cpu: kernel %s wrote to %s, which it declares as read only", op.contract.Name, s.buf.Name))
		}
	}
}
