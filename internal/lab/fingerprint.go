package lab

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	"splat/internal/archive"
	"splat/internal/dataset"
	"splat/internal/fault"
)

// Fingerprint tells the data of a run from other data, wherever it lies.
type Fingerprint struct {
	Name   string `json:"name"`
	Views  int    `json:"views"`
	Bytes  int64  `json:"bytes"`       // of the pictures' files
	SHA256 string `json:"fingerprint"` // see FingerprintOf
}

// samplePiece is the length of the pieces that are read of a long file.
const samplePiece = 64 << 10

// FingerprintOf is SHA-256 over all that a training reads of a capture:
//
//	"splat capture 1", then for each view, by name:
//	    name, camera as trained on, pose
//	    size of the picture's file, and its bytes; of a file beyond 192 KiB
//	    its first, middle and last 64 KiB; the same of its mask, where it has one
//	then the number of points, their coordinates and colours
//
// Texts and numbers are separated by line ends, floats written so that every bit
// counts. Paths, the order of files on the disk and their dates do not count, nor does the
// split, which the configuration tells. Sampling keeps the cost at 192 KiB a picture:
// a picture that was edited changes its size or these pieces, since formats are
// compressed, but a bit that flipped in between is not seen.
func FingerprintOf(c *dataset.Capture) (Fingerprint, error) {
	f := Fingerprint{Name: c.Name, Views: len(c.Views)}
	sum := sha256.New()
	fmt.Fprintln(sum, "splat capture 1")
	for _, v := range c.Views {
		fmt.Fprintf(sum, "%s\n%v\n%v\n", v.Name, v.Camera, v.Pose) // %v keeps every bit of a float
		if v.Bend != nil {
			fmt.Fprintf(sum, "undistorted %v\n", *v.Bend)
		}
		n, err := sample(sum, v.Image)
		if err != nil {
			return f, fault.Unreadable(v.Image, err)
		}
		f.Bytes += n
		if v.Mask == "" {
			continue
		}
		fmt.Fprintf(sum, "mask, inverted %v\n", v.Inverted)
		if _, err := sample(sum, v.Mask); err != nil {
			return f, fault.Unreadable(v.Mask, err)
		}
	}
	fmt.Fprintln(sum, c.Points.Len())
	if p := c.Points; p != nil {
		_ = binary.Write(sum, binary.LittleEndian, p.XYZ) // a hash takes everything
		sum.Write(p.RGB)
	}
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// sample adds a file's size and content, or pieces of it, and returns the size.
func sample(sum hash.Hash, path string) (int64, error) {
	f, err := archive.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size()
	fmt.Fprintln(sum, size)
	if size <= 3*samplePiece {
		_, err = io.Copy(sum, f)
		return size, err
	}
	for _, at := range []int64{0, (size - samplePiece) / 2, size - samplePiece} {
		if _, err := io.Copy(sum, io.NewSectionReader(f, at, samplePiece)); err != nil {
			return size, err
		}
	}
	return size, nil
}
