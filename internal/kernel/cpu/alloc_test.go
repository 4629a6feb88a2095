package cpu_test

import (
	"testing"

	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

// A step allocates nothing, once the workgroups' shared memory has grown.
func TestStepsDoNotAllocate(t *testing.T) {
	for name, o := range map[string]cpu.Options{
		"fast":      {Threads: 2},
		"reference": {Threads: 2, Reference: true},
		"profiled":  {Threads: 1, Profile: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := kerneltest.NewScene(5, 500, 64, 48, 3)
			pl := s.Load(t, kerneltest.NewCPU(t, o), nil)
			submit := func() {
				if err := pl.Backend.Submit(pl.StepProgram, 4); err != nil {
					t.Fatal(err)
				}
			}
			submit()
			if n := testing.AllocsPerRun(5, submit); n != 0 {
				t.Errorf("four steps allocated %v times", n)
			}
			if c := kerneltest.Control(t, pl); c.Step < 20 {
				t.Fatalf("only %d steps ran", c.Step)
			}
		})
	}
}
