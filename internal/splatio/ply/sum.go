package ply

import (
	"crypto/sha256"
	"encoding/hex"

	"splat/internal/gaussian"
)

// Sum returns the SHA-256 of the file that Write would make, in hexadecimal, and how
// many splats it would leave out. No file is made.
func Sum(c *gaussian.Cloud) (sum string, dropped int, err error) {
	h := sha256.New()
	if dropped, err = encode(h, c); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), dropped, nil
}
