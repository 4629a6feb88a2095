package imageio

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// exif is a TIFF structure whose first directory holds an orientation, of the EXIF
// type given (3 is a 16-bit number), after another tag.
func exif(order binary.AppendByteOrder, kind uint16, orientation uint32) []byte {
	mark := "II"
	if order == binary.AppendByteOrder(binary.BigEndian) {
		mark = "MM"
	}
	b := order.AppendUint32(order.AppendUint16([]byte(mark), 42), 8)
	b = order.AppendUint16(b, 2)
	entry := func(tag, kind uint16, value uint32) {
		b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tag), kind), 1)
		switch kind {
		case 1:
			b = append(b, byte(value), 0, 0, 0)
		case 3:
			b = order.AppendUint16(order.AppendUint16(b, uint16(value)), 0)
		default:
			b = order.AppendUint32(b, value)
		}
	}
	entry(0x0100, 4, 640) // ImageWidth
	entry(0x0112, kind, orientation)
	return order.AppendUint32(b, 0)
}

// segment is a JPEG segment of that marker.
func segment(marker byte, data []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2))
	return append(b, data...)
}

// withSegments puts segments right after the start of a JPEG.
func withSegments(jpg []byte, segments ...[]byte) []byte {
	out := append([]byte{}, jpg[:2]...)
	for _, s := range segments {
		out = append(out, s...)
	}
	return append(out, jpg[2:]...)
}

func exifSegment(tiff []byte) []byte { return segment(0xe1, append([]byte("Exif\x00\x00"), tiff...)) }

