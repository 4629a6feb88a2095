package splatio

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/ksplat"
	"splat/internal/splatio/pack"
	"splat/internal/splatio/ply"
	"splat/internal/splatio/sog"
	"splat/internal/splatio/splat32"
	"splat/internal/splatio/spz"
)

// found is a report with what all readers count.
type found struct {
	pack.Report
	nonFinite int
}

// reader reads a file of one format.
type reader func(path string) (*gaussian.Cloud, *found, error)

// format is a format that is read from the bytes of one file.
type format struct {
	extension string
	is        func(head []byte, named bool) bool // by content; nil where it does not tell
	decode    func(data []byte, name string) (*gaussian.Cloud, *pack.Report, error)
}

// formats are those besides PLY. Content decides first, then the name.
var formats = []format{
	{".spz", spz.Is, spz.Decode},
	{".sog", sog.Is, sog.Decode},
	{".ksplat", ksplat.Is, ksplat.Decode},
	{".splat", nil, splat32.Decode},
}

// readable lists the extensions for messages.
func readable() string {
	list := ".ply"
	for _, f := range formats {
		list += ", " + f.extension
	}
	return list
}

// IsSplatFile reports whether path is named like a splat file, or is the folder of an
// unpacked SOG or its meta.json. It does not look inside of files with the name of a
// format: a .ply may be a point cloud.
func IsSplatFile(path string) bool {
	ext := extension(path)
	for _, f := range formats {
		if ext == f.extension {
			return true
		}
	}
	return ext == ".ply" || sog.IsFolder(path)
}

// IsSplatFolder reports whether path is the folder of an unpacked SOG.
func IsSplatFolder(path string) bool { return sog.IsFolder(path) }

// readerOf chooses by the first bytes, then by the name.
func readerOf(path string) (reader, error) {
	head, err := firstBytes(path)
	if err != nil {
		return nil, err
	}
	if sog.IsFolder(path) {
		return readFolder, nil
	}
	ext := extension(path)
	if bytes.HasPrefix(head, []byte("ply\n")) || bytes.HasPrefix(head, []byte("ply\r")) {
		return readPLY, nil
	}
	for _, f := range formats {
		if f.is != nil && f.is(head, ext == f.extension) {
			return f.read, nil
		}
	}
	for _, f := range formats {
		if ext == f.extension {
			return f.read, nil
		}
	}
	if ext == ".ply" {
		return readPLY, nil // its reader says what is wrong
	}
	return nil, fault.Dataf("%s: not a known splat file, expected %s or the folder of an unpacked SOG", path, readable())
}

func readFolder(path string) (*gaussian.Cloud, *found, error) { return sound(sog.ReadFolder(path)) }

func readPLY(path string) (*gaussian.Cloud, *found, error) {
	cloud, report, err := ply.Read(path)
	if err != nil {
		return nil, nil, err
	}
	f := &found{pack.Report{Format: "ply", Warnings: report.Warnings}, report.NonFinite}
	if report.Packed {
		f.Format = "compressed-ply"
	}
	return cloud, f, nil
}

// read reads the whole file: its memory is the file's size besides what the format
// states.
func (f format) read(path string) (*gaussian.Cloud, *found, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fault.Unreadable(path, err)
	}
	return sound(f.decode(data, path))
}

// sound drops the splats that are not finite.
func sound(cloud *gaussian.Cloud, report *pack.Report, err error) (*gaussian.Cloud, *found, error) {
	if err != nil {
		return nil, nil, err
	}
	_, first := cloud.NonFinite()
	kept, bad := pack.Sound(cloud)
	f := &found{*report, bad}
	if bad > 0 {
		f.Warnf("%d of %d splats dropped because of NaN or infinite values, the first is %s", bad, cloud.Len(), strings.TrimPrefix(first, "splat "))
	}
	return kept, f, nil
}

// headSize is how much of a file the formats look at to know their own.
const headSize = 4096

// firstBytes returns the start of a file; nothing for a folder. What is neither is
// refused before it is opened: a pipe may keep whoever opens it waiting.
func firstBytes(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fault.Unreadable(path, err)
	case info.IsDir():
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, fault.Dataf("%s: found a pipe or a device, expected a splat file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Unreadable(path, err)
	}
	defer f.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fault.Unreadable(path, err)
	}
	return head[:n], nil
}
