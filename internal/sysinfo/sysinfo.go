// Package sysinfo asks the system what the machine has and how busy it is:
// processor, memory, a container's limits, disk, drivers. Linux tells most of it in
// files; where a system does not tell, values are "" or 0, never an error.
package sysinfo

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// root holds /proc and /sys. On other systems nothing is found there.
var root = os.DirFS("/")

// maxText bounds what is read of a file: all that is asked for here is short.
const maxText = 4 << 20

// text returns a file's content without the space around it, "" where there is
// none to be had.
func text(root fs.FS, name string) string {
	if info, err := fs.Stat(root, name); err != nil || info.Size() > maxText {
		return ""
	}
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// number returns the number that a file holds, 0 where it holds none.
func number(root fs.FS, name string) uint64 {
	n, err := strconv.ParseUint(text(root, name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// find returns the files that match any of the patterns, in their order.
func find(root fs.FS, patterns ...string) (found []string) {
	for _, p := range patterns {
		names, _ := fs.Glob(root, p) // fails for malformed patterns only
		found = append(found, names...)
	}
	return found
}
