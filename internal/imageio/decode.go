package imageio

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"splat/internal/archive"
	"splat/internal/fault"
)

// Formats lists the picture formats that Decode reads, for messages.
const Formats = "PNG, JPEG, WebP, TIFF or BMP"

// format is a picture format, recognised by the first bytes of a file.
type format struct {
	name   string
	is     func(head []byte) bool
	decode func(io.Reader) (image.Image, error)
	config func(io.Reader) (image.Config, error)
}

var formats = []format{
	{"PNG", hasPrefix("\x89PNG\r\n\x1a\n"), png.Decode, png.DecodeConfig},
	{"JPEG", hasPrefix("\xff\xd8\xff"), jpeg.Decode, jpeg.DecodeConfig},
	{"WebP", isWebP, webp.Decode, webp.DecodeConfig},
	{"TIFF", isTIFF, tiff.Decode, tiff.DecodeConfig},
	{"BMP", hasPrefix("BM"), bmp.Decode, bmp.DecodeConfig},
}

func hasPrefix(magic string) func([]byte) bool {
	return func(head []byte) bool { return strings.HasPrefix(string(head), magic) }
}

func isWebP(head []byte) bool {
	return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP"
}

func isTIFF(head []byte) bool {
	return strings.HasPrefix(string(head), "II*\x00") || strings.HasPrefix(string(head), "MM\x00*")
}

// Decode reads a picture of any supported format, chosen by content and not by
// the file's ending. The result has straight colour unless the file itself holds
// premultiplied colour; 16-bit channels are rounded to 8 bits.
func Decode(path string) (*Image, error) {
	m, fm, err := decode(path)
	if err != nil {
		return nil, err
	}
	return convert(m, fm.name == "WebP"), nil
}

// decode reads a picture as its decoder delivers it.
func decode(path string) (image.Image, *format, error) {
	f, fm, size, err := open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if err := checkClaim(f, fm, path, size); err != nil {
		return nil, nil, err
	}
	m, err := fm.decode(reader(f, fm, pixelBuffer))
	if err != nil {
		return nil, nil, damaged(path, fm, size, err)
	}
	return m, fm, nil
}

// Header is what a picture's file says about itself.
type Header struct {
	Width, Height int         // of the pixels as stored
	Orientation   Orientation // how they are meant to be shown, by EXIF; 0 where nothing is said
}

// ReadHeader reads a picture's header and no pixels.
func ReadHeader(path string) (Header, error) {
	f, fm, size, err := open(path)
	if err != nil {
		return Header{}, err
	}
	defer f.Close()
	c, err := fm.config(reader(f, fm, headerBuffer))
	if err != nil {
		return Header{}, damaged(path, fm, size, err)
	}
	if c.Width < 1 || c.Height < 1 {
		return Header{}, fault.Dataf("%s: damaged %s picture: its header says %dx%d pixels", path, fm.name, c.Width, c.Height)
	}
	return Header{c.Width, c.Height, orientation(f, fm.name)}, nil
}

// open opens path and finds out its format; the file is at its beginning.
func open(path string) (archive.File, *format, int64, error) {
	f, err := archive.Open(path)
	if err != nil {
		return nil, nil, 0, fault.Unreadable(path, err)
	}
	fm, size, err := sniff(f, path)
	if err != nil {
		f.Close()
		return nil, nil, 0, err
	}
	return f, fm, size, nil
}

func sniff(f archive.File, path string) (*format, int64, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, 0, fault.Unreadable(path, err)
	}
	if st.IsDir() {
		return nil, 0, fault.Dataf("%s: is a folder, expected a picture", path)
	}
	head := make([]byte, 64)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, 0, fault.Unreadable(path, err)
	}
	head = head[:n]
	for i := range formats {
		if formats[i].is(head) {
			if formats[i].name == "TIFF" && isRaw(f) {
				return nil, 0, fault.Dataf("%s: not a picture: found a camera's raw file (DNG, NEF, ARW or CR2), expected %s", path, Formats)
			}
			_, err := f.Seek(0, io.SeekStart)
			return &formats[i], st.Size(), err
		}
	}
	return nil, 0, fault.Dataf("%s: not a picture: found %s, expected %s", path, describe(head), Formats)
}

// Bytes read at a time: few for headers, of which thousands are read when a
// capture is opened.
const (
	headerBuffer = 1 << 12
	pixelBuffer  = 1 << 16
)

// reader buffers f, except for TIFF, which jumps about in the file.
func reader(f archive.File, fm *format, buffer int) io.Reader {
	if fm.name == "TIFF" {
		return f
	}
	return bufio.NewReaderSize(f, buffer)
}

// A picture below freePixels is decoded whatever its file's size; above it the
// header is believed only if the file could hold so many pixels. Deflate packs
// at most 1032 bytes into one, and a byte holds at most 8 pixels.
const (
	freePixels    = 1 << 24
	pixelsPerByte = 8256
	maxSide       = 1 << 17
)

// checkClaim guards the decoders, which allocate what a header claims.
func checkClaim(f archive.File, fm *format, path string, size int64) error {
	c, err := fm.config(reader(f, fm, headerBuffer))
	if err != nil {
		return damaged(path, fm, size, err)
	}
	w, h := int64(c.Width), int64(c.Height)
	if w < 1 || h < 1 || w > maxSide || h > maxSide || w*h > freePixels && w*h > pixelsPerByte*size {
		return fault.Dataf("%s: damaged %s picture: its header says %dx%d pixels, which %d bytes cannot hold",
			path, fm.name, w, h, size)
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// damaged names the file and tells a file that ends early from other damage.
func damaged(path string, fm *format, size int64, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fault.Dataf("%s: damaged %s picture: the file ends too early, after %d bytes", path, fm.name, size)
	}
	return fault.Dataf("%s: damaged or unusual %s picture: %w", path, fm.name, err)
}

// describe says in a few words what the beginning of a file looks like.
func describe(head []byte) string {
	switch {
	case len(head) == 0:
		return "an empty file"
	case strings.HasPrefix(string(head), "version https://git-lfs"):
		return "a Git LFS pointer (the picture itself was not fetched)"
	case foreignName(head) != "":
		return foreignName(head)
	case len(head) >= 12 && string(head[4:8]) == "ftyp":
		return fmt.Sprintf("a %q container (HEIC, AVIF or video)", head[8:12])
	case isText(head):
		line, _, _ := strings.Cut(string(head), "\n")
		return fmt.Sprintf("text %q", strings.ToValidUTF8(line, ""))
	}
	return fmt.Sprintf("bytes % x", head[:min(8, len(head))])
}

// isText allows for a character that is cut at the end of head.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && len(head) >= utf8.UTFMax || r < ' ' && !strings.ContainsRune("\t\r\n", r) {
			return false
		}
		head = head[n:]
	}
	return true
}
