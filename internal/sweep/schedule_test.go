package sweep

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

func jobs(n int) (list []Job) {
	for i := range n {
		list = append(list, Job{Name: fmt.Sprint(i), Case: i})
	}
	return list
}

// Each device has one job at a time, all of them work, and every job runs once.
func TestEachDeviceRunsOneAtATime(t *testing.T) {
	var mu sync.Mutex
	busy, most, ran := map[string]int{}, 0, map[string]int{}
	both := make(chan struct{}, 2)
	outcomes := Schedule(t.Context(), jobs(9), []string{"a", "b"}, func(_ context.Context, j Job, device string) Outcome {
		mu.Lock()
		busy[device]++
		if busy[device] > 1 {
			t.Errorf("device %s has two jobs", device)
		}
		most = max(most, busy["a"]+busy["b"])
		ran[j.Name]++
		early := len(ran) <= 2
		mu.Unlock()
		if early { // the first two wait for each other
			both <- struct{}{}
			for len(both) < 2 {
				time.Sleep(time.Millisecond)
			}
		}
		mu.Lock()
		busy[device]--
		mu.Unlock()
		return Outcome{}
	})
	if most != 2 || len(outcomes) != 9 || len(ran) != 9 {
		t.Errorf("%d at a time, %d outcomes, %v", most, len(outcomes), ran)
	}
	for name, n := range ran {
		if n != 1 || outcomes[name].Device == "" {
			t.Errorf("job %s ran %d times, outcome %+v", name, n, outcomes[name])
		}
	}
}

// A job whose device is lost goes to another device; without one it fails.
func TestLostDevices(t *testing.T) {
	lostB := func(_ context.Context, j Job, device string) Outcome {
		if device == "b" {
			return Outcome{Code: 4, Reason: "lost"}
		}
		time.Sleep(2 * time.Millisecond)
		return Outcome{}
	}
	outcomes := Schedule(t.Context(), jobs(5), []string{"a", "b"}, lostB)
	for name, out := range outcomes {
		if out.Code != 0 || out.Device != "a" {
			t.Errorf("job %s: %+v", name, out)
		}
	}
	if len(outcomes) != 5 {
		t.Errorf("%d outcomes", len(outcomes))
	}
	outcomes = Schedule(t.Context(), jobs(5), []string{"b"}, lostB)
	if len(outcomes) != 1 || outcomes["0"].Code != 4 {
		t.Errorf("without a device: %v", outcomes)
	}
}

// Failures do not keep other jobs from running; an interrupt does.
func TestFailuresAndInterrupts(t *testing.T) {
	var ran []string
	code := 1
	run := func(_ context.Context, j Job, _ string) Outcome {
		ran = append(ran, j.Name)
		if j.Name == "1" {
			return Outcome{Code: code}
		}
		return Outcome{}
	}
	if outcomes := Schedule(t.Context(), jobs(4), []string{"a"}, run); len(ran) != 4 || outcomes["1"].Code != 1 {
		t.Errorf("after a failure: ran %v, %v", ran, outcomes)
	}
	ran, code = nil, 130
	if outcomes := Schedule(t.Context(), jobs(4), []string{"a"}, run); !slices.Equal(ran, []string{"0", "1"}) || len(outcomes) != 2 {
		t.Errorf("after an interrupt: ran %v, %v", ran, outcomes)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if outcomes := Schedule(ctx, jobs(4), []string{"a", "b"}, run); len(outcomes) != 0 {
		t.Errorf("interrupted before it began: %v", outcomes)
	}
}
