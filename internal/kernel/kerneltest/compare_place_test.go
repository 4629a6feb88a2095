package kerneltest

import (
	"strings"
	"testing"

	"splat/internal/kernel"
)

// picture is a run of a kernel on a step of 3 x 2 tiles, 40 x 20 pixels, with one
// word of a binding that is not what it should be.
func picture(k *kernel.Contract, words map[string]int, binding string, at int) *Run {
	step := make([]uint32, kernel.Elem("Step").Size()/4)
	step[20], step[21], step[22], step[23] = 40, 20, 3, 2
	r := &Run{Dispatch: &kernel.Dispatch{Kernel: k, Constants: make([]uint32, len(k.Constants))}, Groups: 6}
	for _, m := range []*map[string][]uint32{&r.Before, &r.Want, &r.Got} {
		*m = map[string][]uint32{"step": step}
		for name, n := range words {
			(*m)[name] = make([]uint32, n)
		}
	}
	r.Got[binding][at] = bitsOf(7)[0]
	return r
}

// A difference in the picture is told with the pixel or the tile that it is in.
func TestPlacesInThePicture(t *testing.T) {
	raster := map[string]int{"image": 4 * 800, "last": 800}
	loss := map[string]int{"maps": 9 * 800, "partials": 2 * 6}
	for want, r := range map[string]*Run{
		"image: 1 of 3200 elements differ, the first at element 490, pixel x 2 y 3, row 122, column 2: 7, want 0": picture(kernel.Rasterize, raster, "image", 4*(3*40+2)+2),
		"last: 1 of 800 elements differ, the first at element 799, pixel x 39 y 19: ":                             picture(kernel.Rasterize, raster, "last", 799),
		"partials: 1 of 12 elements differ, the first at element 9, tile x 1 y 1, row 4, column 1: 7, want 0":     picture(kernel.Loss, loss, "partials", 9),
	} {
		err := Compare(r.Dispatch, r.Groups, r.Before, r.Want, r.Got)
		if flipped := strings.HasPrefix(want, "image") || strings.HasPrefix(want, "last"); flipped {
			expectError(t, err, "") // one element is within what the threshold excuses
			_, err = CompareRun(r, true)
		}
		expectError(t, err, want)
	}
}

// Compare is one line, whatever differs.
func TestCompareIsOneLine(t *testing.T) {
	r := picture(kernel.Loss, map[string]int{"maps": 9 * 800, "partials": 2 * 6}, "partials", 3)
	r.Got["maps"][1] = bitsOf(3)[0]
	err := Compare(r.Dispatch, r.Groups, r.Before, r.Want, r.Got)
	expectError(t, err, "; partials: ")
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%q has several lines", err)
	}
}
