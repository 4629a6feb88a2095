package spz

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

// Decode reads the content of an SPZ file. What it unpacks to is compared with the
// header and with pack.Limit before memory is taken; the cloud takes at most 4 times
// as much.
func Decode(data []byte, name string) (*gaussian.Cloud, *pack.Report, error) {
	var h *header
	var arrays [][]byte
	report := &pack.Report{Format: "spz"}
	var err error
	switch {
	case isGzip(data):
		h, arrays, err = unzip(data, name, report)
	case len(data) >= 8 && string(data[:4]) == magic && binary.LittleEndian.Uint32(data[4:]) == 4:
		h, arrays, err = unpack4(data, name, report)
	default: // the arrays as they are
		h, arrays, err = split(bytes.NewReader(data), int64(len(data)), name, report)
	}
	if err != nil {
		return nil, nil, err
	}
	c := h.cloud(arrays)
	c.Antialiased = h.antialiased()
	pack.FlipYZ(c)
	return c, report, nil
}

func unzip(data []byte, name string, report *pack.Report) (*header, [][]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, nil, fault.Dataf("%s: damaged gzip data: %w", name, err)
	}
	return split(z, pack.Limit(int64(len(data))), name, report)
}

// split reads a header of 16 bytes and the arrays after it, of at most limit bytes.
func split(r io.Reader, limit int64, name string, report *pack.Report) (*header, [][]byte, error) {
	head := make([]byte, headerSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, fault.Dataf("%s: damaged gzip data: %w", name, err)
	}
	h, err := parseHeader(head[:n], name)
	if err != nil {
		return nil, nil, err
	}
	if h.version == 4 {
		return nil, nil, fault.Dataf("%s: SPZ version 4 inside gzip, expected versions 1 to 3 there", name)
	}
	if h.total() > limit-headerSize {
		return nil, nil, fault.Dataf("%s: the header says %d splats, which need %d bytes; at most %d can be there", name, h.points, h.total(), limit)
	}
	// The buffer grows with what really comes.
	body, err := io.ReadAll(io.LimitReader(r, h.total()))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, fault.Dataf("%s: damaged gzip data after %d bytes: %w", name, headerSize+len(body), err)
	}
	if int64(len(body)) < h.total() {
		return nil, nil, fault.Dataf("%s: the file is cut: %d splats need %d bytes, %d are there", name, h.points, h.total(), len(body))
	}
	if more, _ := io.CopyN(io.Discard, r, 1); more > 0 {
		h.tellRest(report)
	}
	return h, h.cut(body), nil
}

// tellRest warns about what follows the arrays.
func (h *header) tellRest(report *pack.Report) {
	if h.flags&flagExtensions != 0 {
		report.Warnf("extensions after the splats ignored")
		return
	}
	report.Warnf("bytes after the splats ignored")
}

// cut slices the arrays out of one buffer.
func (h *header) cut(body []byte) [][]byte {
	var arrays [][]byte
	for _, s := range h.sizes() {
		n := s * int(h.points)
		arrays = append(arrays, body[:n])
		body = body[n:]
	}
	return arrays
}

// unpack4 reads a file of version 4.
func unpack4(data []byte, name string, report *pack.Report) (*header, [][]byte, error) {
	h, err := parseHeader4(data, name, report)
	if err != nil {
		return nil, nil, err
	}
	limit := pack.Limit(int64(len(data)))
	if h.total() > limit {
		return nil, nil, fault.Dataf("%s: the header says %d splats, which need %d bytes; at most %d can be there", name, h.points, h.total(), limit)
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(limit)), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, nil, err
	}
	defer z.Close()
	var arrays [][]byte
	at := h.table + int64(h.streams)*entrySize
	for k, s := range h.sizes() {
		entry := data[h.table+int64(k)*entrySize:]
		packed, want := binary.LittleEndian.Uint64(entry), uint64(s)*uint64(h.points)
		if size := binary.LittleEndian.Uint64(entry[8:]); size != want {
			return nil, nil, fault.Dataf("%s: stream %d has %d bytes by the table, expected %d for %d splats", name, k, size, want, h.points)
		}
		if packed > uint64(int64(len(data))-at) {
			return nil, nil, fault.Dataf("%s: the file is cut in stream %d: %d bytes by the table, %d are there", name, k, packed, int64(len(data))-at)
		}
		array, err := inflate(z, data[at:at+int64(packed)], int(want))
		if err != nil {
			return nil, nil, fault.Dataf("%s: stream %d: %w", name, k, err)
		}
		arrays = append(arrays, array)
		at += int64(packed)
	}
	if at < int64(len(data)) {
		report.Warnf("%d bytes after the last stream ignored", int64(len(data))-at)
	}
	return h, arrays, nil
}

// inflate unpacks exactly want bytes.
func inflate(z *zstd.Decoder, packed []byte, want int) ([]byte, error) {
	array, err := z.DecodeAll(packed, make([]byte, 0, want))
	switch {
	case err != nil:
		return nil, fault.Dataf("damaged zstd data: %w", err)
	case len(array) != want:
		return nil, fault.Dataf("found %d bytes, expected %d", len(array), want)
	}
	return array, nil
}

func parseHeader4(data []byte, name string, report *pack.Report) (*header, error) {
	h, err := parseHeader(data, name)
	if err != nil {
		return nil, err
	}
	if len(data) < headerSize4 {
		return nil, fault.Dataf("%s: the file is cut in its header: %d bytes, expected %d", name, len(data), headerSize4)
	}
	h.streams, h.table = int(data[15]), int64(binary.LittleEndian.Uint32(data[16:]))
	if want := len(h.sizes()); h.streams != want {
		return nil, fault.Dataf("%s: %d streams, expected %d for SH degree %d", name, h.streams, want, h.degree)
	}
	if end := int64(len(data)) - int64(h.streams)*entrySize; h.table < headerSize4 || h.table > end {
		return nil, fault.Dataf("%s: the table of streams lies at byte %d, expected %d to %d", name, h.table, headerSize4, end)
	}
	if h.table > headerSize4 {
		report.Warnf("extensions in the header ignored")
	}
	return h, nil
}
