package sysinfo

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// GPUUser is a process that has a GPU open.
type GPUUser struct {
	PID    int    `json:"pid"`
	Name   string `json:"name"`
	Device string `json:"device,omitempty"`       // its file, "" where that is unknown
	Bytes  uint64 `json:"memory_bytes,omitempty"` // of the GPU's memory, 0 where unknown
}

// smiPatience is how long nvidia-smi may take.
const smiPatience = 5 * time.Second

// smi asks nvidia-smi; the answer is "" where there is none.
func smi(ctx context.Context, args ...string) string {
	path, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, smiPatience)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// GPUOpeners lists the other processes that have a GPU open, as far as this one may
// look at their files. One that only draws, such as a desktop, counts too. It takes
// some milliseconds.
func GPUOpeners() []GPUUser { return openers(root, os.Getpid()) }

// GPUUsers is GPUOpeners and what nvidia-smi names, which may take a second.
func GPUUsers(ctx context.Context) []GPUUser {
	list := GPUOpeners()
	for _, u := range parseApps(smi(ctx, "--query-compute-apps=pid,process_name,used_memory", "--format=csv,noheader,nounits")) {
		i := slices.IndexFunc(list, func(v GPUUser) bool { return v.PID == u.PID })
		switch {
		case u.PID == os.Getpid():
		case i >= 0:
			list[i].Bytes = u.Bytes
		default:
			list = append(list, u)
		}
	}
	return list
}

func parseApps(out string) (list []GPUUser) {
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), ", ")
		if len(f) != 3 {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		if err != nil || pid <= 0 {
			continue
		}
		mib, _ := strconv.ParseUint(f[2], 10, 40) // or words in brackets
		list = append(list, GPUUser{PID: pid, Name: f[1], Bytes: mib << 20})
	}
	return list
}

// openers looks for open device files among the processes.
func openers(root fs.FS, own int) (list []GPUUser) {
	for _, dir := range find(root, "proc/[0-9]*") {
		pid, err := strconv.Atoi(dir[len("proc/"):])
		if err != nil || pid == own {
			continue
		}
		if device := openDevice(root, dir); device != "" {
			list = append(list, GPUUser{PID: pid, Name: text(root, dir+"/comm"), Device: device})
		}
	}
	return list
}

// openDevice is the first device file of a GPU that a process has open.
func openDevice(root fs.FS, dir string) string {
	files, _ := fs.ReadDir(root, dir+"/fd") // other users' are closed
	for _, f := range files {
		target, err := fs.ReadLink(root, dir+"/fd/"+f.Name())
		if err == nil && isGPU(target) {
			return target
		}
	}
	return ""
}

// isGPU tells device files of GPUs: those that render or compute, not those that only
// set up a screen.
func isGPU(path string) bool {
	rest, ok := strings.CutPrefix(path, "/dev/nvidia")
	if ok && rest != "" && strings.Trim(rest, "0123456789") == "" {
		return true
	}
	return strings.HasPrefix(path, "/dev/dri/renderD") || path == "/dev/kfd"
}
