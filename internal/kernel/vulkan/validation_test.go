package vulkan

import (
	"os"
	"path/filepath"
	"testing"

	"splat/internal/kernel"
)

// openValidated opens the first usable device under the validation layer, which is told
// to repeat itself. It skips where layer or device are missing, unless the environment
// says that they must be there.
func openValidated(t *testing.T, o Options) (*Backend, *Machine) {
	t.Helper()
	settings := "khronos_validation.enable_message_limit = false\n"
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "vk_layer_settings.txt"), []byte(settings), 0o600))
	t.Chdir(dir) // where the layer looks for its settings
	m, err := Probe(true)
	if err == nil {
		t.Cleanup(m.Close)
		for i, d := range m.Devices() {
			if d.Unusable != "" {
				continue
			}
			b, err := m.Open(i, o)
			must(t, err)
			t.Cleanup(b.Close)
			return b, m
		}
		err = ErrNoDevice
	}
	if os.Getenv("SPLAT_REQUIRE_VULKAN") == "" {
		t.Skipf("no Vulkan device with validation (set SPLAT_REQUIRE_VULKAN=1 to fail instead): %v", err)
	}
	t.Fatal(err)
	return nil, nil
}

// Validation, of synchronization too, has nothing to say about trainings of both
// strategies that overflow, grow, and go on with larger pictures.
func TestValidationIsSilent(t *testing.T) {
	for strategy, name := range []string{kernel.StrategyMCMC: "mcmc", kernel.StrategyADC: "adc"} {
		t.Run(name, func(t *testing.T) {
			checkpoints := strategy == kernel.StrategyADC // one with, one without
			b, m := openValidated(t, Options{})
			s := playScene(strategy, 40, 30)
			s.Plan.Pairs, s.Plan.Checkpoints = 64, checkpoints
			pl := load(t, b, s)
			if n := play(t, pl, 200); n < 2 {
				t.Errorf("%d overflows, expected two or more", n)
			}
			must(t, b.Submit(pl.RenderProgram, 1))
			must(t, b.Submit(pl.MeasureProgram, 1))
			must(t, b.Wait())
			pl.Free()
			larger := playScene(strategy, 90, 50)
			larger.Plan.Checkpoints = checkpoints
			play(t, load(t, b, larger), 100)
			b.Close()
			for _, msg := range m.instance.Messages() {
				t.Errorf("validation: %s", msg)
			}
		})
	}
}

// Each barrier of a step and of the refines that validation can see is needed: left out,
// validation reports it.
func TestValidationReportsMissingBarriers(t *testing.T) {
	b, _ := openValidated(t, Options{})
	for strategy := range refiners {
		s := playScene(strategy, 40, 30)
		s.Plan.Checkpoints = true
		pl := load(t, b, s)
		must(t, b.Wait())
		for _, p := range []kernel.Program{pl.StepProgram, pl.RefineProgram} {
			dropEach(t, b, p.Recording())
		}
		pl.Free()
	}
}

// dropEach records a recording once for each of its barriers, without it.
func dropEach(t *testing.T, b *Backend, r *kernel.Recording) {
	t.Helper()
	dropped, last := 0, 0
	for i, needed := range r.Barriers() {
		if !needed || i == 0 {
			continue
		}
		from := last
		last = i
		if !visible(r.Dispatches[from:i], &r.Dispatches[i]) {
			continue
		}
		dropped++
		b.opts.DropBarrier = i
		_, err := b.Compile(r)
		must(t, err)
		if b.complaints() == nil {
			t.Errorf("recording %s: nothing is said of a missing barrier before dispatch %d, kernel %s", r.Name, i, r.Dispatches[i].Kernel.Name)
		}
	}
	b.opts.DropBarrier = 0
	if dropped < 10 {
		t.Errorf("recording %s: %d barriers were left out, expected more", r.Name, dropped)
	}
	_, err := b.Compile(r)
	must(t, err)
	if err := b.complaints(); err != nil {
		t.Errorf("recording %s with all barriers: %v", r.Name, err)
	}
}

// visible reports whether the validation layer can see that d must wait for the
// dispatches before it: version 1.3.239 takes a binding that is read and written for
// one that is read, so one of the two accesses must be of a binding that is only written.
func visible(before []kernel.Dispatch, d *kernel.Dispatch) bool {
	for i := range before {
		if collide(accesses(&before[i]), accesses(d)) {
			return true
		}
	}
	return false
}

// collide reports whether an only written buffer of one is any buffer of the other.
func collide(a, b map[*kernel.Buffer]kernel.Access) bool {
	for buf, access := range a {
		if other := b[buf]; other != 0 && (access == kernel.Write || other == kernel.Write) {
			return true
		}
	}
	return false
}

// accesses lists what a dispatch does with its buffers.
func accesses(d *kernel.Dispatch) map[*kernel.Buffer]kernel.Access {
	out := map[*kernel.Buffer]kernel.Access{}
	if d.Indirect != nil {
		out[d.Indirect] = kernel.Read
	}
	for i, b := range d.Buffers {
		out[b] = d.Kernel.Bindings[i].Access
	}
	return out
}
