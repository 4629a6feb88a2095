package ab

import "testing"

// The time of a step leaves out the beginning of a run, where that is known.
func TestStepTimeWithoutTheBeginning(t *testing.T) {
	for want, s := range map[float64]Sample{
		0.5: {Steps: 10, Seconds: 5},
		0.1: {Steps: 10, Seconds: 5, WarmSteps: 2, WarmSeconds: 4.2},
		0:   {},
	} {
		if got := s.StepSeconds(); got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%+v: found %g, expected %g", s, got, want)
		}
	}
}
