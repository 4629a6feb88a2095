package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"splat/internal/backend"
	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/sysinfo"
)

// A device that lacks everything says what happens instead; an unusable one why.
func TestReportOfPoorGPU(t *testing.T) {
	var poor, bad backend.Facts
	poor.Name, poor.API, poor.DriverVersion = "Small GPU", "1.2.0", "7"
	poor.Size, poor.Free, poor.Emulated = 4<<30, 1<<30, []string{"sort_scatter"}
	poor.Limits.StorageBufferRange, poor.Limits.SharedMemory = 128<<20, 32<<10
	poor.Subgroup.Size, poor.Subgroup.Min, poor.Subgroup.Max = 8, 8, 16
	poor.Features.Portability = true
	bad.Name, bad.Unusable = "Old GPU", "it has no timeline semaphores"
	r := &report{Auto: autoInfo{"vulkan:0", "the best GPU"}, Devices: []deviceInfo{gpuDevice(0, &poor), gpuDevice(1, &bad)}}
	var out bytes.Buffer
	newApp(nil, &out, &out).printReport(r)
	for _, want := range []string{
		"Small GPU, other, a layer over another API, Vulkan 1.2.0, driver 7", "4 GiB, 1 GiB free", "storage buffer 128 MiB, shared memory 32 KiB",
		"8 lanes, 8 to 16, 32 cannot be asked for", "subgroup operations: they go through shared memory in sort_scatter",
		"memory budget: four fifths", "host-cached memory: ", "timestamps: backend.profile", "it has no timeline semaphores", "vulkan:0: the best GPU",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("missing %q in:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "ticks") || strings.Contains(out.String(), "  features") {
		t.Errorf("features that are not there:\n%s", out.String())
	}
}

func TestNoDevice(t *testing.T) {
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	installed := sysinfo.Vulkan{Drivers: []sysinfo.Driver{{Manifest: "a.json"}, {Manifest: "b.json"}}}
	if got := triedDrivers(getenv, installed); got != "a.json, b.json" {
		t.Errorf("%q", got)
	}
	if got := triedDrivers(getenv, sysinfo.Vulkan{}); !strings.Contains(got, "no driver") {
		t.Errorf("%q", got)
	}
	env["VK_ICD_FILENAMES"] = "c.json"
	if got := triedDrivers(getenv, installed); got != "VK_ICD_FILENAMES=c.json" {
		t.Errorf("%q", got)
	}
	err := noDevice(fault.Devicef("device vulkan: %w", backend.ErrNoDevice))
	if fault.ExitCode(err) != 4 || !strings.Contains(err.Error(), "; tried ") || !strings.Contains(err.Error(), "use --device cpu") {
		t.Errorf("%v", err)
	}
	if other := errors.New("other"); noDevice(other) != other || noDevice(nil) != nil {
		t.Error("another error was changed")
	}
}

// Only what shaders are built for can be chosen.
func TestVariantsOfShaders(t *testing.T) {
	found := map[string]variant{}
	for _, v := range gpuVariants(config.Default(config.DefaultStrategy)) {
		found[v.Name] = v
		if v.Used == "" || len(v.Choices) == 0 {
			t.Errorf("%+v", v)
		}
	}
	if got := join(found["emit"].Choices, " "); got != "plain subgroup" {
		t.Errorf("emit: %q", got)
	}
	for _, name := range []string{"raster", "backward", "sync", "record", "targets", "host"} {
		if found[name].Name == "" {
			t.Errorf("no variant %s", name)
		}
	}
}
