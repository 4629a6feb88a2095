package hostprof

import (
	"slices"
	"time"

	"splat/internal/kernel"
)

// Kind is what the host spent on one kind of work, without what was done inside it.
type Kind struct {
	Name       string  `json:"name"`
	SetUpMS    float64 `json:"set_up_ms"`
	TrainingMS float64 `json:"training_ms"`
	ElseMS     float64 `json:"else_ms"` // evaluation, saving, and between
	Calls      int64   `json:"calls"`   // in training
}

// Wait is the waits of one caller for one thing, in training.
type Wait struct {
	Why    string  `json:"why"`
	Caller string  `json:"caller"`
	Calls  int64   `json:"calls"`
	WallMS float64 `json:"wall_ms"`
	// BlockedMS is the part in which the thread was asleep, null where the system does
	// not tell; the rest it spent on the processor, looking whether the wait was over.
	BlockedMS *float64 `json:"blocked_ms"`
}

// Submissions is how often something was handed to the device in training.
type Submissions struct {
	Name  string `json:"name"`
	Calls int64  `json:"calls"`
}

// Summary is the host's side of a run.
type Summary struct {
	Steps           int     `json:"steps"` // of this session
	TrainingSeconds float64 `json:"training_seconds"`
	UserSeconds     float64 `json:"user_seconds"` // of all threads, in training
	SystemSeconds   float64 `json:"system_seconds"`
	// WaitSeconds is the time in which the loop waited; BlockedSeconds the part of it
	// in which its thread was asleep, null where the system does not tell.
	WaitSeconds    float64       `json:"wait_seconds"`
	BlockedSeconds *float64      `json:"blocked_seconds"`
	Preempted      int64         `json:"preempted"`
	Kinds          []Kind        `json:"kinds"`
	Waits          []Wait        `json:"waits"`
	Submissions    []Submissions `json:"submissions"`
	Decoded        int64         `json:"decoded"`        // pictures, in all
	DecodeSeconds  float64       `json:"decode_seconds"` // of the goroutines that did it, beside the loop
	Device         *Device       `json:"device,omitempty"`
	Limit          string        `json:"limit"` // which side is the limit: "device", "host", "turns", "loader", "processor", "unknown"
	Why            []string      `json:"why"`   // how that is known
}

// Summary adds up what was heard so far. steps is how many this session ran; backend is
// the word for it.
func (r *Recorder) Summary(steps int, backend string) Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	used := r.used[training]
	s := Summary{
		Steps: steps, TrainingSeconds: r.walls[training].Seconds(),
		UserSeconds: used.User.Seconds(), SystemSeconds: used.System.Seconds(), Preempted: used.Preempted,
		Decoded: r.decoded.calls, DecodeSeconds: r.decoded.took.Seconds(), Kinds: r.kinds(), Device: r.device.summary(r.walls[training]),
	}
	for _, n := range r.submits {
		s.Submissions = append(s.Submissions, Submissions{n.name, n.calls})
	}
	s.addWaits(r.waits.rows)
	s.judge(backend)
	return s
}

func (r *Recorder) kinds() (list []Kind) {
	for w := range kernel.NumHostWork {
		k := Kind{Name: w.String(), Calls: r.amounts[training][w].calls}
		for p := range numPhases {
			switch ms := milliseconds(r.amounts[p][w].took); p {
			case setUp:
				k.SetUpMS += ms
			case training:
				k.TrainingMS += ms
			default:
				k.ElseMS += ms
			}
		}
		if k != (Kind{Name: k.Name}) {
			list = append(list, k)
		}
	}
	return list
}

// addWaits lists the waits in training, the longest first.
func (s *Summary) addWaits(rows []*wait) {
	var blocked, known time.Duration
	for _, row := range rows {
		if row.phase != training {
			continue
		}
		w := Wait{Why: row.why, Caller: row.caller, Calls: row.calls, WallMS: milliseconds(row.wall)}
		s.WaitSeconds += row.wall.Seconds()
		if row.knows {
			ms := milliseconds(row.wall - row.cpu)
			w.BlockedMS = &ms
			blocked, known = blocked+row.wall-row.cpu, known+row.wall
		}
		s.Waits = append(s.Waits, w)
	}
	if known > 0 || len(s.Waits) == 0 {
		sec := blocked.Seconds()
		s.BlockedSeconds = &sec
	}
	slices.SortStableFunc(s.Waits, func(a, b Wait) int {
		switch {
		case a.WallMS > b.WallMS:
			return -1
		case a.WallMS < b.WallMS:
			return 1
		}
		return 0
	})
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// waitShare is the part of training in which the loop waited for one of the reasons.
func (s *Summary) waitShare(reasons ...string) float64 {
	sum := 0.0
	for _, w := range s.Waits {
		if slices.Contains(reasons, w.Why) {
			sum += w.WallMS
		}
	}
	return s.share(sum)
}

// share is the part of training that so many milliseconds are.
func (s *Summary) share(ms float64) float64 {
	if s.TrainingSeconds <= 0 {
		return 0
	}
	return ms / 1000 / s.TrainingSeconds
}

// kind returns what was spent on a kind of work in training, in milliseconds.
func (s *Summary) kind(w kernel.HostWork) float64 {
	for _, k := range s.Kinds {
		if k.Name == w.String() {
			return k.TrainingMS
		}
	}
	return 0
}
