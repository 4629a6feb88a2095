package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/fault"
)

// sample is a small checkpoint of two sections and an empty one; the first is
// longer than a piece where long is set.
func sample(long bool) *Snapshot {
	n := int64(5)
	if long {
		n = pieceBytes/4 + 3
	}
	return &Snapshot{
		Header: Header{
			Step: 1200, Splats: 5, Seconds: 1.5, Backend: "cpu",
			Config:  map[string]string{"train.steps": "30000", "data.path": `"lego"`},
			Capture: Capture{Path: "lego", Views: []View{{Name: "a", Width: 4, Height: 3, Camera: "0", Pixels: "1"}, {Name: "b", Test: true}}},
			State:   json.RawMessage(`{"loss":0.25}`),
			Sections: []Section{
				{"geom", F32, n}, {"none", U32, 0}, {"flags", U32, 2},
			},
		},
		Read: func(s Section, at int64, data []byte) error {
			for i := range data {
				data[i] = byte(int(at) + i + len(s.Name))
			}
			return nil
		},
	}
}

func encode(t testing.TB, s *Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	if size, err := s.Size(); err != nil || size != int64(b.Len()) {
		t.Fatalf("%d bytes were written, Size says %d (%v)", b.Len(), size, err)
	}
	return b.Bytes()
}

func parseBytes(data []byte) (*File, error) {
	return parse(bytes.NewReader(data), int64(len(data)))
}

func TestRoundTrip(t *testing.T) {
	for _, long := range []bool{false, true} {
		s := sample(long)
		path := filepath.Join(t.TempDir(), "x.ckpt")
		if err := os.WriteFile(path, encode(t, s), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if d := cmp.Diff(s.Header, f.Header); d != "" {
			t.Errorf("header (-written +read):\n%s", d)
		}
		for i, section := range f.Sections {
			var got []byte
			err := f.Load(i, func(at int64, data []byte) error {
				if at != int64(len(got)) || len(data)%4 != 0 {
					t.Errorf("%s: a piece of %d bytes at %d after %d", section.Name, len(data), at, len(got))
				}
				got = append(got, data...)
				return nil
			})
			want := make([]byte, section.Bytes())
			s.Read(section, 0, want)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes read back, %v", section.Name, len(got), err)
			}
		}
	}
}

// Every bit counts: whatever byte is changed, the file is refused.
func TestEveryByteIsChecked(t *testing.T) {
	good := encode(t, sample(false))
	if _, err := parseBytes(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		for _, bit := range []byte{1, 0x80} {
			bad := bytes.Clone(good)
			bad[i] ^= bit
			if _, err := parseBytes(bad); err == nil {
				t.Errorf("byte %d changed from %#x to %#x: accepted", i, good[i], bad[i])
			}
		}
	}
	for n := range good {
		if _, err := parseBytes(good[:n]); err == nil {
			t.Errorf("cut to %d of %d bytes: accepted", n, len(good))
		}
	}
}

func TestDamageIsNamed(t *testing.T) {
	good := encode(t, sample(false))
	section := len(good) - 4 - 8 - 4 - 4 - 5*4 // flags, none, geom
	for name, c := range map[string]struct {
		change func(b []byte) []byte
		want   []string
	}{
		"empty":        {func([]byte) []byte { return nil }, []string{"0 bytes found", "at least 28"}},
		"another file": {func([]byte) []byte { return bytes.Repeat([]byte("ply\n"), 20) }, []string{"byte 0", `"SPLATCKP" expected`}},
		"version":      {otherVersion, []string{"version 7 found, 1 expected: written by another version"}},
		"number":       {func(b []byte) []byte { b[8] = 7; return b }, []string{"version 7 found, 1 expected: damaged"}},
		"garbage":      {func(b []byte) []byte { copy(b[8:28], "no version, no header"); return b }, []string{"expected: damaged"}},
		"header size":  {func(b []byte) []byte { b[15] = 9; return b }, []string{"byte 12: a header of 15099"}},
		"header":       {func(b []byte) []byte { b[40] ^= 1; return b }, []string{"header: checksum", "expected"}},
		"geom":         {func(b []byte) []byte { b[section+2] ^= 1; return b }, []string{"section geom (bytes", "checksum", "expected"}},
		"tail sum":     {func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, []string{"section flags"}},
		"cut":          {func(b []byte) []byte { return b[:len(b)-9] }, []string{"the file was cut off"}},
		"longer":       {func(b []byte) []byte { return append(b, 0) }, []string{"something follows"}},
	} {
		path := filepath.Join(t.TempDir(), "x.ckpt")
		if err := os.WriteFile(path, c.change(bytes.Clone(good)), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		if fault.ExitCode(err) != 3 || errors.Is(err, ErrDamaged) == (name == "version") {
			t.Errorf("%s: found %v, expected damage, or another version, with exit code 3", name, err)
			continue
		}
		for _, want := range append(c.want, path) {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: found %q, expected %q in one line", name, err, want)
			}
		}
	}
	if _, err := Open(t.TempDir()); fault.ExitCode(err) != 3 {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent")); fault.ExitCode(err) != 3 || errors.Is(err, ErrDamaged) {
		t.Errorf("an absent file: %v", err)
	}
}

