package sysinfo

import (
	"io/fs"
	"math"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Container is what the control groups of this process allow, as containers and
// job schedulers set them. 0 is no limit.
type Container struct {
	CPUs   float64 // processors' worth of time
	Memory uint64  // bytes
	Used   uint64  // bytes of Memory that are in use and cannot be reclaimed
}

// ReadContainer returns the limits of this process, those below what the machine
// has.
func ReadContainer() Container {
	c := container(root)
	if c.CPUs >= float64(runtime.NumCPU()) {
		c.CPUs = 0
	}
	return c
}

// container takes the tightest limit on the way from the process's group to the
// root, of both versions of control groups.
func container(root fs.FS) (c Container) {
	for _, g := range groups(root) {
		for _, dir := range g.upwards() {
			if cpus := g.cpus(root, dir); cpus > 0 && (c.CPUs == 0 || cpus < c.CPUs) {
				c.CPUs = cpus
			}
			if limit := g.memory(root, dir); limit > 0 && (c.Memory == 0 || limit < c.Memory) {
				c.Memory, c.Used = limit, g.used(root, dir)
			}
		}
	}
	if total := machineMemory(root); total > 0 && c.Memory >= total {
		c.Memory, c.Used = 0, 0 // limits nothing; version 1 writes "none" as a huge number
	}
	return c
}

// group is a control group of the process in one hierarchy.
type group struct {
	v2         bool
	mount, dir string // dir is the group's folder, at mount or below it
}

// groups finds the process's groups that may limit processors or memory.
func groups(root fs.FS) (list []group) {
	mounts := text(root, "proc/self/mountinfo")
	for line := range strings.Lines(text(root, "proc/self/cgroup")) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		controllers := strings.Split(fields[1], ",")
		g := group{v2: fields[1] == ""}
		if !g.v2 && !slices.Contains(controllers, "cpu") && !slices.Contains(controllers, "memory") {
			continue
		}
		for mount := range strings.Lines(mounts) {
			if g.place(mount, controllers[0], fields[2]) {
				list = append(list, g)
				break
			}
		}
	}
	return list
}

// place finds the folder of the group called name if the line of mountinfo is that
// of its hierarchy.
func (g *group) place(line, controller, name string) bool {
	before, after, ok := strings.Cut(line, " - ")
	at, kind := strings.Fields(before), strings.Fields(after)
	if !ok || len(at) < 5 || len(kind) < 3 {
		return false
	}
	switch kind[0] {
	case "cgroup2":
		ok = g.v2
	case "cgroup":
		ok = !g.v2 && slices.Contains(strings.Split(kind[2], ","), controller)
	default:
		ok = false
	}
	g.mount = strings.Trim(strings.ReplaceAll(at[4], `\040`, " "), "/")
	g.dir = path.Join(g.mount, below(at[3], name))
	return ok
}

// below is the way from the group that is mounted to the one called name: a
// container may see its own group as the root, or all of the machine's.
func below(mounted, name string) string {
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(mounted, "/"))
	if !ok || rest != "" && rest[0] != '/' || strings.Contains(rest, "/..") {
		return ""
	}
	return rest
}

// upwards lists the group's folder and those above it.
func (g *group) upwards() (dirs []string) {
	for dir := g.dir; ; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == g.mount || len(dir) <= len(g.mount) {
			return dirs
		}
	}
}

// cpus is the limit of processor time a unit of time, 0 where there is none.
func (g *group) cpus(root fs.FS, dir string) float64 {
	quota, period := text(root, dir+"/cpu.cfs_quota_us"), text(root, dir+"/cpu.cfs_period_us")
	if g.v2 {
		quota, period, _ = strings.Cut(text(root, dir+"/cpu.max"), " ")
	}
	q, errQ := strconv.ParseFloat(quota, 64)
	p, errP := strconv.ParseFloat(strings.TrimSpace(period), 64)
	if errQ != nil || errP != nil || q <= 0 || p <= 0 || math.IsInf(q/p, 0) {
		return 0
	}
	return q / p
}

func (g *group) memory(root fs.FS, dir string) uint64 {
	if g.v2 {
		return number(root, dir+"/memory.max") // "max" is no number
	}
	return number(root, dir+"/memory.limit_in_bytes")
}

// used is the memory in use less the cached files that nobody has needed lately.
func (g *group) used(root fs.FS, dir string) uint64 {
	total, cached := "/memory.usage_in_bytes", "total_inactive_file"
	if g.v2 {
		total, cached = "/memory.current", "inactive_file"
	}
	used := number(root, dir+total)
	for line := range strings.Lines(text(root, dir+"/memory.stat")) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == cached {
			n, _ := strconv.ParseUint(fields[1], 10, 64)
			used -= min(n, used)
		}
	}
	return used
}