// stored is a picture of 24x16 in six fields of 8x8, whose grey levels are
//
//	0 1 2
//	3 4 5
//
// times 40, so that JPEG keeps them.
func stored(t *testing.T) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 24, 16))
	for y := range 16 {
		for x := range 24 {
			m.SetGray(x, y, color.Gray{uint8(40 * (3*(y/8) + x/8))})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fields reads the levels back, row by row.
func fields(m *Image) [][]int {
	var rows [][]int
	for y := 4; y < m.Height; y += 8 {
		var row []int
		for x := 4; x < m.Width; x += 8 {
			row = append(row, (int(m.at(x, y)[0])+20)/40)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestOrientations(t *testing.T) {
	want := map[Orientation][][]int{
		1: {{0, 1, 2}, {3, 4, 5}},
		2: {{2, 1, 0}, {5, 4, 3}},
		3: {{5, 4, 3}, {2, 1, 0}},
		4: {{3, 4, 5}, {0, 1, 2}},
		5: {{0, 3}, {1, 4}, {2, 5}},
		6: {{3, 0}, {4, 1}, {5, 2}},
		7: {{5, 2}, {4, 1}, {3, 0}},
		8: {{2, 5}, {1, 4}, {0, 3}},
	}
	for o, want := range want {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			path := write(t, "a.jpg", withSegments(stored(t), exifSegment(exif(order, 3, uint32(o)))))
			h, err := ReadHeader(path)
			if d := cmp.Diff(Header{24, 16, o}, h); d != "" || err != nil {
				t.Fatalf("header of %d: %v (-want +got)\n%s", o, err, d)
			}
			m, err := Decode(path)
			if err != nil || m.Width != 24 || m.Height != 16 {
				t.Fatalf("%d: decoding has to leave the pixels as stored: %v", o, err)
			}
			m = m.Turned(o)
			if d := cmp.Diff(want, fields(m)); d != "" {
				t.Errorf("orientation %d (-want +got)\n%s", o, d)
			}
			if o.Swaps() != (m.Width == 16) || o.Turns() != (o != 1) {
				t.Errorf("orientation %d: swaps %v, turns %v", o, o.Swaps(), o.Turns())
			}
		}
	}
}

func TestTurnedKeepsTheRest(t *testing.T) {
	m := &Image{Width: 2, Height: 1, Premultiplied: true, Pix: []uint8{1, 2, 3, 4, 5, 6, 7, 8}}
	want := &Image{Width: 1, Height: 2, Premultiplied: true, Pix: []uint8{5, 6, 7, 8, 1, 2, 3, 4}}
	if d := cmp.Diff(want, m.Turned(8)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	for _, o := range []Orientation{0, 1, 9, 255} {
		if m.Turned(o) != m {
			t.Errorf("%d made a copy", o)
		}
	}
}

// EXIF that is odd or damaged says nothing and does no harm.
func TestOrientationElsewhere(t *testing.T) {
	le := binary.LittleEndian
	six := exif(le, 3, 6)
	jfif := segment(0xe0, []byte("JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"))
	xmp := segment(0xe1, []byte("http://ns.adobe.com/xap/1.0/\x00<x/>"))
	jpg := stored(t)
	for name, c := range map[string]struct {
		data []byte
		want Orientation
	}{
		"no EXIF":         {jpg, 0},
		"after JFIF":      {withSegments(jpg, jfif, exifSegment(six)), 6},
		"before XMP":      {withSegments(jpg, exifSegment(six), xmp), 6},
		"a comment":       {withSegments(jpg, segment(0xfe, []byte("hello")), exifSegment(six)), 6},
		"of 32 bits":      {withSegments(jpg, exifSegment(exif(le, 4, 6))), 6},
		"of 8 bits":       {withSegments(jpg, exifSegment(exif(le, 1, 6))), 6},
		"zero":            {withSegments(jpg, exifSegment(exif(le, 3, 0))), 0},
		"nine":            {withSegments(jpg, exifSegment(exif(le, 3, 9))), 0},
		"unknown type":    {withSegments(jpg, exifSegment(exif(le, 77, 6))), 0},
		"cut":             {withSegments(jpg, exifSegment(six[:len(six)-12])), 0},
		"empty":           {withSegments(jpg, exifSegment(nil)), 0},
		"no byte order":   {withSegments(jpg, exifSegment([]byte("XX*\x00\x08\x00\x00\x00"))), 0},
		"far away":        {withSegments(jpg, exifSegment([]byte("II*\x00\xff\xff\xff\xff"))), 0},
		"PNG":             {pngWithEXIF(t, six), 6},
		"TIFF":            {tiffTurned(6), 6},
		"PNG without":     {encoded(t, image.NewGray(image.Rect(0, 0, 24, 16)), "png"), 0},
		"BMP has no EXIF": {encoded(t, image.NewGray(image.Rect(0, 0, 24, 16)), "bmp"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := ReadHeader(write(t, "a", c.data))
			if d := cmp.Diff(Header{24, 16, c.want}, h); d != "" || err != nil {
				t.Errorf("%v (-want +got)\n%s", err, d)
			}
		})
	}
}

// pngWithEXIF puts an eXIf chunk behind the header chunk.
func pngWithEXIF(t *testing.T, tiff []byte) []byte {
	t.Helper()
	data := encoded(t, image.NewGray(image.Rect(0, 0, 24, 16)), "png")
	chunk := append([]byte("eXIf"), tiff...)
	b := binary.BigEndian.AppendUint32(append([]byte{}, data[:33]...), uint32(len(tiff)))
	b = append(b, chunk...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(chunk))
	return append(b, data[33:]...)
}

// tiffTurned is a grey TIFF of 24x16 with an orientation.
func tiffTurned(orientation uint32) []byte {
	le := binary.LittleEndian
	tags := [][2]uint32{{256, 24}, {257, 16}, {258, 8}, {259, 1}, {262, 1}, {273, 8}, {274, orientation}, {277, 1}, {278, 16}, {279, 24 * 16}}
	b := le.AppendUint32([]byte("II*\x00"), 8+24*16)
	b = append(b, make([]byte, 24*16)...)
	b = le.AppendUint16(b, uint16(len(tags)))
	for _, t := range tags {
		b = le.AppendUint32(le.AppendUint16(le.AppendUint16(b, uint16(t[0])), 3), 1)
		b = le.AppendUint32(b, t[1])
	}
	return le.AppendUint32(b, 0)
}

// A WebP says in its header that EXIF follows the pixels.
func TestOrientationWebP(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(webpAlpha)
	if err != nil {
		t.Fatal(err)
	}
	tiff := exif(binary.LittleEndian, 3, 8)
	data[20] |= 1 << 3
	data = append(binary.LittleEndian.AppendUint32(append(data, "EXIF"...), uint32(len(tiff))), tiff...)
	binary.LittleEndian.PutUint32(data[4:], uint32(len(data)-8))
	h, err := ReadHeader(write(t, "a.webp", data))
	if d := cmp.Diff(Header{1, 1, 8}, h); d != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
}
