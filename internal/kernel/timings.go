package kernel

import "time"

// Timings adds up what kernels took, by stage and kernel. The zero value is empty.
type Timings struct {
	rows  []Timing // in the order in which they came first
	index map[[2]string]int
}

// Add notes calls that took total together.
func (t *Timings) Add(stage, kernel string, calls int, total time.Duration) {
	key := [2]string{stage, kernel}
	i, known := t.index[key]
	if !known {
		if t.index == nil {
			t.index = map[[2]string]int{}
		}
		i = len(t.rows)
		t.index[key] = i
		t.rows = append(t.rows, Timing{Stage: stage, Kernel: kernel})
	}
	t.rows[i].Calls += calls
	t.rows[i].Total += total
}

// Take returns what was added since the last time.
func (t *Timings) Take() []Timing {
	rows := t.rows
	t.rows, t.index = nil, nil
	return rows
}
