package hostprof

import (
	"fmt"
	"slices"

	"splat/internal/kernel"
)

// Which side is the limit.
const (
	LimitDevice    = "device"
	LimitHost      = "host"
	LimitTurns     = "turns"     // device and host wait for each other in turn
	LimitLoader    = "loader"    // pictures are not decoded in time
	LimitProcessor = "processor" // the CPU backend: both sides are one
	LimitUnknown   = "unknown"
)

// What decides.
const (
	saturated = 0.9 // share of training: the device has hardly a pause
	noticed   = 0.1 // share of training that something must take to be named
	starved   = 0.3 // share of training waited for pictures
)

// Reasons to wait, as backends and the loop name them.
const (
	waitFlight  = kernel.WaitInFlight
	waitPicture = kernel.WaitPicture
)

// judge says which side is the limit, and how that is known.
func (s *Summary) judge(backend string) {
	s.Limit, s.Why = LimitUnknown, nil
	switch {
	case s.TrainingSeconds <= 0:
		s.why("nothing was trained")
		return
	case backend == "cpu":
		s.judgeProcessor()
	case s.waitShare(waitPicture) > starved:
		s.Limit = LimitLoader
		s.why("the loop waited for pictures to be decoded in %.0f %% of the training time", 100*s.waitShare(waitPicture))
	case s.Device != nil && s.Device.BusyShare != nil:
		s.judgeBusy(*s.Device.BusyShare)
	default:
		s.judgeWaits()
	}
	s.explainWaits()
}

func (s *Summary) why(format string, args ...any) {
	s.Why = append(s.Why, fmt.Sprintf(format, args...))
}

// judgeProcessor is for a device that is this processor: it computes while the loop is
// in submit.
func (s *Summary) judgeProcessor() {
	s.Limit = LimitProcessor
	s.why("the device is this machine's processor: kernels ran in %.0f %% of the training time, on %.1f processors on average",
		100*s.share(s.kind(kernel.HostSubmit)), (s.UserSeconds+s.SystemSeconds)/s.TrainingSeconds)
}

// judgeBusy decides by the device's own clock.
func (s *Summary) judgeBusy(busy float64) {
	waited := s.share(1000 * s.WaitSeconds)
	s.why("by its own timestamps the device was busy in %.1f %% of the training time", 100*busy)
	switch {
	case busy >= saturated:
		s.Limit = LimitDevice
		s.why("so only faster kernels, or fewer, make training faster")
	case waited < 1-saturated:
		s.Limit = LimitHost
		s.why("it was idle otherwise while the loop hardly waited (%.1f %%): the host does not hand over work fast enough", 100*waited)
	default:
		s.Limit = LimitTurns
		s.why("it was idle otherwise, and the loop waited in %.1f %%: device and host took turns, each waiting for the other", 100*waited)
	}
}

// judgeWaits decides where the device does not tell its times: while enough is in
// flight, the device has something to do.
func (s *Summary) judgeWaits() {
	held, waited := s.waitShare(waitFlight), s.share(1000*s.WaitSeconds)
	switch {
	case s.countOf(waitFlight) == 0 && waited < noticed:
		s.Limit = LimitHost
		s.why("the loop never found enough work in flight, and waited in only %.1f %% of the training time", 100*waited)
	case held >= 0.5:
		s.Limit = LimitDevice
		s.why("in %.0f %% of the training time the loop was held back since enough work was in flight: the device always had the next submission", 100*held)
	case waited >= saturated:
		s.Limit = LimitDevice
		s.why("the loop did nothing but wait for the device in %.0f %% of the training time", 100*waited)
	default:
		s.Limit = LimitTurns
		s.why("the loop waited in %.0f %% of the training time, in %.0f %% since enough was in flight: at the other waits the device ran dry", 100*waited, 100*held)
	}
	s.why("this device does not tell when it was busy; the waits of the loop are all that is known")
}

// countOf is how often the loop waited for a reason.
func (s *Summary) countOf(reason string) (n int64) {
	for _, w := range s.Waits {
		if w.Why == reason {
			n += w.Calls
		}
	}
	return n
}

// explainWaits says what waiting is not: work.
func (s *Summary) explainWaits() {
	if s.WaitSeconds == 0 || s.BlockedSeconds == nil {
		return
	}
	spun := s.WaitSeconds - *s.BlockedSeconds
	s.why("of %.3f s of waiting the thread slept %.3f s and spent %.3f s on the processor, looking whether it was over", s.WaitSeconds, *s.BlockedSeconds, spun)
	if i := slices.IndexFunc(s.Waits, func(w Wait) bool { return w.Why != waitFlight && s.share(w.WallMS) > noticed }); i >= 0 {
		w := s.Waits[i]
		s.why("the longest other wait is %q in %s: %.1f ms in %d calls", w.Why, w.Caller, w.WallMS, w.Calls)
	}
}
