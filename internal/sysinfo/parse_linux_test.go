package sysinfo

import "testing"

func TestProcessorOfCPUInfo(t *testing.T) {
	const text = "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nphysical id\t: 0\ncore id\t\t: 0\n\n" +
		"processor\t: 1\nmodel name\t: Some CPU @ 3 GHz\nphysical id\t: 0\ncore id\t\t: 0\n\n" +
		"processor\t: 2\nmodel name\t: Some CPU @ 3 GHz\nphysical id\t: 0\ncore id\t\t: 1\n"
	if name, cores := parseCPUInfo(text); name != "Some CPU @ 3 GHz" || cores != 2 {
		t.Errorf("got %q with %d cores", name, cores)
	}
	if name, cores := parseCPUInfo(""); name != "" || cores != 0 {
		t.Errorf("got %q with %d cores of nothing", name, cores)
	}
}

func TestMemoryOfMemInfo(t *testing.T) {
	for text, want := range map[string]uint64{
		"MemTotal:       16384 kB\nMemFree: 1 kB\n": 16 << 20,
		"MemFree: 1 kB\n":     0,
		"MemTotal: many kB\n": 0,
	} {
		if got := parseMemInfo(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
