package dataset

import "math"

// fits reports whether a picture of w x h can be a camera's W x H picture at
// another scale, each side rounded by less than a pixel.
func fits(w, h, cameraW, cameraH int) bool {
	if w > cameraW || h > cameraH {
		w, h, cameraW, cameraH = cameraW, cameraH, w, h
	}
	lo := math.Max(float64(w-1)/float64(cameraW), float64(h-1)/float64(cameraH))
	hi := math.Min(float64(w+1)/float64(cameraW), float64(h+1)/float64(cameraH))
	return lo < hi && w <= cameraW && h <= cameraH
}

// sizing is what the options ask of one picture.
type sizing struct {
	downscale, maxSize int
}

// target returns the size at which a picture of w x h, found in a folder of
// reduction n, is delivered. The full size, from which downscale counts, is the
// camera's where the picture is 1/n of that, else n times the picture's. Nothing
// is ever enlarged; small tells that the picture is smaller than a downscale asks
// for.
func (s sizing) target(w, h, n, cameraW, cameraH int) (tw, th int, small bool) {
	tw, th = w, h
	if k := max(s.downscale, 1); k != n {
		fullW, fullH := w*n, h*n
		if n > 1 && near(fullW, cameraW, n) && near(fullH, cameraH, n) {
			fullW, fullH = cameraW, cameraH
		}
		tw, th = divide(fullW, k), divide(fullH, k)
		if tw > w || th > h {
			tw, th, small = w, h, k > 1
		}
	}
	return s.limit(tw, th, small)
}

func near(a, b, within int) bool { return a-b < within && b-a < within }

// divide rounds n/k to the nearest, halves up, but not to nothing.
func divide(n, k int) int { return max(1, (2*n+k)/(2*k)) }

// limit applies the limit of the longest side, which is inclusive.
func (s sizing) limit(w, h int, small bool) (int, int, bool) {
	long := max(w, h)
	if s.maxSize <= 0 || long <= s.maxSize {
		return w, h, small
	}
	f := float64(s.maxSize) / float64(long)
	round := func(n int) int { return max(1, int(math.Round(float64(n)*f))) }
	return round(w), round(h), small
}
