package sysinfo

import (
	"fmt"
	"io/fs"
)

// Load is how many threads ran or waited to run, on average over the last 1, 5 and
// 15 minutes. In a container it is the machine's.
type Load struct{ One, Five, Fifteen float64 }

// ReadLoad returns the load; ok is false where the system does not tell.
func ReadLoad() (l Load, ok bool) { return load(root) }

func load(root fs.FS) (l Load, ok bool) {
	n, _ := fmt.Sscan(text(root, "proc/loadavg"), &l.One, &l.Five, &l.Fifteen)
	return l, n == 3
}
