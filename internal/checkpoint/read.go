package checkpoint

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"splat/internal/fault"
)

// File is a checkpoint that was found whole.
type File struct {
	Header
	Path string

	from   io.ReaderAt
	closer io.Closer
	starts []int64 // of the sections
}

// ErrDamaged is in the errors of Open that tell of a state which is lost: the file
// was cut or changed, or is no checkpoint. The others say nothing about the state:
// another version of the program wrote the file, or it cannot be opened now.
var ErrDamaged = errors.New("damaged")

// damaged is an error of what is in a file.
type damaged struct{ error }

func (d damaged) Unwrap() error { return d.error }

func (d damaged) Is(target error) bool { return target == ErrDamaged }

// errVersion tells of a file that is another version's.
var errVersion = errors.New("written by another version of splat")

// Open reads a checkpoint's header and checks every byte of the file. The error
// is of kind fault.Data and names the file, the place, what was found and what
// was expected. The caller closes the File.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Unreadable(path, err)
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fault.Dataf("%s: %w", path, damaged{errors.New("not a regular file")})
	}
	file, err := parse(f, info.Size())
	if err != nil {
		f.Close()
		if !errors.Is(err, errVersion) {
			err = damaged{err}
		}
		return nil, fault.Dataf("%s: %w", path, err)
	}
	file.Path, file.closer = path, f
	return file, nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// parse reads the header of a file of the given size and checks all sections.
// Memory: the header, and one piece of a section.
func parse(r io.ReaderAt, size int64) (*File, error) {
	text, err := readHead(r, size)
	if err != nil {
		return nil, err
	}
	f := &File{from: r}
	if err := json.Unmarshal(text, &f.Header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	var total int64
	if f.starts, total, err = layout(len(text), f.Sections, size); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if total != size {
		return nil, fmt.Errorf("header: sections end at byte %d, the file has %d", total, size)
	}
	for i := range f.Sections {
		if err := f.load(i, func(int64, []byte) error { return nil }); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// readHead returns the header's text after checking it and the file's length.
func readHead(r io.ReaderAt, size int64) ([]byte, error) {
	if size < prefixBytes {
		return nil, fmt.Errorf("%d bytes found, a checkpoint has at least %d", size, prefixBytes)
	}
	prefix := make([]byte, prefixBytes)
	if err := readFull(r, 0, prefix); err != nil {
		return nil, err
	}
	if string(prefix[:8]) != magic {
		return nil, fmt.Errorf("byte 0: %q found, %q expected: not a checkpoint", prefix[:8], magic)
	}
	if v := binary.LittleEndian.Uint32(prefix[8:]); v != version {
		return nil, fmt.Errorf("byte 8: version %d found, %d expected: %w", v, version, whoseVersion(r, size, prefix, v))
	}
	text, err := headText(r, size, prefix)
	if err != nil {
		return nil, err
	}
	if total := binary.LittleEndian.Uint64(prefix[16:]); total != uint64(size) {
		return nil, fmt.Errorf("%d bytes found, %d expected: %s", size, total, cutOr(uint64(size) < total))
	}
	return text, nil
}

// headText returns the header's text after checking its sum.
func headText(r io.ReaderAt, size int64, prefix []byte) ([]byte, error) {
	length := int64(binary.LittleEndian.Uint32(prefix[12:]))
	if length > maxHeader || length > size-prefixBytes {
		return nil, fmt.Errorf("byte 12: a header of %d bytes found, the file has %d left", length, size-prefixBytes)
	}
	text := make([]byte, length)
	if err := readFull(r, prefixBytes, text); err != nil {
		return nil, err
	}
	sum := crc32.Update(crc32.Checksum(prefix[:24], castagnoli), castagnoli, text)
	return text, sameSum("header", sum, prefix[24:])
}

// lastVersion is the highest number that is taken for a version, not for damage.
const lastVersion = 999

// whoseVersion tells another version from damage: no version has such a number, or
// the header fits its sum once the number is set right.
func whoseVersion(r io.ReaderAt, size int64, prefix []byte, found uint32) error {
	right := binary.LittleEndian.AppendUint32(slices.Clone(prefix[:8]), version)
	_, err := headText(r, size, append(right, prefix[12:]...))
	if err == nil || found > lastVersion {
		return ErrDamaged
	}
	return errVersion
}

func cutOr(cut bool) string {
	if cut {
		return "the file was cut off"
	}
	return "something follows the checkpoint"
}

func readFull(r io.ReaderAt, at int64, data []byte) error {
	n, err := r.ReadAt(data, at)
	if n == len(data) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("byte %d: %w", at+int64(n), err)
}

func sameSum(place string, found uint32, stored []byte) error {
	if want := binary.LittleEndian.Uint32(stored); found != want {
		return fmt.Errorf("%s: checksum %08x found, %08x expected", place, found, want)
	}
	return nil
}

// Load hands the bytes of the i-th section to put, in pieces of whole elements and
// in order, and checks their sum once more. data is reused. An error of put comes
// back as it is.
func (f *File) Load(i int, put func(at int64, data []byte) error) error {
	var refused error
	err := f.load(i, func(at int64, data []byte) error {
		refused = put(at, data)
		return refused
	})
	if err != nil && refused == nil {
		return fault.Dataf("%s: %w", f.Path, err)
	}
	return err
}

func (f *File) load(i int, put func(at int64, data []byte) error) error {
	s, start := f.Sections[i], f.starts[i]
	piece, sum := make([]byte, min(pieceBytes, max(s.Bytes(), sumBytes))), uint32(0)
	for at := int64(0); at < s.Bytes(); at += int64(len(piece)) {
		data := piece[:min(int64(len(piece)), s.Bytes()-at)]
		if err := readFull(f.from, start+at, data); err != nil {
			return fmt.Errorf("section %s: %w", s.Name, err)
		}
		sum = crc32.Update(sum, castagnoli, data)
		if err := put(at, data); err != nil {
			return err
		}
	}
	if err := readFull(f.from, start+s.Bytes(), piece[:sumBytes]); err != nil {
		return fmt.Errorf("section %s: %w", s.Name, err)
	}
	return sameSum(fmt.Sprintf("section %s (bytes %d to %d)", s.Name, start, start+s.Bytes()), sum, piece[:sumBytes])
}
