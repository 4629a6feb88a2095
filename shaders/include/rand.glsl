// Random numbers as functions of (seed, step, index), the same integers as in
// internal/kernel/rand.go.

uint mix_(uint h) {
	h ^= h >> 16;
	h *= 0x85EBCA6Bu;
	h ^= h >> 13;
	h *= 0xC2B2AE35u;
	return h ^ (h >> 16);
}

uint hash_key(uint a, uint b) { return mix_(mix_(a ^ 0x9E3779B9u) ^ (b * 0x85EBCA6Bu) ^ 0x7F4A7C15u); }

uint hash(uint a, uint b, uint c) { return mix_(hash_key(a, b) ^ (c * 0xC2B2AE35u) ^ 0x165667B1u); }

// unit maps a random word to [0, 1) with 24 bits.
float unit(uint word) { return float(word >> 8) * 5.9604644775390625e-8; }

// below maps a random word to [0, n) by its high product word.
uint below(uint word, uint n) {
	uint high, low;
	umulExtended(word, n, high, low);
	return high;
}
