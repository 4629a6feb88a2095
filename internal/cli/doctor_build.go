package cli

import (
	"runtime/debug"
	"slices"
)

// buildInfo says which source the program was built from, and how.
type buildInfo struct {
	Revision string            `json:"revision,omitempty"`
	Time     string            `json:"time,omitempty"`     // of the revision
	Modified bool              `json:"modified,omitempty"` // the source differed from the revision
	Race     bool              `json:"race"`
	Settings map[string]string `json:"settings"`
}

type module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// buildSettings are the settings of a build that can change what the program does,
// or how fast.
var buildSettings = []string{
	"-buildmode", "-tags", "-trimpath", "-pgo", "CGO_ENABLED", "GOAMD64", "GOARM", "GOARM64", "GOEXPERIMENT", "DefaultGODEBUG",
}

func build() buildInfo {
	b := buildInfo{Settings: map[string]string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Revision = s.Value
		case s.Key == "vcs.time":
			b.Time = s.Value
		case s.Key == "vcs.modified":
			b.Modified = s.Value == "true"
		case s.Key == "-race":
			b.Race = s.Value == "true"
		case s.Value != "" && slices.Contains(buildSettings, s.Key):
			b.Settings[s.Key] = s.Value
		}
	}
	return b
}

// name is the revision, marked where the source differed from it; "" if unknown.
func (b buildInfo) name() string {
	if b.Modified {
		return b.Revision + "+changes"
	}
	return b.Revision
}

// version returns the version of the module, "devel" where it has none.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
