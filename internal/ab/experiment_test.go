package ab

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func roles(jobs []Job, phase Phase) (s []string) {
	for _, j := range jobs {
		if j.Phase == phase {
			s = append(s, j.Role)
		}
	}
	return s
}

func TestPairsAreInterleaved(t *testing.T) {
	p := planOf(Separate)
	p.Pairs, p.Floor = 3, 2
	jobs := p.Jobs()
	for phase, want := range map[Phase]string{
		WarmUp: "A,B", Floor: "A,A again,A again,A", Compare: "A,B,B,A,A,B",
		KernelWarmUp: "A,B", KernelFloor: "A,A again,A again,A", KernelCompare: "A,B,B,A,A,B",
	} {
		if got := strings.Join(roles(jobs, phase), ","); got != want {
			t.Errorf("%s: found %s, expected %s", phase, got, want)
		}
	}
	for i, j := range jobs {
		if j.Profile != (i >= len(jobs)/2) {
			t.Errorf("run %d (%s): profile %v", i, j, j.Profile)
		}
	}
	p.Kernels = Same
	if same := p.Jobs(); len(same) != len(jobs)/2 || !same[0].Profile {
		t.Errorf("same runs: %d, profile %v", len(same), same[0].Profile)
	}
}

// fake is an engine that counts, and breaks off where it is told to.
type fake struct {
	made  []Job
	until int // 0: does not break off
	sum   func(Job, int) string
}

var errBroken = errors.New("broken off")

func (f *fake) run(_ context.Context, j Job) (Sample, error) {
	if f.until > 0 && len(f.made) == f.until {
		return Sample{}, errBroken
	}
	f.made = append(f.made, j)
	s := Sample{Steps: 10, Seconds: 1, SHA256: "0123"}
	if f.sum != nil {
		s.SHA256 = f.sum(j, len(f.made))
	}
	return s, nil
}

func TestABrokenExperimentGoesOn(t *testing.T) {
	p := planOf(Separate)
	p.Pairs, p.Floor = 4, 3
	all := len(p.Jobs())
	for until := 1; until < all; until++ {
		first := &fake{until: until}
		e := Experiment{Plan: p, Run: first.run}
		if err := e.Execute(context.Background()); !errors.Is(err, errBroken) {
			t.Fatalf("found %v", err)
		}
		second := &fake{}
		on := Experiment{Plan: p, Done: e.Done, Run: second.run}
		if err := on.Execute(context.Background()); err != nil {
			t.Fatal(err)
		}
		if second.made[0].Pair != 0 || second.made[1].Pair != 0 || second.made[2].Pair == 0 {
			t.Fatalf("broken off after %d: goes on with %v, expected a warm-up of each first", until, second.made[:3])
		}
		whole := map[Job]int{}
		for _, s := range wholePairs(on.Done) {
			whole[s.Job]++
		}
		for _, j := range p.Jobs() {
			if j.Pair > 0 && whole[j] != 1 {
				t.Fatalf("broken off after %d: %s is there %d times", until, j, whole[j])
			}
		}
	}
}

func TestNothingIsLeftOfAWholeExperiment(t *testing.T) {
	f := &fake{}
	e := Experiment{Plan: planOf(Same), Run: f.run}
	if err := e.Execute(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !e.Whole() {
		t.Errorf("left: %v", e.Plan.left(e.Done))
	}
	e.Done = e.Done[:len(e.Done)-1]
	if e.Whole() {
		t.Error("a pair lacks a run, and nothing is said to be left")
	}
}

func TestBytesAreCompared(t *testing.T) {
	armSum := func(j Job, _ int) string { return map[int]string{0: "aaaa", 1: "bbbb"}[j.Arm()] }
	for _, c := range []struct {
		name           string
		equal, repeats bool
		sum            func(Job, int) string
		want           string
		made           int
	}{
		{"arms differ that must not", true, true, armSum, "k = a and b should give the same splats: found sha256 aaaa and bbbb", 2},
		{"arms may differ", false, true, armSum, "", 46},
		{"an arm differs from itself", false, true, func(_ Job, n int) string { return map[bool]string{true: "aaaa", false: "cccc"}[n < 7] }, "k = a gave two results: sha256 aaaa (warm-up, A) and cccc", 7},
		{"runs end at a time", false, false, func(_ Job, n int) string { return string(rune('a' + n)) }, "", 46},
	} {
		p := planOf(Same)
		p.Equal, p.Repeats = c.equal, c.repeats
		f := &fake{sum: c.sum}
		err := (&Experiment{Plan: p, Run: f.run}).Execute(context.Background())
		var different *DifferentBytes
		switch {
		case c.want == "" && err != nil, c.want != "" && (!errors.As(err, &different) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: found %v, expected %q", c.name, err, c.want)
		case len(f.made) != c.made:
			t.Errorf("%s: %d runs, expected %d", c.name, len(f.made), c.made)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f := &fake{}
	e := Experiment{Plan: planOf(None), Run: f.run, Keep: func(Sample) error {
		if len(f.made) == 5 {
			cancel()
		}
		return nil
	}}
	if err := e.Execute(ctx); !errors.Is(err, context.Canceled) || len(e.Done) != 5 {
		t.Errorf("found %v after %d runs", err, len(e.Done))
	}
	a := Analyse(e.Plan, e.Done)
	if a.Verdict != Undecided || a.Quantities[0].Floor.Pairs != 1 || a.Quantities[0].Difference.Pairs != 0 {
		t.Errorf("what there is: %+v", a.Quantities[0])
	}
	if diff := cmp.Diff("undecided", a.Words()); diff != "" {
		t.Error(diff)
	}
}
