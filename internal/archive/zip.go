package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"
)

// Limits of what is believed of a zip file. Deflate packs at most 1032 bytes into one;
// what is a picture or a camera file packs ten times at the most.
const (
	maxDepth    = 32
	maxInflated = 4 << 30
	freeInflate = 64 << 20 // below this any ratio is fine
	maxRatio    = 200
)

// zipFile is a zip file with its table of contents. It stays open.
type zipFile struct {
	path string
	file *os.File
	size int64
	time time.Time
	root *node
}

// node is a file or folder of a zip file, and describes itself.
type node struct {
	name     string
	entry    *zip.File // nil for folders
	children map[string]*node
}

func (n *node) Name() string { return n.name }

func (n *node) Size() int64 {
	if n.entry == nil {
		return 0
	}
	return int64(min(n.entry.UncompressedSize64, 1<<62))
}

func (n *node) Mode() fs.FileMode {
	if n.entry == nil {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

func (n *node) ModTime() time.Time {
	if n.entry == nil {
		return time.Time{}
	}
	return n.entry.Modified
}

func (n *node) IsDir() bool { return n.entry == nil }

func (n *node) Sys() any { return nil }

// tables keeps the tables of zip files, by path.
var tables = struct {
	sync.Mutex
	of map[string]*zipFile
}{of: map[string]*zipFile{}}

// table returns the table of a zip file, read again where the file has changed.
func table(path string) (*zipFile, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	tables.Lock()
	defer tables.Unlock()
	if z := tables.of[path]; z != nil && z.size == st.Size() && z.time.Equal(st.ModTime()) {
		return z, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	z := &zipFile{path: path, file: f, size: st.Size(), time: st.ModTime()}
	if z.root, err = readTable(f, st.Size()); err != nil {
		f.Close()
		return nil, unusable(path, err)
	}
	tables.of[path] = z
	return z, nil
}

// readTable reads the table of contents.
func readTable(r io.ReaderAt, size int64) (*node, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("damaged zip file, or none: %w (%d bytes; was the end cut off?)", err, size)
	}
	root := &node{children: map[string]*node{}}
	for _, e := range z.File {
		if err := root.add(e); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// add puts an entry into the tree. A name that leads out is refused: whoever made it
// had something in mind.
func (n *node) add(e *zip.File) error {
	name := strings.ReplaceAll(e.Name, `\`, "/")
	folder := strings.HasSuffix(name, "/")
	parts := strings.Split(path.Clean(name), "/")
	switch {
	case name == "" || strings.HasPrefix(name, "/") || strings.Contains(name, ":") && len(parts[0]) == 2 && parts[0][1] == ':', strings.ContainsRune(name, 0):
		return fmt.Errorf("entry %q: expected a name inside the zip file", e.Name)
	case len(parts) > maxDepth:
		return fmt.Errorf("entry %.60q: %d folders deep, expected at most %d", e.Name, len(parts), maxDepth)
	}
	for _, p := range strings.Split(name, "/") {
		if p == ".." {
			return fmt.Errorf("entry %q leads out of the zip file", e.Name)
		}
	}
	for i, p := range parts {
		if p == "." {
			return nil
		}
		last := i == len(parts)-1
		c := n.children[p]
		switch {
		case c == nil && last && !folder:
			n.children[p] = &node{name: p, entry: e}
			return nil
		case c == nil:
			c = &node{name: p, children: map[string]*node{}}
			n.children[p] = c
		case last && !folder:
			return fmt.Errorf("entry %q is there twice", e.Name)
		case c.entry != nil:
			return fmt.Errorf("entry %q: %s is a file, and a folder too", e.Name, p)
		}
		n = c
	}
	return nil
}

// node walks to an entry; inner is slash-separated.
func (z *zipFile) node(path, inner string) (*node, error) {
	n := z.root
	for _, p := range strings.FieldsFunc(inner, func(r rune) bool { return r == '/' }) {
		if n = n.children[p]; n == nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
	}
	return n, nil
}

func (z *zipFile) list(path, inner string) ([]fs.DirEntry, error) {
	n, err := z.node(path, inner)
	if err != nil {
		return nil, err
	}
	if n.entry != nil {
		return nil, unusable(path, errors.New("is a file, not a folder"))
	}
	return sorted(n), nil
}

// open opens an entry: a stored one where it lies in the zip file, a compressed one to
// be inflated as far as it is read.
func (z *zipFile) open(path, inner string) (File, error) {
	n, err := z.node(path, inner)
	if err != nil {
		return nil, err
	}
	e := n.entry
	if e == nil {
		return &stored{SectionReader: io.NewSectionReader(z.file, 0, 0), info: n}, nil
	}
	if err := check(e, z.size); err != nil {
		return nil, unusable(path, err)
	}
	if e.Method == zip.Store {
		at, err := e.DataOffset()
		if err != nil {
			return nil, unusable(path, damaged(err))
		}
		return &stored{io.NewSectionReader(z.file, at, n.Size()), n}, nil
	}
	r, err := e.Open()
	if err != nil {
		return nil, unusable(path, damaged(err))
	}
	return &inflated{path: path, r: r, info: n, size: n.Size()}, nil
}

// check refuses what cannot be read, and sizes that cannot be true.
func check(e *zip.File, file int64) error {
	packed, size := e.CompressedSize64, e.UncompressedSize64
	switch {
	case e.Flags&1 != 0:
		return fmt.Errorf("is encrypted, expected a zip file without a password")
	case e.Method != zip.Store && e.Method != zip.Deflate:
		return fmt.Errorf("compressed by method %d, expected 0 (stored) or 8 (deflated)", e.Method)
	case packed > uint64(file), e.Method == zip.Store && size != packed:
		return fmt.Errorf("damaged zip file: %d bytes packed as %d in a file of %d", size, packed, file)
	case e.Method == zip.Store:
		return nil
	case size > maxInflated, size > freeInflate && size/maxRatio > packed:
		return fmt.Errorf("%d bytes packed as %d, expected at most %d times as many, and %d", size, packed, maxRatio, int64(maxInflated))
	}
	return nil
}

// unusable is an error as the operating system would make it.
func unusable(path string, err error) error { return &fs.PathError{Op: "open", Path: path, Err: err} }

func damaged(err error) error { return fmt.Errorf("damaged zip file: %w", err) }

// stored is an entry that lies in the zip file as it is.
type stored struct {
	*io.SectionReader
	info *node
}

func (s *stored) Close() error { return nil }

func (s *stored) Stat() (fs.FileInfo, error) { return s.info, nil }

// inflated is a compressed entry. It keeps what was inflated so far.
type inflated struct {
	path string
	r    io.ReadCloser
	info *node
	buf  []byte
	size int64
	pos  int64
	err  error // of inflating, which then goes no further
}

// reach inflates until n bytes are there, or all of them.
func (f *inflated) reach(n int64) {
	const step = 1 << 18
	for f.err == nil && int64(len(f.buf)) < min(n, f.size) {
		at := len(f.buf)
		more := int(min(step, f.size-int64(at)))
		f.buf = append(f.buf, make([]byte, more)...)
		got, err := io.ReadFull(f.r, f.buf[at:])
		f.buf = f.buf[:at+got]
		if err != nil {
			f.err = damaged(err)
		} else if int64(len(f.buf)) == f.size {
			f.finish()
		}
	}
}

// finish reads past the end, where the checksum is compared.
func (f *inflated) finish() {
	if n, err := f.r.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		f.err = damaged(errors.New("the content is not what size and checksum say"))
	}
}

// ReadAt implements io.ReaderAt.
func (f *inflated) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("%s: read at %d", f.path, off)
	}
	if off >= f.size {
		return 0, io.EOF
	}
	want := min(int64(len(p)), f.size-off)
	f.reach(off + want)
	if f.err != nil {
		return 0, f.err
	}
	n := copy(p, f.buf[off:off+want])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Read implements io.Reader.
func (f *inflated) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := f.ReadAt(p, f.pos)
	f.pos += int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// Seek implements io.Seeker.
func (f *inflated) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.pos
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return 0, fmt.Errorf("%s: seek to %d", f.path, offset)
	}
	f.pos = offset
	return offset, nil
}

// Close implements io.Closer.
func (f *inflated) Close() error { return f.r.Close() }

// Stat implements File.
func (f *inflated) Stat() (fs.FileInfo, error) { return f.info, nil }
