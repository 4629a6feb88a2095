package lab

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"splat/internal/config"
	"splat/internal/fault"
)

// OriginFile is the record of where a run comes from: what repeats it, beside
// the configuration.
const OriginFile = "run.json"

// originVersion is the form of OriginFile. Run folders from before there was such
// a file have none.
const originVersion = 1

// Origin is everything that is needed to repeat a run: run.json. Version, Config and
// Seed are filled in when it is written.
type Origin struct {
	Version  int               `json:"record"`
	Seed     int               `json:"seed"`
	Capture  Capture           `json:"capture"`
	Config   map[string]string `json:"config"`   // every key in force, its value in TOML notation
	Sessions []Session         `json:"sessions"` // oldest first; more than one where the run was gone on with
}

// Capture says which pictures a run was trained on.
type Capture struct {
	Path   string `json:"path"`   // where it lay
	Format string `json:"format"` // as splat info tells it
	Fingerprint
}

// Session is one process that worked on the run.
type Session struct {
	From   int      `json:"from_step"` // the step that it began at
	Began  string   `json:"began"`     // date and time, RFC 3339
	Build  Build    `json:"build"`
	Device Device   `json:"device"`
	Args   []string `json:"args,omitempty"` // of the command line
}

// Build is the program.
type Build struct {
	Version  string            `json:"version"`
	Commit   string            `json:"commit"`             // "unknown" where the build does not tell
	Modified bool              `json:"modified,omitempty"` // the source differed from the commit
	Go       string            `json:"go"`
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	Settings map[string]string `json:"settings,omitempty"` // of the build, as far as they change what the program does
}

// Device is what a run computed on. Two runs give the same bytes where all of it, the
// build and the configuration agree.
type Device struct {
	Word          string `json:"device"`  // as --device takes it
	Backend       string `json:"backend"` // "cpu" or "vulkan"
	Name          string `json:"name"`
	Driver        string `json:"driver,omitempty"` // of a GPU
	DriverVersion string `json:"driver_version,omitempty"`
	API           string `json:"api,omitempty"`
	Path          string `json:"cpu_path"` // instructions that the CPU's part uses
	Threads       int    `json:"threads"`  // the result does not depend on them, times do
}

// Describe sets what Begin will write to run.json. Where the run goes on, the sessions
// before it stay in the record.
func (r *Run) Describe(o Origin) { r.origin = &o }

// writeOrigin stores the origin, if there is one.
func (r *Run) writeOrigin() error {
	if r.origin == nil {
		return nil
	}
	o := *r.origin
	o.Version, o.Config, o.Seed = originVersion, config.Values(r.config), r.config.Train.Seed
	if r.resumed {
		before, err := ReadOrigin(r.dir)
		if err != nil {
			_ = r.Log("warning: the sessions before this one are lost from the record: " + err.Error()) // kept in memory: cannot fail
		} else if before != nil {
			o.Sessions = append(before.Sessions, o.Sessions...)
		}
	}
	text, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return err
	}
	return r.writeBytes(r.file(OriginFile), append(text, '\n'))
}

// ReadOrigin reads the origin of the run in a folder; nil where the run is older than
// such records.
func ReadOrigin(dir string) (*Origin, error) {
	path := filepath.Join(dir, OriginFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Unreadable(path, err)
	}
	var version struct {
		Record *int `json:"record"`
	}
	switch err := json.Unmarshal(text, &version); {
	case err != nil:
		return nil, fault.Dataf("%s: not JSON, expected the origin of a run: %v", path, err)
	case version.Record == nil:
		return nil, fault.Dataf("%s: found no record, expected \"record\": %d, the version of the file", path, originVersion)
	case *version.Record != originVersion:
		return nil, fault.Dataf("%s: record: found %d, expected %d: written by another version of splat", path, *version.Record, originVersion)
	}
	o := &Origin{}
	if err := json.Unmarshal(text, o); err != nil {
		return nil, fault.Dataf("%s: %v", path, jsonError(err))
	}
	return o, nil
}

// jsonError says what encoding/json found, in words.
func jsonError(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return kind.Field + ": found " + jsonFound(kind.Value) + ", expected " + jsonExpected(kind.Type)
	}
	return err.Error()
}

// Origin reads where the run comes from; nil where it is older than such records.
func (r *Record) Origin() (*Origin, error) { return ReadOrigin(r.Dir) }
