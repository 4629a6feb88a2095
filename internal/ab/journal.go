package ab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"splat/internal/fault"
	"splat/internal/lab"
)

// head is the first line of a journal.
type head struct {
	Version int        `json:"ab"`
	Plan    Plan       `json:"plan"`
	Origin  lab.Origin `json:"origin"`
}

// Journal keeps the runs of an experiment that may be killed.
type Journal struct{ file *os.File }

// NewJournal begins a journal in a folder, with the plan.
func NewJournal(dir string, p Plan, o lab.Origin) (*Journal, error) {
	path := filepath.Join(dir, JournalFile)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fault.AtFile(path, err)
	}
	j := &Journal{f}
	return j, j.add(head{Version, p, o})
}

// Add appends a run; it is on the disk when Add returns.
func (j *Journal) Add(s Sample) error { return j.add(s) }

func (j *Journal) add(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err = j.file.Write(append(text, '\n')); err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return fault.AtFile(j.file.Name(), err)
	}
	return nil
}

// Close ends the journal.
func (j *Journal) Close() error { return j.file.Close() }

// Reopen reads a journal and opens it to be gone on with. A last line that was broken
// off is removed.
func Reopen(dir string) (j *Journal, p Plan, o lab.Origin, done []Sample, err error) {
	path := filepath.Join(dir, JournalFile)
	f, err := os.OpenFile(path, os.O_RDWR, 0o644)
	if errors.Is(err, os.ErrNotExist) {
		return nil, p, o, nil, fault.Dataf("%s: no such file, expected the folder of an experiment (splat ab --out)", path)
	}
	if err != nil {
		return nil, p, o, nil, fault.Unreadable(path, err)
	}
	h, done, end, err := readJournal(path, f)
	if err == nil {
		err = h.Plan.check(path, done)
	}
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, p, o, nil, err
	}
	return &Journal{f}, h.Plan, h.Origin, done, nil
}

// maxJournal bounds what is read of a journal: a run takes a few kilobytes.
const maxJournal = 1 << 28

// readJournal returns the plan and the runs, and where the last whole line ends. Of a
// run that was made twice, since a session ended within its pair, the later one counts.
func readJournal(path string, r io.Reader) (h head, done []Sample, end int64, err error) {
	in := bufio.NewReader(io.LimitReader(r, maxJournal))
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			break // what is left was broken off
		}
		if err != nil {
			return h, nil, 0, fault.Unreadable(path, err)
		}
		place := fmt.Sprintf("%s:%d", path, n)
		if n == 1 {
			err = decode(place, line, &h, func() int { return h.Version })
		} else {
			done, err = withRun(done, place, line)
		}
		if err != nil {
			return h, nil, 0, err
		}
		end += int64(len(line))
	}
	if end == 0 {
		return h, nil, 0, fault.Dataf("%s: found no plan in its first line, expected that of an experiment", path)
	}
	return h, done, end, nil
}

// withRun adds the run of a line.
func withRun(done []Sample, place string, line []byte) ([]Sample, error) {
	var s Sample
	if err := json.Unmarshal(line, &s); err != nil {
		return nil, fault.Dataf("%s: %v, expected a run of an experiment", place, err)
	}
	done = slices.DeleteFunc(done, func(old Sample) bool { return old.Job == s.Job })
	return append(done, s), nil
}
