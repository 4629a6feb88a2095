package sysinfo

import (
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// tree makes a file system of "name: content" pairs.
func tree(files map[string]string) fs.FS {
	t := fstest.MapFS{}
	for name, content := range files {
		t[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return t
}

func TestMachineIsKnownOnLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems may not tell")
	}
	total, limit := MachineMemory(), Memory()
	if total < 1<<26 || limit > total {
		t.Errorf("%d bytes of memory, %d for this process", total, limit)
	}
	if n := AvailableMemory(); n == 0 || n > limit {
		t.Errorf("%d bytes available of %d", n, limit)
	}
	if n := PeakBytes(); n < 1<<20 || n > total {
		t.Errorf("%d bytes at the peak, of %d", n, total)
	}
	if n, ok := DiskFree("."); !ok || n == 0 {
		t.Errorf("%d bytes free on disk, known: %v", n, ok)
	}
	if _, ok := DiskFree("no such folder"); ok {
		t.Error("free bytes of a folder that is not there")
	}
	if l, ok := ReadLoad(); !ok || l.One < 0 {
		t.Errorf("load %+v, known: %v", l, ok)
	}
	if c := ReadCPU(); c.Logical == 0 {
		t.Errorf("processor %+v", c)
	}
}

// Files that are absent, empty or full of something else give nothing and no panic.
func TestNothingIsKnownOfNoise(t *testing.T) {
	noise := map[string]string{}
	for _, name := range strings.Fields(`proc/cpuinfo proc/meminfo proc/loadavg proc/self/cgroup proc/self/mountinfo
		sys/devices/system/cpu/cpu0/cache/index0/size sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq
		sys/class/hwmon/hwmon0/name usr/share/vulkan/icd.d/x.json`) {
		noise[name] = "1:\x00: - - :\n::::\n{\n-1 max ,,- 0::/\n"
	}
	for name, root := range map[string]fs.FS{"nothing": tree(nil), "noise": tree(noise)} {
		if n := availableMemory(root); n != 0 {
			t.Errorf("%s: %d bytes available", name, n)
		}
		if c := container(root); c != (Container{}) {
			t.Errorf("%s: limits %+v", name, c)
		}
		if l, ok := load(root); ok {
			t.Errorf("%s: load %+v", name, l)
		}
		if n := temperature(root); n != 0 {
			t.Errorf("%s: %g degrees", name, n)
		}
		if got := caches(root); len(got) != 0 {
			t.Errorf("%s: caches %v", name, got)
		}
		var c CPU
		if c.readClock(root); c.MHz != 0 || topology(root) != 0 {
			t.Errorf("%s: %+v", name, c)
		}
		for _, d := range vulkan(root).Drivers {
			if d.Library != "" || d.Software {
				t.Errorf("%s: driver %+v", name, d)
			}
		}
	}
}

func TestProcessorOfCPUInfo(t *testing.T) {
	got := parseCPUInfo("processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nphysical id\t: 0\ncore id\t\t: 0\n\n" +
		"processor\t: 1\nmodel name\t: Some CPU @ 3 GHz\nphysical id\t: 0\ncore id\t\t: 0\n\n" +
		"processor\t: 2\nmodel name\t: Some CPU @ 3 GHz\nphysical id\t: 0\ncore id\t\t: 1\n")
	if diff := cmp.Diff(CPU{Name: "Some CPU @ 3 GHz", Cores: 2, Logical: 3}, got); diff != "" {
		t.Error(diff)
	}
}

// Linux on ARM names neither processor nor cores in cpuinfo.
func TestProcessorOfBoard(t *testing.T) {
	files := map[string]string{
		"proc/cpuinfo": "processor\t: 0\nFeatures\t: fp asimd\n\nprocessor\t: 1\nprocessor\t: 2\n", "proc/device-tree/model": "Some Board 5\x00",
	}
	for i, core := range []string{"0", "1", "1"} {
		dir := "sys/devices/system/cpu/cpu" + string(rune('0'+i)) + "/topology/"
		files[dir+"physical_package_id"], files[dir+"core_id"] = "0\n", core+"\n"
	}
	files["sys/devices/system/cpu/cpufreq/topology/core_id"] = "9" // no processor
	got := parseCPUInfo(files["proc/cpuinfo"])
	got.Cores = topology(tree(files))
	if want := (CPU{Cores: 2, Logical: 3}); !cmp.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if flags := cpuFlags(files["proc/cpuinfo"]); !cmp.Equal(flags, []string{"fp", "asimd"}) {
		t.Errorf("flags %q", flags)
	}
	if runtime.GOOS == "linux" {
		if name := processor(tree(files)).Name; name != "Some Board 5" {
			t.Errorf("named %q", name)
		}
	}
}

func TestFeaturesComeFromTheMachine(t *testing.T) {
	for _, f := range features(tree(map[string]string{"proc/cpuinfo": "flags\t: avx2 fma avx512f f16c\nFeatures\t: asimd\n"})) {
		if !f.Present {
			t.Errorf("%s is missing", f.Name)
		}
	}
}

func TestCaches(t *testing.T) {
	const at = "sys/devices/system/cpu/cpu0/cache/index"
	got := caches(tree(map[string]string{
		at + "0/level": "1\n", at + "0/type": "Data\n", at + "0/size": "32K\n", at + "0/shared_cpu_list": "0,64\n",
		at + "3/level": "3\n", at + "3/type": "Unified\n", at + "3/size": "32M\n", at + "3/shared_cpu_list": "0-7,64-71\n",
		at + "9/level": "4\n", at + "9/type": "Unified\n", at + "9/size": "?\n",
	}))
	want := []Cache{{1, "data", 32 << 10, 2}, {3, "unified", 32 << 20, 16}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestClockAndTemperature(t *testing.T) {
	root := tree(map[string]string{
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "1800000\n",
		"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "3600000\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
		"sys/class/hwmon/hwmon0/name":                          "nvme\n",
		"sys/class/hwmon/hwmon0/temp1_input":                   "30000\n",
		"sys/class/hwmon/hwmon1/name":                          "k10temp\n",
		"sys/class/hwmon/hwmon1/temp1_input":                   "61250\n",
	})
	var c CPU
	c.readClock(root)
	if c.MHz != 1800 || c.MaxMHz != 3600 || c.Governor != "powersave" || temperature(root) != 61.25 {
		t.Errorf("%+v, %g degrees", c, temperature(root))
	}
	zone := tree(map[string]string{"sys/class/thermal/thermal_zone0/type": "acpitz", "sys/class/thermal/thermal_zone0/temp": "27800",
		"sys/class/thermal/thermal_zone1/type": "x86_pkg_temp", "sys/class/thermal/thermal_zone1/temp": "55000"})
	if got := temperature(zone); got != 55 {
		t.Errorf("%g degrees", got)
	}
	c = CPU{}
	if c.readClock(tree(map[string]string{"proc/cpuinfo": "cpu MHz\t\t: 2445.426\n"})); c.MHz != 2445 {
		t.Errorf("%d MHz", c.MHz)
	}
}

func TestLoad(t *testing.T) {
	got, ok := load(tree(map[string]string{"proc/loadavg": "1.35 0.84 1.22 3/96 12414\n"}))
	if want := (Load{1.35, 0.84, 1.22}); !ok || got != want {
		t.Errorf("%+v, %v", got, ok)
	}
}

func TestVulkan(t *testing.T) {
	got := vulkan(tree(map[string]string{
		"usr/lib/x86_64-linux-gnu/libvulkan.so.1":    "",
		"usr/share/vulkan/icd.d/lvp_icd.x86_64.json": `{"ICD": {"library_path": "libvulkan_lvp.so", "api_version": "1.3"}}`,
		"etc/vulkan/icd.d/nvidia_icd.json":           `{"ICD": {"library_path": "libGLX_nvidia.so.0"}}`,
		"usr/share/vulkan/icd.d/README":              "",
	}))
	want := Vulkan{"/usr/lib/x86_64-linux-gnu/libvulkan.so.1", []Driver{
		{"/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "libvulkan_lvp.so", true},
		{"/etc/vulkan/icd.d/nvidia_icd.json", "libGLX_nvidia.so.0", false},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
