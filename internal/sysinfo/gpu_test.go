package sysinfo

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNVIDIA(t *testing.T) {
	var asked []string
	answer := func(_ context.Context, args ...string) string {
		asked = args
		return "NVIDIA H200, 37, 1980, 1980, 3201, 41, 120.55, 1024, 143771\n" +
			"NVIDIA A, with comma\nTesla, [N/A], [N/A], 0, 0, [Not Supported], 1e99, 5, 10\n\n"
	}
	got := nvidia(t.Context(), answer)
	want := []GPU{
		{Name: "NVIDIA H200", Source: "nvidia-smi", Busy: 37, MHz: 1980, MaxMHz: 1980, MemoryMHz: 3201, Celsius: 41, Watts: 120.55, MemoryUsed: 1 << 30, Memory: 143771 << 20},
		{Name: "Tesla", Source: "nvidia-smi", Busy: -1, MemoryUsed: 5 << 20, Memory: 10 << 20},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(asked) == 0 || !strings.Contains(asked[0], "clocks.sm") {
		t.Errorf("nvidia-smi was asked %q", asked)
	}
}

func TestCards(t *testing.T) {
	root := tree(map[string]string{
		"sys/class/drm/card0/device/uevent":                     "DRIVER=amdgpu\nPCI_ID=1002:744C\n",
		"sys/class/drm/card0/device/gpu_busy_percent":           "12\n",
		"sys/class/drm/card0/device/hwmon/hwmon3/freq1_input":   "2304000000\n",
		"sys/class/drm/card0/device/hwmon/hwmon3/temp1_input":   "47000\n",
		"sys/class/drm/card0/device/mem_info_vram_used":         "1000\n",
		"sys/class/drm/card1/gt_act_freq_mhz":                   "1150\n",
		"sys/class/drm/card1/device/uevent":                     "DRIVER=i915\n",
		"sys/class/drm/card2/device/uevent":                     "DRIVER=simple\n",
		"sys/class/drm/card2/device/gpu_busy_percent":           "many\n",
		"sys/class/drm/card0-HDMI-A-1/device/gpu_busy_percent":  "99\n",
		"sys/class/drm/renderD128/device/mem_info_vram_used":    "7\n",
		"sys/class/drm/card1/device/hwmon/hwmon1/power1_averag": "7\n",
	})
	want := []GPU{
		{Name: "amdgpu 1002:744C", Source: "sysfs", Busy: 12, MHz: 2304, Celsius: 47, MemoryUsed: 1000},
		{Name: "i915", Source: "sysfs", Busy: -1, MHz: 1150},
	}
	if diff := cmp.Diff(want, cards(root)); diff != "" {
		t.Error(diff)
	}
}

func TestGPUUsers(t *testing.T) {
	link := func(to string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(to), Mode: 0o777 | fs.ModeSymlink}
	}
	root := fstest.MapFS{
		"proc/10/comm": {Data: []byte("python3\n")}, "proc/10/fd/0": link("/dev/null"), "proc/10/fd/7": link("/dev/nvidia1"),
		"proc/11/comm": {Data: []byte("shell\n")}, "proc/11/fd/1": link("/dev/nvidiactl"), "proc/11/fd/2": link("/dev/nvidia-uvm"),
		"proc/12/comm": {Data: []byte("splat\n")}, "proc/12/fd/1": link("/dev/dri/renderD128"),
		"proc/self/fd/1": link("/dev/nvidia0"), "proc/13/fd": {Data: []byte("not a folder")},
	}
	want := []GPUUser{{PID: 10, Name: "python3", Device: "/dev/nvidia1"}}
	if diff := cmp.Diff(want, openers(root, 12)); diff != "" {
		t.Error(diff)
	}
	apps := parseApps("123, /usr/bin/python, 2048\n77, [Not Found], [N/A]\nnoise\n-4, x, 1\n")
	if diff := cmp.Diff([]GPUUser{{PID: 123, Name: "/usr/bin/python", Bytes: 2 << 30}, {PID: 77, Name: "[Not Found]"}}, apps); diff != "" {
		t.Error(diff)
	}
}

func TestBusy(t *testing.T) {
	b, ok := busy(tree(map[string]string{"proc/stat": "cpu  100 1 2 50 7 3 4 5 90 90\ncpu0 1 2 3 4\n"}))
	if want := (Busy{Busy: 1150 * time.Millisecond, Idle: 570 * time.Millisecond}); !ok || b != want {
		t.Errorf("%+v, known: %v, expected %+v", b, ok, want)
	}
	for _, bad := range []string{"", "cpu", "cpu 1 2 3 x 5", "intr 1 2 3 4 5"} {
		if b, ok := busy(tree(map[string]string{"proc/stat": bad})); ok {
			t.Errorf("%q gives %+v", bad, b)
		}
	}
}

func TestProcessTimes(t *testing.T) {
	before, ok := ProcessTimes()
	if !ok {
		t.Skip("this system does not tell")
	}
	sum := 0.0
	for end := time.Now().Add(30 * time.Millisecond); time.Now().Before(end); {
		sum += float64(len(strings.Repeat("x", 100)))
	}
	after, _ := ProcessTimes()
	if d := after.Sub(before); d.CPU() < 5*time.Millisecond || d.CPU() > 10*time.Second {
		t.Errorf("30 ms of work took %v of the processor (%v)", d.CPU(), sum)
	}
}

func TestResident(t *testing.T) {
	if n := resident(tree(map[string]string{"proc/self/status": "Name:\tx\nVmRSS:\t   2048 kB\n"})); n != 2<<20 {
		t.Errorf("%d bytes", n)
	}
	if n := resident(tree(nil)); n != 0 {
		t.Errorf("%d bytes of nothing", n)
	}
}
