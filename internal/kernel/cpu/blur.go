package cpu

import "splat/internal/kernel"

// blur convolves a side x side patch with a separable symmetric window into a
// tile. tmp holds side*TileSize elements. The order of the sums is fixed: pairs
// of mirrored taps from the outside in, then the centre.
func blur[F Float](out, in, tmp, window []F, side int) {
	const n = kernel.TileSize
	if len(window) == 11 {
		blur11(out, in, tmp, (*[11]F)(window), side)
		return
	}
	last, half := len(window)-1, len(window)/2
	for y := range side {
		for x := range n {
			src := in[y*side+x : y*side+x+len(window)]
			var sum F
			for k := range half {
				sum += window[k] * (src[k] + src[last-k])
			}
			tmp[y*n+x] = sum + window[half]*src[half]
		}
	}
	for y := range n {
		for x := range n {
			var sum F
			for k := range half {
				sum += window[k] * (tmp[(y+k)*n+x] + tmp[(y+last-k)*n+x])
			}
			out[y*n+x] = sum + window[half]*tmp[(y+half)*n+x]
		}
	}
}

// blur11 is blur for the usual window, unrolled.
func blur11[F Float](out, in, tmp []F, w *[11]F, side int) {
	const n = kernel.TileSize
	w0, w1, w2, w3, w4, w5 := w[0], w[1], w[2], w[3], w[4], w[5]
	for y := range side {
		src := (*[n + 10]F)(in[y*side:])
		dst := (*[n]F)(tmp[y*n:])
		for x := range dst {
			s := (*[11]F)(src[x : x+11])
			sum := w0 * (s[0] + s[10])
			sum += w1 * (s[1] + s[9])
			sum += w2 * (s[2] + s[8])
			sum += w3 * (s[3] + s[7])
			sum += w4 * (s[4] + s[6])
			dst[x] = sum + w5*s[5]
		}
	}
	for y := range n {
		rows := (*[11 * n]F)(tmp[y*n:])
		dst := (*[n]F)(out[y*n:])
		for x := range dst {
			sum := w0 * (rows[x] + rows[10*n+x])
			sum += w1 * (rows[n+x] + rows[9*n+x])
			sum += w2 * (rows[2*n+x] + rows[8*n+x])
			sum += w3 * (rows[3*n+x] + rows[7*n+x])
			sum += w4 * (rows[4*n+x] + rows[6*n+x])
			dst[x] = sum + w5*rows[5*n+x]
		}
	}
}
