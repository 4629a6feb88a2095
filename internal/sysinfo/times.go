package sysinfo

import (
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// Times is what this process has used of the processor since it began.
type Times struct {
	User, System time.Duration
	// Yields is how often a thread gave up the processor to wait, Preempted how often
	// the system took it away from one that could have gone on; 0 where unknown.
	Yields, Preempted int64
}

// Sub is what was used since earlier.
func (t Times) Sub(earlier Times) Times {
	return Times{t.User - earlier.User, t.System - earlier.System, t.Yields - earlier.Yields, t.Preempted - earlier.Preempted}
}

// Add is both together.
func (t Times) Add(u Times) Times {
	return Times{t.User + u.User, t.System + u.System, t.Yields + u.Yields, t.Preempted + u.Preempted}
}

// CPU is user and system time together.
func (t Times) CPU() time.Duration { return t.User + t.System }

// Busy is what all processors of the machine have done since it was started, in
// processor time.
type Busy struct{ Busy, Idle time.Duration }

// ReadBusy returns what the machine's processors have done, of all processes; ok is
// false where the system does not tell. In a container it is the whole machine's.
func ReadBusy() (b Busy, ok bool) { return busy(root) }

// tick is the unit of /proc/stat: USER_HZ, which Linux fixes at 100.
const tick = 10 * time.Millisecond

// busy reads the first line of /proc/stat: user, nice, system, idle, iowait, irq,
// softirq, steal, and guests, which are in user already.
func busy(root fs.FS) (b Busy, ok bool) {
	line, _, _ := strings.Cut(text(root, "proc/stat"), "\n")
	fields := strings.Fields(line)
	if len(fields) < 5 || fields[0] != "cpu" {
		return b, false
	}
	for i, word := range fields[1:min(len(fields), 9)] {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return Busy{}, false
		}
		if i == 3 || i == 4 {
			b.Idle += time.Duration(n) * tick
		} else {
			b.Busy += time.Duration(n) * tick
		}
	}
	return b, true
}

// ResidentBytes is the memory that this process has in use, 0 where unknown.
func ResidentBytes() uint64 { return resident(root) }

func resident(root fs.FS) uint64 {
	for line := range strings.Lines(text(root, "proc/self/status")) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == "VmRSS:" {
			kib, err := strconv.ParseUint(fields[1], 10, 54)
			if err == nil {
				return kib << 10
			}
		}
	}
	return 0
}
