package sog

import (
	"bytes"
	"encoding/binary"
	"image"

	"golang.org/x/image/vp8l"

	"splat/internal/fault"
)

// picture is a decoded picture, 4 bytes a pixel, row by row.
type picture struct {
	width, height int
	pix           []byte
}

// picture reads a picture of at least count pixels.
func (s *source) picture(name string, count int64) (*picture, error) {
	data, err := s.file(name)
	if err != nil {
		return nil, err
	}
	stream, err := lossless(data)
	if err != nil {
		return nil, fault.Dataf("%s: %s: %w", s.name, name, err)
	}
	cfg, err := vp8l.DecodeConfig(bytes.NewReader(stream))
	if err != nil {
		return nil, fault.Dataf("%s: %s: damaged WebP picture: %w", s.name, name, err)
	}
	pixels := int64(cfg.Width) * int64(cfg.Height)
	if pixels < count {
		return nil, fault.Dataf("%s: %s: %d x %d pixels for %d splats", s.name, name, cfg.Width, cfg.Height, count)
	}
	if err := s.take(4*pixels, name); err != nil {
		return nil, err
	}
	img, err := vp8l.Decode(bytes.NewReader(stream))
	if err != nil {
		return nil, fault.Dataf("%s: %s: damaged WebP picture: %w", s.name, name, err)
	}
	exact, ok := img.(*image.NRGBA)
	if !ok || exact.Stride != 4*cfg.Width || int64(len(exact.Pix)) != 4*pixels {
		return nil, fault.Dataf("%s: %s: a WebP picture of an unknown kind", s.name, name)
	}
	return &picture{cfg.Width, cfg.Height, exact.Pix}, nil
}

// pixel returns the four bytes of pixel i.
func (p *picture) pixel(i int) []byte { return p.pix[4*i : 4*i+4] }

// lossless returns the stream of a lossless picture. What the container says about its
// size is not looked at: only the stream's own size is what decoding takes.
func lossless(data []byte) ([]byte, error) {
	if len(data) < 12 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WEBP" {
		return nil, fault.Dataf("not a WebP picture: found %q at its beginning", data[:min(12, len(data))])
	}
	for rest := data[12:]; len(rest) >= 8; {
		kind, size := string(rest[:4]), int64(binary.LittleEndian.Uint32(rest[4:]))
		rest = rest[8:]
		switch {
		case kind == "VP8 " || kind == "ANMF":
			return nil, fault.Dataf("found a lossy or moving WebP picture, expected a lossless one")
		case size > int64(len(rest)):
			return nil, fault.Dataf("damaged WebP picture: %q of %d bytes, %d are there", kind, size, len(rest))
		case kind == "VP8L":
			return rest[:size], nil
		}
		rest = rest[min(size+size%2, int64(len(rest))):]
	}
	return nil, fault.Dataf("damaged WebP picture: it has no VP8L part")
}
