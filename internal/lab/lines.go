package lab

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
)

// lines is a file that grows line by line. A line that does not fit is not left
// there by half: it waits, and goes before the next one.
type lines struct {
	path    string
	file    appendFile
	size    int64 // of the whole lines
	waiting []byte
}

// appendFile is what lines needs of a file.
type appendFile interface {
	io.WriteCloser
	Truncate(size int64) error
	Sync() error
}

// openLines opens path for appending and ends a last line that was cut off.
func openLines(path string) (*lines, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	if err != nil {
		return nil, writeError(path, 0, err)
	}
	l := &lines{path: path, file: f}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, writeError(path, 0, err)
	}
	l.size = info.Size()
	if last := make([]byte, 1); l.size > 0 {
		if _, err := f.ReadAt(last, l.size-1); err == nil && last[0] != '\n' {
			l.waiting = []byte("\n")
		}
	}
	return l, nil
}

// add appends text, whole lines.
func (l *lines) add(text []byte) error {
	l.waiting = append(l.waiting, text...)
	return l.flush()
}

// flush writes what waits.
func (l *lines) flush() error {
	if l == nil || len(l.waiting) == 0 {
		return nil
	}
	if _, err := l.file.Write(l.waiting); err != nil {
		_ = l.file.Truncate(l.size) // the write's failure is what counts
		return writeError(l.path, int64(len(l.waiting)), err)
	}
	l.size += int64(len(l.waiting))
	l.waiting = l.waiting[:0]
	return nil
}

// sync makes all lines durable.
func (l *lines) sync() error {
	if l == nil {
		return nil
	}
	if err := l.flush(); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return writeError(l.path, 0, err)
	}
	return nil
}

func (l *lines) close() error {
	if l == nil {
		return nil
	}
	return errors.Join(l.flush(), l.file.Close())
}

// cutAfter keeps the lines of a JSONL file up to a step, and removes from the first
// later one on, or from the first that is no record. It returns how many lines
// went.
func cutAfter(path string, step int) (gone int, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, writeError(path, 0, err)
	}
	defer f.Close()
	keep, r := int64(0), bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) == 0 && errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, writeError(path, 0, err)
		}
		if gone > 0 || err != nil || !upTo(line, step) {
			gone++
			continue
		}
		keep += int64(len(line))
	}
	if gone == 0 {
		return 0, nil
	}
	if err := f.Truncate(keep); err != nil {
		return 0, writeError(path, 0, err)
	}
	if err := f.Sync(); err != nil {
		return 0, writeError(path, 0, err)
	}
	return gone, nil
}

// upTo reports whether a line is a record of a step up to the given one.
func upTo(line []byte, step int) bool {
	var record struct {
		Step *int `json:"step"`
	}
	return json.Unmarshal(line, &record) == nil && record.Step != nil && *record.Step <= step
}
