package kernel

import "math/bits"

// The random numbers of a run are functions of (seed, step, index), the same
// integers on host and device, so that a step can be repeated, skipped or
// predicted.

// Hash mixes three words into one (the finaliser of MurmurHash3 over each in
// turn; Appleby 2011).
func Hash(a, b, c uint32) uint32 {
	return mix(HashKey(a, b) ^ c*0xC2B2AE35 ^ 0x165667B1)
}

// HashKey is the part of Hash that does not depend on its last word.
func HashKey(a, b uint32) uint32 {
	return mix(mix(a^0x9E3779B9) ^ b*0x85EBCA6B ^ 0x7F4A7C15)
}

func mix(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85EBCA6B
	h ^= h >> 13
	h *= 0xC2B2AE35
	return h ^ h>>16
}

// Streams keep the uses of one step's seed apart.
const (
	StreamView = iota + 1
	StreamBackground
	StreamNoise
	StreamSample
	StreamSplit
)

// ViewAt returns the view that step uses among n: each epoch of n steps visits
// every view once, in an order that depends on seed and epoch. It is a keyed
// bijection (four Feistel rounds over the next power of four, walked until the
// value falls below n), so nobody has to keep a list.
func ViewAt(seed, step, n uint32) uint32 {
	if n <= 1 {
		return 0
	}
	epoch, x := step/n, step%n
	half := uint32(bits.Len32(n-1)+1) / 2
	mask := uint32(1)<<half - 1
	for {
		left, right := x>>half, x&mask
		for round := range uint32(4) {
			left, right = right, left^Hash(seed^StreamView<<24, epoch*4+round, right)&mask
		}
		x = left<<half | right
		if x < n {
			return x
		}
	}
}

// Below maps a random word to [0, n) by its high product word.
func Below(word, n uint32) uint32 {
	hi, _ := bits.Mul32(word, n)
	return hi
}