// otherVersion makes a whole file of version 7, which has its header elsewhere.
func otherVersion(b []byte) []byte {
	b[8] = 7
	return append(append(bytes.Clone(b[:prefixBytes]), 0, 0, 0, 0), b[prefixBytes:]...)
}

// A header that is consistent with its checksum may still lie.
func TestLyingHeaders(t *testing.T) {
	for name, sections := range map[string][]Section{
		"negative":  {{"a", F32, -1}},
		"huge":      {{"a", F32, 1 << 62}},
		"too long":  {{"a", F32, 1 << 20}},
		"too short": {{"a", F32, 1}},
		"sum":       {{"a", F32, 100}, {"b", F32, 100}},
		"element":   {{"a", "f64", 2}},
		"twice":     {{"a", F32, 0}, {"a", F32, 0}},
	} {
		text, err := json.Marshal(Header{Sections: sections})
		if err != nil {
			t.Fatal(err)
		}
		f, err := parseBytes(forge(text, make([]byte, 500)))
		if err == nil || !strings.HasPrefix(err.Error(), "header: ") {
			t.Errorf("%s: found %v, %v", name, f, err)
		}
	}
	if _, err := parseBytes(forge([]byte("{"), nil)); err == nil {
		t.Error("broken JSON was accepted")
	}
}

// forge makes a file with a valid prefix of a header and of what follows.
func forge(header, rest []byte) []byte {
	s := &Snapshot{}
	b, _, _ := s.head()
	le := binary.LittleEndian
	le.PutUint32(b[12:], uint32(len(header)))
	le.PutUint64(b[16:], uint64(prefixBytes+len(header)+len(rest)))
	sum := []byte(Sum(append(bytes.Clone(b[:24]), header...)))
	var v uint32
	for _, c := range sum {
		v = v<<4 | uint32(strings.IndexByte("0123456789abcdef", c))
	}
	le.PutUint32(b[24:], v)
	return append(append(b[:prefixBytes:prefixBytes], header...), rest...)
}

// The errors of the source and of the disk come back, and a section that is
// refused by its taker is not called damaged.
func TestErrorsPassThrough(t *testing.T) {
	broken := errors.New("broken")
	s := sample(false)
	s.Read = func(Section, int64, []byte) error { return broken }
	if err := s.Write(io.Discard); !errors.Is(err, broken) {
		t.Errorf("read: %v", err)
	}
	whole := encode(t, sample(true))
	for _, room := range []int{0, 10, 500, pieceBytes + 500, len(whole) - 1} {
		if err := sample(true).Write(&tight{room, broken}); !errors.Is(err, broken) {
			t.Errorf("a disk with room for %d bytes: %v", room, err)
		}
	}
	f, err := parseBytes(encode(t, sample(false)))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Load(0, func(int64, []byte) error { return broken }); err != broken {
		t.Errorf("load: %v", err)
	}
}

// tight is a disk with so much room.
type tight struct {
	room int
	err  error
}

func (w *tight) Write(p []byte) (int, error) {
	if len(p) > w.room {
		return 0, w.err
	}
	w.room -= len(p)
	return len(p), nil
}

func FuzzParse(f *testing.F) {
	good := encode(f, sample(false))
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte(magic))
	f.Add(forge([]byte(`{"sections":[{"name":"a","elem":"f32","count":2}]}`), make([]byte, 12)))
	f.Add(forge([]byte(`{"step":-1,"sections":[{"elem":"u32","count":1152921504606846975}]}`), nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, forge(data, nil), forge(data, make([]byte, 8))} {
			file, err := parseBytes(data)
			if err != nil {
				continue
			}
			sum := int64(0)
			for _, s := range file.Sections {
				sum += s.Bytes()
			}
			if sum > int64(len(data)) {
				t.Errorf("%d bytes of sections in a file of %d", sum, len(data))
			}
		}
	})
}
