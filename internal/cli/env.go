package cli

import "os"

// envVar is an environment variable that the program reads.
type envVar struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	Value   string `json:"value"`
	Set     bool   `json:"set"`
}

// environment lists every variable that the program, or the Go runtime on its
// behalf, reads, except PATH, in which other programs are looked for.
func environment() []envVar {
	vars := []envVar{
		{Name: "NO_COLOR", Meaning: "set to anything: no colour on a terminal"},
		{Name: "TERM", Meaning: "dumb: plain lines instead of a progress bar"},
		{Name: "GOMAXPROCS", Meaning: "upper limit of CPU threads"},
		{Name: "GOMEMLIMIT", Meaning: "soft limit of memory, such as 8GiB"},
		{Name: "GODEBUG", Meaning: "cpu.avx2=off: the CPU runs without AVX2, and the like"},
	}
	for i := range vars {
		vars[i].Value, vars[i].Set = os.LookupEnv(vars[i].Name)
	}
	return vars
}
