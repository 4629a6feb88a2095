package sog

import (
	"encoding/binary"
	"math"
)

// A small encoder of lossless WebP (VP8L): each channel has one prefix code, pixels
// may be stored as differences to their left neighbours. There are no references
// to earlier pixels: the numbers of splats repeat too little. The encoder keeps all
// bytes, also the colours of pixels without alpha.

// order is the order of the channels in the stream, as places in R G B A.
var order = [4]int{1, 0, 2, 3}

// Alphabets: green shares its with lengths of references, the last is of distances.
var alphabets = [5]int{280, 256, 256, 256, 40}

const (
	maxCode       = 15 // bits of a code
	maxLengthCode = 7  // bits of a code for lengths
	predictLeft   = 1  // the mode of the predictor
	blockBits     = 9  // of the predictor's blocks, the largest there are
)

// encodeVP8L packs a picture, in the smaller of the two ways.
func encodeVP8L(p *picture) []byte {
	plain, left := countsOf(p.pix), p.differences()
	counts := countsOf(left)
	w := &bitWriter{}
	w.write(0x2f, 8)
	w.write(uint32(p.width-1), 14)
	w.write(uint32(p.height-1), 14)
	w.write(1, 1) // alpha is used
	w.write(0, 3) // version
	if entropy(counts) < entropy(plain) {
		w.predictor()
		w.image(left, counts)
	} else {
		w.write(0, 1) // no transform
		w.image(p.pix, plain)
	}
	return riff(w.finish())
}

// riff puts the stream into its container.
func riff(stream []byte) []byte {
	size := uint32(len(stream))
	if size%2 != 0 {
		stream = append(stream, 0)
	}
	b := append([]byte("RIFF"), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(stream))+12)
	b = append(b, "WEBPVP8L"...)
	b = binary.LittleEndian.AppendUint32(b, size)
	return append(b, stream...)
}

// differences returns the picture as the predictor leaves it: each pixel minus its
// left neighbour, the first of a row minus the one above, the very first minus opaque
// black.
func (p *picture) differences() []byte {
	d := make([]byte, len(p.pix))
	row := 4 * p.width
	for i := range p.pix {
		before := byte(0)
		switch {
		case i%row >= 4:
			before = p.pix[i-4]
		case i >= row:
			before = p.pix[i-row]
		case i == 3:
			before = 255
		}
		d[i] = p.pix[i] - before
	}
	return d
}

// countsOf counts the values of each channel, in the order of the stream.
func countsOf(pix []byte) (counts [4][256]int) {
	for i := 0; i < len(pix); i += 4 {
		for k, channel := range order {
			counts[k][pix[i+channel]]++
		}
	}
	return counts
}

// entropy is the number of bits that codes for the counts take at least.
func entropy(counts [4][256]int) (bits float64) {
	for _, channel := range counts {
		total := 0
		for _, n := range channel {
			total += n
		}
		for _, n := range channel {
			if n > 0 {
				bits -= float64(n) * math.Log2(float64(n)/float64(total))
			}
		}
	}
	return bits
}

// bitWriter writes from the lowest bit upwards.
type bitWriter struct {
	out  []byte
	hold uint64
	n    int
}

func (w *bitWriter) write(v uint32, n int) {
	w.hold |= uint64(v) << w.n
	w.n += n
	for w.n >= 8 {
		w.out = append(w.out, byte(w.hold))
		w.hold >>= 8
		w.n -= 8
	}
}

func (w *bitWriter) finish() []byte {
	if w.n > 0 {
		w.write(0, 8-w.n)
	}
	return w.out
}

// predictor announces the transform: one mode for all blocks.
func (w *bitWriter) predictor() {
	w.write(1, 1)
	w.write(0, 2) // predictor
	w.write(blockBits-2, 3)
	w.write(0, 1) // no cache of colours
	for k := range alphabets {
		symbol := 0
		if k == 0 {
			symbol = predictLeft
		}
		w.simple([]int{symbol})
	}
	w.write(0, 1) // no more transforms
}

// image writes the codes and the pixels.
func (w *bitWriter) image(pix []byte, counts [4][256]int) {
	w.write(0, 1) // no cache of colours
	w.write(0, 1) // one group of codes
	var codes [4]huffmanCode
	for k := range codes {
		all := make([]int, alphabets[k])
		copy(all, counts[k][:])
		codes[k] = w.code(all)
	}
	w.simple([]int{0}) // distances
	for i := 0; i < len(pix); i += 4 {
		for k, channel := range order {
			v := pix[i+channel]
			w.write(codes[k].bits[v], codes[k].lengths[v])
		}
	}
}

// code writes the code for symbols that occur counts times.
func (w *bitWriter) code(counts []int) huffmanCode {
	switch symbols := used(counts); len(symbols) {
	case 0:
		w.simple([]int{0})
		return huffmanCode{make([]int, len(counts)), make([]uint32, len(counts))}
	case 1:
		w.simple(symbols)
		return huffmanCode{make([]int, len(counts)), make([]uint32, len(counts))}
	case 2:
		w.simple(symbols)
		return newCode(counts, maxCode)
	}
	code := newCode(counts, maxCode)
	w.write(0, 1)
	w.lengths(code.lengths)
	return code
}

// simple writes a code of one or two symbols below 256.
func (w *bitWriter) simple(symbols []int) {
	w.write(1, 1)
	w.write(uint32(len(symbols)-1), 1)
	if symbols[0] <= 1 {
		w.write(0, 1)
		w.write(uint32(symbols[0]), 1)
	} else {
		w.write(1, 1)
		w.write(uint32(symbols[0]), 8)
	}
	if len(symbols) > 1 {
		w.write(uint32(symbols[1]), 8)
	}
}

// The symbols for runs of zeros, and how they are written.
const (
	shortRun, shortMin, shortBits = 17, 3, 3
	longRun, longMin, longBits    = 18, 11, 7
)

// lengthOrder is the order in which the lengths of the codes for lengths are written.
var lengthOrder = [19]int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// token is a symbol of the code for lengths, with what follows it.
type token struct {
	symbol, extra, bits int
}

// tokens takes runs of zeros together.
func tokens(lengths []int) (list []token) {
	for i := 0; i < len(lengths); {
		run := 0
		for i+run < len(lengths) && lengths[i+run] == 0 && run < longMin+1<<longBits-1 {
			run++
		}
		switch {
		case run >= longMin:
			list = append(list, token{longRun, run - longMin, longBits})
		case run >= shortMin:
			list = append(list, token{shortRun, run - shortMin, shortBits})
		default:
			run = 1
			list = append(list, token{symbol: lengths[i]})
		}
		i += run
	}
	return list
}

// lengths writes the lengths of a code, themselves with a code.
func (w *bitWriter) lengths(lengths []int) {
	list := tokens(lengths)
	counts := make([]int, len(lengthOrder))
	for _, t := range list {
		counts[t.symbol]++
	}
	code := newCode(counts, maxLengthCode)
	n := len(lengthOrder)
	for n > 4 && code.lengths[lengthOrder[n-1]] == 0 {
		n--
	}
	w.write(uint32(n-4), 4)
	for _, s := range lengthOrder[:n] {
		w.write(uint32(code.lengths[s]), 3)
	}
	w.write(0, 1) // lengths of the whole alphabet follow
	alone := len(used(counts)) == 1
	for _, t := range list {
		if !alone {
			w.write(code.bits[t.symbol], code.lengths[t.symbol])
		}
		w.write(uint32(t.extra), t.bits)
	}
}
