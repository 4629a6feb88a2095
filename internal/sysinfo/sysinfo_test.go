package sysinfo

import (
	"runtime"
	"testing"
)

func TestMachineIsKnownOnLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems may not tell")
	}
	if n := Memory(); n < 1<<26 {
		t.Errorf("%d bytes of memory", n)
	}
	if n := PeakBytes(); n < 1<<20 || n > Memory() {
		t.Errorf("%d bytes at the peak, of %d", n, Memory())
	}
}
