// Package vec holds the float32 loops that the CPU engine spends its time in.
// Each has a reference in plain Go, which says what it computes and runs where
// nothing better does, and on amd64 an AVX2 version that is chosen at run time.
// The two agree within rounding: they order sums differently and the AVX2 ones
// use fused multiply-add.
package vec

// Names of instruction paths.
const (
	PathAVX2 = "avx2+fma"
	PathGo   = "go"
)

// Path names the instructions that the loops use on this processor.
func Path() string {
	if useAVX2 {
		return PathAVX2
	}
	return PathGo
}

// Wide reports whether Splats can be used on this processor. Elsewhere kernels on
// splats run one at a time.
func Wide() bool { return useAVX2 }
