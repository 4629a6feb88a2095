package trace

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"time"
)

// text writes events as JSON, without leaving anything to collect.
type text struct {
	to    *bufio.Writer
	line  []byte
	names map[string][]byte // quoted
	first bool
	err   error
}

func newText(w io.Writer) *text {
	t := &text{to: bufio.NewWriterSize(w, 1<<16), names: map[string][]byte{}, first: true}
	_, t.err = t.to.WriteString(`{"displayTimeUnit":"ms","traceEvents":[`)
	return t
}

// event writes one event, on a line of its own.
func (t *text) event(e *event) {
	b := t.line[:0]
	if !t.first {
		b = append(b, ',')
	}
	t.first = false
	b = append(b, "\n{\"ph\":\""...)
	b = append(b, byte(e.kind))
	b = append(b, `","pid":`...)
	b = strconv.AppendInt(b, int64(e.lane.process), 10)
	b = append(b, `,"tid":`...)
	b = strconv.AppendInt(b, int64(e.lane.thread), 10)
	b = t.field(b, "name", e.name)
	if e.category != "" {
		b = t.field(b, "cat", e.category)
	}
	if e.kind != metadata {
		b = append(b, `,"ts":`...)
		b = microseconds(b, e.at)
	}
	switch e.kind {
	case complete:
		b = append(b, `,"dur":`...)
		b = microseconds(b, e.took)
	case instant:
		b = append(b, `,"s":"p"`...)
	}
	b = t.args(b, e.args[:])
	b = append(b, '}')
	t.line = b
	if t.err == nil {
		_, t.err = t.to.Write(b)
	}
}

func (t *text) field(b []byte, key, value string) []byte {
	b = append(b, ',', '"')
	b = append(b, key...)
	b = append(b, '"', ':')
	return append(b, t.quoted(value)...)
}

// quoted is a string in JSON. Most events have one of a few names.
func (t *text) quoted(s string) []byte {
	if q, ok := t.names[s]; ok {
		return q
	}
	q, err := json.Marshal(s)
	if err != nil {
		t.err = err
	}
	if len(t.names) < 4096 {
		t.names[s] = q
	}
	return q
}

func (t *text) args(b []byte, args []Arg) []byte {
	if args[0].Key == "" {
		return b
	}
	b = append(b, `,"args":{`...)
	for i, a := range args {
		if a.Key == "" {
			break
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, t.quoted(a.Key)...)
		b = append(b, ':')
		if a.Text != "" {
			b = append(b, t.quoted(a.Text)...)
		} else {
			b = number(b, a.Number)
		}
	}
	return append(b, '}')
}

// number writes a value; one that is not a number is null.
func number(b []byte, v float64) []byte {
	if v-v != 0 {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

// microseconds writes a time as the format has it, to the nanosecond.
func microseconds(b []byte, d time.Duration) []byte {
	if d < 0 {
		b, d = append(b, '-'), -d
	}
	b = strconv.AppendInt(b, int64(d/time.Microsecond), 10)
	if frac := int64(d % time.Microsecond); frac != 0 {
		b = append(b, '.', byte('0'+frac/100), byte('0'+frac/10%10), byte('0'+frac%10))
	}
	return b
}

// end closes the document and says how many events are missing.
func (t *text) end(lost int64) error {
	if t.err != nil {
		return t.err
	}
	tail := "\n],\"otherData\":{\"events_left_out\":" + strconv.FormatInt(lost, 10) + "}}\n"
	if _, err := t.to.WriteString(tail); err != nil {
		return err
	}
	return t.to.Flush()
}
