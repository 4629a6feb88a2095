package sysinfo

import (
	"io/fs"
	"maps"
	"testing"
)

// machine is 16 GiB with 12 available, and what more is given.
func machine(more map[string]string) fs.FS {
	files := map[string]string{"proc/meminfo": "MemTotal:       16777216 kB\nMemFree: 1 kB\nMemAvailable:   12582912 kB\n"}
	maps.Copy(files, more)
	return tree(files)
}

const (
	mountV2     = "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw\n"
	mountMemory = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
	mountCPU    = "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
)

func TestContainer(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		files             map[string]string
		want              Container
		memory, available uint64
	}{
		"none": {nil, Container{}, 16 * gib, 12 * gib},
		"version 2 seen from inside": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/cpu.max": "150000 100000\n", "sys/fs/cgroup/memory.max": "4294967296\n",
			"sys/fs/cgroup/memory.current": "3221225472\n", "sys/fs/cgroup/memory.stat": "anon 5\ninactive_file 1073741824\n",
		}, Container{1.5, 4 * gib, 2 * gib}, 4 * gib, 2 * gib},
		"version 2 without limits": {map[string]string{
			"proc/self/cgroup": "0::/user.slice\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/user.slice/cpu.max": "max 100000\n", "sys/fs/cgroup/user.slice/memory.max": "max\n",
		}, Container{}, 16 * gib, 12 * gib},
		"the tightest of the groups above": {map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/a/b/cpu.max": "800000 100000\n", "sys/fs/cgroup/a/cpu.max": "200000 100000\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "8589934592\n",
		}, Container{2, 8 * gib, 0}, 8 * gib, 8 * gib},
		"full": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/memory.max": "1073741824\n", "sys/fs/cgroup/memory.current": "1073745920\n",
		}, Container{0, gib, gib + 4096}, gib, 1},
		"version 1": {map[string]string{
			"proc/self/cgroup": "4:memory:/job\n2:cpuacct,cpu:/job\n1:name=systemd:/job\n", "proc/self/mountinfo": mountCPU + mountMemory,
			"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "50000\n", "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "2147483648\n", "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "1073741824\n",
		}, Container{0.5, 2 * gib, gib}, 2 * gib, gib},
		"version 1 without limits": {map[string]string{
			"proc/self/cgroup": "4:memory:/\n2:cpu:/\n", "proc/self/mountinfo": mountCPU + mountMemory,
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, Container{}, 16 * gib, 12 * gib},
		"named by the machine, mounted as its own": {map[string]string{
			"proc/self/cgroup":             "0::/docker/abc/renderer\n",
			"proc/self/mountinfo":          "31 23 0:28 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			"sys/fs/cgroup/renderer/x":     "",
			"sys/fs/cgroup/memory.max":     "1073741824\n",
			"sys/fs/cgroup/cpu.max":        "100000 100000\n",
			"docker/abc/renderer/cpu.max":  "1 100000\n",
			"sys/fs/docker/abc/cpu.max":    "1 100000\n",
			"sys/fs/cgroup/abc/cpu.max":    "1 100000\n",
			"sys/fs/cgroup/render/cpu.max": "1 100000\n",
		}, Container{1, gib, 0}, gib, gib},
		"a group that lies elsewhere": {map[string]string{
			"proc/self/cgroup": "0::/../../elsewhere\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/memory.max": "1073741824\n",
		}, Container{0, gib, 0}, gib, gib},
	} {
		t.Run(name, func(t *testing.T) {
			root := machine(c.files)
			if got := container(root); got != c.want {
				t.Errorf("limits %+v, want %+v", got, c.want)
			}
			if got := memory(root); got != c.memory {
				t.Errorf("memory %d, want %d", got, c.memory)
			}
			if got := availableMemory(root); got != c.available {
				t.Errorf("available %d, want %d", got, c.available)
			}
		})
	}
}

func TestWayBelowAMount(t *testing.T) {
	for in, want := range map[[2]string]string{
		{"/", "/"}:             "/",
		{"/", "/a/b"}:          "/a/b",
		{"/docker/a", "/"}:     "",
		{"/a", "/a"}:           "",
		{"/a", "/a/b"}:         "/b",
		{"/a", "/ab"}:          "",
		{"/", "/../x"}:         "",
		{"/../..", "/../../x"}: "/x",
	} {
		if got := below(in[0], in[1]); got != want {
			t.Errorf("from %s to %s: %q, want %q", in[0], in[1], got, want)
		}
	}
}
