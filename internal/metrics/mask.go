package metrics

// wholeWindows returns for each position of a window of size x size pixels
// whether all pixels under it are in use.
func wholeWindows(use []bool, w, h, size int) []bool {
	valid := w - size + 1
	// run[x] is how many rows up to the current one are whole under the window
	// that begins at column x.
	run := make([]int, valid)
	out := make([]bool, 0, valid*(h-size+1))
	for y := range h {
		row := use[y*w : (y+1)*w]
		length := 0 // of the run of pixels in use that ends at x
		for x, u := range row {
			length++
			if !u {
				length = 0
			}
			if begin := x - size + 1; begin >= 0 {
				run[begin]++
				if length < size {
					run[begin] = 0
				}
			}
		}
		if y >= size-1 {
			for _, rows := range run {
				out = append(out, rows >= size)
			}
		}
	}
	return out
}

// centres returns for each position of a window whether the pixel in its middle
// is in use.
func centres(use []bool, w, h, size int) []bool {
	half := size / 2
	var out []bool
	for y := half; y < h-half; y++ {
		out = append(out, use[y*w+half:(y+1)*w-half]...)
	}
	return out
}

// blackened returns a copy of the picture with the pixels not in use black.
func blackened(img []float32, use []bool) []float32 {
	out := make([]float32, len(img))
	for i, u := range use {
		if u {
			copy(out[3*i:3*i+3], img[3*i:3*i+3])
		}
	}
	return out
}

func anyOf(flags []bool) bool {
	for _, f := range flags {
		if f {
			return true
		}
	}
	return false
}
