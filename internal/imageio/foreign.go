package imageio

import (
	"encoding/binary"
	"io"
	"strings"
)

// foreign are formats that are recognised to be refused by name.
var foreign = []struct{ magic, name string }{
	{"GIF8", "a GIF"},
	{"\xff\x0a", "a JPEG XL picture"},
	{"\x00\x00\x00\x0cJXL ", "a JPEG XL picture"},
	{"\x00\x00\x00\x0cjP  ", "a JPEG 2000 picture"},
	{"\xff\x4f\xff\x51", "a JPEG 2000 picture"},
	{"8BPS", "a Photoshop document"},
	{"\x76\x2f\x31\x01", "an OpenEXR picture"},
	{"#?RADIANCE", "a Radiance HDR picture"},
	{"#?RGBE", "a Radiance HDR picture"},
	{"FUJIFILMCCD-RAW", "a camera's raw file (RAF)"},
	{"IIU\x00", "a camera's raw file (RW2)"},
	{"IIRO", "a camera's raw file (ORF)"},
	{"P5\n", "a PGM picture"},
	{"P6\n", "a PPM picture"},
	{"DDS ", "a DDS texture"},
	{"%PDF", "a PDF document"},
}

func foreignName(head []byte) string {
	for _, f := range foreign {
		if strings.HasPrefix(string(head), f.magic) {
			return f.name
		}
	}
	return ""
}

// Tags of TIFF that tell raw files of cameras.
const (
	tagSubfileType = 254 // bit 0: a reduced picture
	tagDNGVersion  = 50706
)

// isRaw reports whether a TIFF is a camera's raw file (DNG, NEF, ARW, CR2), the first
// picture of which is a thumbnail: to decode that would be a wrong reading.
func isRaw(f io.ReaderAt) bool {
	head := make([]byte, 10)
	if n, _ := f.ReadAt(head, 0); n < len(head) {
		return false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[0] == 'M' {
		order = binary.BigEndian
	}
	if string(head[8:10]) == "CR" {
		return true
	}
	at := int64(order.Uint32(head[4:]))
	count := make([]byte, 2)
	if n, _ := f.ReadAt(count, at); n < 2 {
		return false
	}
	entries := make([]byte, 12*int(order.Uint16(count)))
	n, _ := f.ReadAt(entries, at+2)
	for e := entries[:n]; len(e) >= 12; e = e[12:] {
		switch order.Uint16(e) {
		case tagSubfileType:
			if order.Uint32(e[8:])&1 != 0 {
				return true
			}
		case tagDNGVersion:
			return true
		}
	}
	return false
}
