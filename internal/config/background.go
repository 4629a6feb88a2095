package config

import (
	"strconv"
	"strings"

	"splat/internal/fault"
)

// ParseBackground reads train.background: "random" draws a new colour for each
// step (rgb is then black, what evaluation uses), the others give one colour,
// each channel 0..1.
func ParseBackground(s string) (random bool, rgb [3]float64, err error) {
	switch s {
	case "black":
		return false, rgb, nil
	case "white":
		return false, [3]float64{1, 1, 1}, nil
	case "random":
		return true, rgb, nil
	}
	parts := strings.Split(s, ",")
	if len(parts) != 3 {
		return false, rgb, badBackground(s)
	}
	for i, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return false, [3]float64{}, badBackground(s)
		}
		rgb[i] = v
	}
	return false, rgb, nil
}

func badBackground(s string) error {
	return fault.Usagef("train.background: found %q, expected black, white, random or R,G,B with each 0..1", s)
}
