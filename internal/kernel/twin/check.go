package twin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"splat/internal/kernel"
)

// Difference is the error of a check: the device and the host disagree.
type Difference struct {
	Kernel, Stage, Recording string
	Dispatch, Of             int          // number of the dispatch in its recording, from 1, and how many there are
	Submission               int          // number of the recording's run, from 1
	Step                     *kernel.Step // what was worked on; nil where the kernel does not bind it
	Err                      error        // the comparison's: binding, element, found, expected
}

// Error says all of it on one line.
func (d *Difference) Error() string {
	step := ""
	if d.Step != nil {
		step = fmt.Sprintf(" (step %d, view %d)", d.Step.Index, d.Step.View)
	}
	return fmt.Sprintf("kernel %s (stage %s) differs from its host twin in dispatch %d of %d of recording %s, submission %d%s: %s",
		d.Kernel, d.Stage, d.Dispatch, d.Of, d.Recording, d.Submission, step, strings.ReplaceAll(d.Err.Error(), "\n", "; "))
}

// Unwrap returns what the comparison said.
func (d *Difference) Unwrap() error { return d.Err }

// checkPart is one dispatch that both sides run.
type checkPart struct {
	device, host kernel.Program
	dispatch     *kernel.Dispatch
	shadows      []*shadow // by binding
	args         *shadow   // nil for a direct dispatch
	at           Difference
}

func (b *Backend) checkPart(sub, whole *kernel.Recording, index int) (*checkPart, error) {
	d := &whole.Dispatches[index]
	p := &checkPart{dispatch: d}
	p.at = Difference{Kernel: d.Kernel.Name, Stage: d.Stage, Recording: whole.Name, Dispatch: index + 1, Of: len(whole.Dispatches)}
	var err error
	if p.shadows, err = b.shadowsOf(d.Buffers); err != nil {
		return nil, err
	}
	if d.Indirect != nil {
		if p.args, err = b.shadowOf(d.Indirect); err != nil {
			return nil, err
		}
	}
	if p.host, err = b.host.Compile(b.reflected(sub)); err != nil {
		return nil, err
	}
	p.device, err = b.device.Compile(sub)
	return p, err
}

// run gives both sides the device's words, whatever the host holds already: a
// check must not believe that a buffer has not changed.
func (p *checkPart) run(b *Backend) error {
	groups, err := p.groups(b)
	if err != nil {
		return err
	}
	before, err := p.collect(b.hand)
	if err != nil {
		return err
	}
	p.outdate()
	if err := runHost(b.host, p.host); err != nil {
		return err
	}
	if err := b.device.Submit(p.device, 1); err != nil {
		return err
	}
	want, err := p.collect(func(s *shadow) ([]uint32, error) { return b.words(b.host, s.on) })
	if err != nil {
		return err
	}
	got, err := p.collect(func(s *shadow) ([]uint32, error) { return b.words(b.device, s.of) })
	if err != nil {
		return err
	}
	if err := b.opts.Compare(p.dispatch, groups, before, want, got); err != nil {
		return p.difference(b, want, err)
	}
	return nil
}

// groups fetches the arguments and returns the number of workgroups.
func (p *checkPart) groups(b *Backend) (int, error) {
	if p.args == nil {
		return p.dispatch.Groups, nil
	}
	words, err := b.hand(p.args)
	if err != nil {
		return 0, err
	}
	at := words[3*p.dispatch.Entry:]
	return int(at[0]) * int(at[1]) * int(at[2]), nil
}

// hand brings the host a buffer of the device and returns its words.
func (b *Backend) hand(s *shadow) ([]uint32, error) {
	s.stale = true
	if err := b.fetch(s); err != nil {
		return nil, err
	}
	return b.words(b.host, s.on)
}

// collect reads the words of every binding.
func (p *checkPart) collect(read func(*shadow) ([]uint32, error)) (map[string][]uint32, error) {
	out := map[string][]uint32{}
	for i, s := range p.shadows {
		words, err := read(s)
		if err != nil {
			return nil, err
		}
		out[p.dispatch.Kernel.Bindings[i].Name] = words
	}
	return out, nil
}

// outdate notes that of the shadows, which have just been filled, those that are
// written will hold the host's result, not the device's.
func (p *checkPart) outdate() {
	for i, s := range p.shadows {
		s.stale = p.dispatch.Kernel.Bindings[i].Access.Writes()
	}
}

// difference adds to what the comparison said where that was.
func (p *checkPart) difference(b *Backend, want map[string][]uint32, err error) error {
	d := p.at
	d.Submission, d.Err = b.runs[d.Recording], err
	if words, ok := want["step"]; ok {
		d.Step = stepOf(words)
	}
	return &d
}

// stepOf reads a step record; nil where the words are none.
func stepOf(words []uint32) *kernel.Step {
	var data bytes.Buffer
	var step kernel.Step
	if binary.Write(&data, binary.LittleEndian, words) != nil || binary.Read(&data, binary.LittleEndian, &step) != nil {
		return nil
	}
	return &step
}
