package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/kernel"
)

// broken is a device one of whose kernels also changes the first word of a binding.
type broken struct {
	kernel.Backend
	kernel, binding string
}

func (b broken) Submit(p kernel.Program, times int) error {
	if err := b.Backend.Submit(p, times); err != nil {
		return err
	}
	for _, d := range p.Recording().Dispatches {
		if d.Kernel.Name != b.kernel {
			continue
		}
		buf := d.Buffers[d.Kernel.Index(b.binding)]
		var w [4]byte
		if err := b.ReadBytes(buf, 0, w[:]); err != nil {
			return err
		}
		w[0] ^= 1
		if err := b.WriteBytes(buf, 0, w[:]); err != nil {
			return err
		}
	}
	return nil
}

// theCPU is the device that is there always; wrap changes it, by its threads.
func theCPU(wrap func(be kernel.Backend, threads int) (kernel.Backend, error)) device {
	cpu := deviceOf("cpu")
	return device{"odd", true, func(threads int) (kernel.Backend, error) {
		be, err := cpu.open(threads)
		if err != nil {
			return nil, err
		}
		return wrap(be, threads)
	}}
}

// test runs the self-test on a device and returns what it prints.
func test(d device) (deviceTest, string) {
	var out bytes.Buffer
	a := newApp(nil, &out, &out)
	t := a.testDevice(d, 1)
	a.printDeviceTest(&t)
	return t, out.String()
}

func TestSelfTestBlamesTheKernel(t *testing.T) {
	got, text := test(theCPU(func(be kernel.Backend, _ int) (kernel.Backend, error) {
		return broken{be, "ranges", "ranges"}, nil
	}))
	result := selfTest{Devices: []deviceTest{got}}
	err := result.failure()
	if got.OK || fault.ExitCode(err) != 1 || !strings.Contains(err.Error(), "self-test failed on odd: 1 of ") || !strings.Contains(err.Error(), "(ranges)") {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{"FAILED\n    in steps, ranges: ranges: 1 of ", "differ, the first at ", ": 1, want 0", "begin  "} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "FAILED"); n != 1 {
		t.Errorf("%d failures in:\n%s", n, text)
	}
}

func TestSelfTestSeesDifferentBytes(t *testing.T) {
	got, text := test(theCPU(func(be kernel.Backend, threads int) (kernel.Backend, error) {
		if threads == 2 { // the suite runs on 1
			return broken{be, "update", "sh"}, nil
		}
		return be, nil
	}))
	err := (&selfTest{Devices: []deviceTest{got}}).failure()
	if got.OK || got.SameBytes.OK || err == nil || !strings.Contains(err.Error(), "two trainings with one seed differ") {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(text, "a training on 1 thread and on 2 gives the same bytes") || !strings.Contains(text, "    different: ") {
		t.Errorf("printed:\n%s", text)
	}
}

func TestSelfTestOfDeviceThatDoesNotOpen(t *testing.T) {
	got, text := test(theCPU(func(be kernel.Backend, _ int) (kernel.Backend, error) {
		be.Close()
		return nil, errors.New("device lost")
	}))
	err := (&selfTest{Devices: []deviceTest{got}}).failure()
	if got.OK || err == nil || !strings.Contains(err.Error(), "device lost") || !strings.Contains(text, "device lost") {
		t.Errorf("error %v, printed:\n%s", err, text)
	}
}

func TestSelfTestOfThisMachine(t *testing.T) {
	cfg := config.Default(config.DefaultStrategy)
	cfg.Backend.Device = "cpu"
	list, err := devices(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	result := newApp(nil, &out, &out).runSelfTest(list, cfg)
	if err := result.failure(); err != nil || !result.OK || len(result.Devices) != 1 {
		t.Errorf("error %v, printed:\n%s", err, out.String())
	}
	for _, k := range result.Devices[0].Kernels {
		if k.Dispatches == 0 || k.Error > k.Tolerance {
			t.Errorf("%+v", k)
		}
	}
}
