package backend

import (
	"errors"
	"os"
	"strings"
	"testing"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/kernel/vulkan"
)

func TestOpen(t *testing.T) {
	for device, want := range map[string]int{"cpu": 0, "gpu": 2, "vulkan:60000": 4} {
		be, err := Open(config.Backend{Device: device, Threads: 1})
		if fault.ExitCode(err) != want {
			t.Errorf("%s: exit code %d, want %d (%v)", device, fault.ExitCode(err), want, err)
		}
		if err == nil {
			if be.Name() != "cpu" || be.Device() == "" {
				t.Errorf("%s: opened %s, %s", device, be.Name(), be.Device())
			}
			be.Close()
		}
	}
}

// What is opened is what was chosen.
func TestOpenWhatWasChosen(t *testing.T) {
	for _, device := range []string{"auto", "vulkan"} {
		c := config.Backend{Device: device, Threads: 1}
		choice, err := Choose(c)
		if device == "vulkan" && err != nil {
			if os.Getenv("SPLAT_REQUIRE_VULKAN") == "1" || fault.ExitCode(err) != 4 || strings.Contains(err.Error(), "\n") {
				t.Errorf("exit code %d: %v", fault.ExitCode(err), err)
			}
			continue
		}
		be, err := Open(c)
		if err != nil {
			t.Errorf("%s: %v", device, err)
			continue
		}
		if be.Name() != choice.Kind {
			t.Errorf("%s: chose %s, opened %s", device, choice, be.Name())
		}
		be.Close()
	}
}

// list makes devices of kinds; a reason makes one unusable.
func list(devices ...vulkan.Info) []vulkan.Info { return devices }

func TestAutomatic(t *testing.T) {
	soft := vulkan.Info{Name: "soft", Kind: vulkan.Software}
	small := vulkan.Info{Name: "small", Kind: vulkan.Integrated}
	big := vulkan.Info{Name: "big", Kind: vulkan.Discrete}
	bad := vulkan.Info{Name: "bad", Kind: vulkan.Discrete, Unusable: "it is old"}
	for _, c := range []struct {
		devices []vulkan.Info
		err     error
		want    string
	}{
		{nil, errors.New("no loader"), "cpu; auto: no GPU: no loader"},
		{list(soft), nil, "cpu; auto: the only Vulkan device, soft, is software"},
		{list(bad), nil, "cpu; auto: no usable GPU: bad: it is old"},
		{list(soft, small, big, big), nil, "vulkan:2, big; auto: the best GPU"},
		{list(bad, soft, small), nil, "vulkan:2, small; auto: the best GPU"},
	} {
		if got := automatic(c.devices, c.err).String(); got != c.want {
			t.Errorf("%v: %q, want %q", c.devices, got, c.want)
		}
	}
	if best(list(bad, soft), true) != 1 || best(list(soft, small), true) != 1 || best(list(bad), true) != -1 {
		t.Error("the best device is not the best usable one")
	}
}

func TestInspect(t *testing.T) {
	facts, err := Inspect()
	devices, why := Devices()
	if (err == nil) != (why == nil) || len(facts) != len(devices) {
		t.Fatalf("%d and %d devices, errors %v and %v", len(facts), len(devices), err, why)
	}
	for _, f := range facts {
		if f.Unusable == "" && (f.Size == 0 || f.Free > f.Size || f.Name == "") {
			t.Errorf("%s: %d of %d bytes free", f.Name, f.Free, f.Size)
		}
	}
}
