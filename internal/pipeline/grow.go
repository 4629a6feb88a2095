package pipeline

import "splat/internal/kernel"

// GrowPairs gives the pair buffers room for n pairs. Nothing may be in flight.
// The buffers hold nothing between steps, so nothing is copied. After an error
// the pipeline cannot run any more, but its persistent buffers can be read.
func (pl *Pipeline) GrowPairs(n int) error {
	next, plan := *pl.Buffers, pl.Plan
	plan.Pairs = n
	next.makePairs(plan)
	return pl.replace(&next, plan)
}

// SaveStates says whether the backward pass is to start from saved states, from the next
// GrowPairs on.
func (pl *Pipeline) SaveStates(on bool) { pl.Plan.Checkpoints = on }

// GrowSplats gives the splat buffers room for n splats and keeps what they hold.
// Errors are as in GrowPairs.
func (pl *Pipeline) GrowSplats(n int) error {
	next, plan := *pl.Buffers, pl.Plan
	plan.Splats = n
	next.makeSplats(plan)
	return pl.replace(&next, plan)
}

// replace moves to next buffer by buffer, so that at most one array exists twice.
func (pl *Pipeline) replace(next *Buffers, plan Plan) error {
	pl.Plan = plan
	old, fresh := pl.slots(), next.slots()
	for i := range fresh {
		if *fresh[i] == *old[i] {
			continue
		}
		if err := pl.swap(*old[i], *fresh[i]); err != nil {
			return err
		}
		*old[i] = *fresh[i]
	}
	return pl.compile()
}

// swap gives fresh the storage and, where it persists, the contents of old. Either may
// be nil.
func (pl *Pipeline) swap(old, fresh *kernel.Buffer) error {
	if old == nil {
		return pl.alloc(fresh)
	}
	if !old.Persistent || fresh == nil {
		pl.Backend.Free(old) // worth nothing: make room first
		if fresh == nil {
			return nil
		}
		return pl.alloc(fresh)
	}
	if err := pl.alloc(fresh); err != nil {
		return err
	}
	if err := pl.Backend.Copy(fresh, old); err != nil {
		return err
	}
	pl.Backend.Free(old)
	return nil
}
