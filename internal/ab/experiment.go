package ab

import "context"

// Experiment runs a plan.
type Experiment struct {
	Plan Plan
	Done []Sample // of earlier sessions; pairs that are whole are not made again
	// Run makes one run.
	Run func(ctx context.Context, j Job) (Sample, error)
	// Keep stores a sample as soon as it is there; nil: nobody does.
	Keep func(Sample) error
	// Starting is told each job before it runs, with the number of those that are done
	// and of all of this session; nil: nobody.
	Starting func(j Job, done, all int)
}

// Samples returns what an experiment has to go on with: whole pairs.
func (e *Experiment) Samples() []Sample { return wholePairs(e.Done) }

// Whole reports whether no run is left.
func (e *Experiment) Whole() bool { return len(e.Plan.left(e.Done)) == 0 }

// Execute makes the runs that are left. Done grows with them. It stops at the first
// error, and as soon as splats differ that must not: nothing is measured then.
func (e *Experiment) Execute(ctx context.Context) error {
	jobs := e.Plan.left(e.Done)
	e.Done = wholePairs(e.Done)
	for i, j := range jobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Starting != nil {
			e.Starting(j, i, len(jobs))
		}
		s, err := e.Run(ctx, j)
		if err != nil {
			return err
		}
		s.Job = j
		e.Done = append(e.Done, s)
		if e.Keep != nil {
			if err := e.Keep(s); err != nil {
				return err
			}
		}
		if err := e.Plan.CheckBytes(e.Done); err != nil {
			return err
		}
	}
	return nil
}
