package hostprof

import (
	"fmt"
	"strings"
)

// Text is the summary for people.
func (s *Summary) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the host's side: %d steps in %.3f s of training\n", s.Steps, s.TrainingSeconds)
	s.kindsText(&b)
	s.waitsText(&b)
	s.processorText(&b)
	s.submissionsText(&b)
	if s.Decoded > 0 {
		fmt.Fprintf(&b, "  decoded: %d pictures in %.3f s of the goroutines that do it\n", s.Decoded, s.DecodeSeconds)
	}
	if s.Device != nil {
		s.Device.text(&b)
	}
	fmt.Fprintf(&b, "limit: %s\n", limitWords[s.Limit])
	for _, w := range s.Why {
		b.WriteString("  " + w + "\n")
	}
	return b.String()
}

var limitWords = map[string]string{
	LimitDevice: "the device", LimitHost: "the host", LimitTurns: "neither: device and host wait for each other in turn",
	LimitLoader: "the decoding of pictures", LimitProcessor: "the processor, which is the device", LimitUnknown: "unknown",
}

func (s *Summary) kindsText(b *strings.Builder) {
	fmt.Fprintf(b, "  %-10s %12s %12s %12s %9s %10s %7s\n", "work", "set up ms", "training ms", "else ms", "calls", "us/step", "share")
	for _, k := range s.Kinds {
		fmt.Fprintf(b, "  %-10s %12.2f %12.2f %12.2f %9d %10.2f %6.1f%%\n", k.Name, k.SetUpMS, k.TrainingMS, k.ElseMS, k.Calls,
			1000*k.TrainingMS/float64(max(s.Steps, 1)), 100*s.share(k.TrainingMS))
	}
}

func (s *Summary) waitsText(b *strings.Builder) {
	for _, w := range s.Waits {
		blocked := "unknown"
		if w.BlockedMS != nil {
			blocked = fmt.Sprintf("%.2f ms", *w.BlockedMS)
		}
		fmt.Fprintf(b, "  wait: %s, by %s: %.2f ms in %d calls, blocked %s\n", w.Why, w.Caller, w.WallMS, w.Calls, blocked)
	}
}

func (s *Summary) processorText(b *strings.Builder) {
	blocked := "blocked time unknown here"
	if s.BlockedSeconds != nil {
		blocked = fmt.Sprintf("%.3f s blocked in waits of the loop", *s.BlockedSeconds)
	}
	fmt.Fprintf(b, "  processor, all threads: %.3f s user, %.3f s system; %s\n", s.UserSeconds, s.SystemSeconds, blocked)
}

func (s *Summary) submissionsText(b *strings.Builder) {
	var total int64
	var parts []string
	for _, n := range s.Submissions {
		total += n.Calls
		parts = append(parts, fmt.Sprintf("%d %s", n.Calls, n.Name))
	}
	if total > 0 {
		fmt.Fprintf(b, "  submissions: %d, %.3f a step (%s)\n", total, float64(total)/float64(max(s.Steps, 1)), strings.Join(parts, ", "))
	}
}
