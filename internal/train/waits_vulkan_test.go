package train

import (
	"os"
	"testing"

	"splat/internal/kernel/vulkan"
)

// vulkanSession opens a training on the first Vulkan device, or skips where there is
// none, unless the environment says that there must be one.
func vulkanSession(t *testing.T, profile bool) (*session, *vulkan.Backend) {
	t.Helper()
	c := smallConfig("mcmc", 400)
	c.Backend.Profile = profile
	c.Backend.Device, c.Eval.Skip = "vulkan", true
	s, err := newSession(t.Context(), Options{Config: c, Capture: smallCapture(t), Observer: &recorder{}})
	if err != nil {
		if os.Getenv("SPLAT_REQUIRE_VULKAN") == "" {
			t.Skipf("no Vulkan device (set SPLAT_REQUIRE_VULKAN=1 to fail instead): %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	be, ok := s.pl.Backend.(*vulkan.Backend)
	if !ok {
		t.Fatalf("the backend is %T", s.pl.Backend)
	}
	return s, be
}

// Between setting the limit and the drain the loop waits only where enough is in
// flight, reads and maps nothing, and submits many steps at a time.
func TestNoWaitingBetweenLimits(t *testing.T) { neverWaits(t, false, 30, 150) }

// Measuring is no reason to wait either, nor to submit more often.
func TestNoWaitingForMeasurements(t *testing.T) {
	s := neverWaits(t, true, 30, 90)
	s.measured()
	if s.profile.Steps() == 0 || s.profile.Error() > 0.03 {
		t.Errorf("%d steps measured, sums off by %g", s.profile.Steps(), s.profile.Error())
	}
}

func neverWaits(t *testing.T, profile bool, limits ...int) *session {
	t.Helper()
	s, be := vulkanSession(t, profile)
	c, err := s.control()
	if err != nil {
		t.Fatal(err)
	}
	for _, until := range limits { // the first for whatever has to grow
		for int(c.Step) < until {
			c.Limit = uint32(until)
			if err := s.setControl(c); err != nil {
				t.Fatal(err)
			}
			before, throttled, from := be.Counters(), be.Throttled(), int(c.Step)
			if err := s.fly(t.Context(), c, until); err != nil {
				t.Fatal(err)
			}
			after := be.Counters()
			if n := be.Throttled() - throttled; after.Waits-before.Waits != n {
				t.Errorf("from step %d: %d waits, %d of them because enough is in flight", from, after.Waits-before.Waits, n)
			}
			if most := int64(until-from)/4 + 5; s.pace.perStep < batchTime/8 && from >= 30 && after.Submits-before.Submits > most {
				t.Errorf("%d submissions for %d steps of %v, expected at most %d", after.Submits-before.Submits, until-from, s.pace.perStep, most)
			}
			if after.IdleWaits != before.IdleWaits || after.Maps != before.Maps || after.Reads != before.Reads || after.Allocations != before.Allocations {
				t.Errorf("from step %d: counters were %+v, are %+v", from, before, after)
			}
			if err := be.Wait(); err != nil {
				t.Fatal(err)
			}
			if c, err = s.control(); err != nil {
				t.Fatal(err)
			}
			if c.Overflow != 0 {
				if err := s.roomFor(&c); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return s
}
