//go:build !amd64

package vec

// useAVX2 stays false: there is no assembly for this processor.
var useAVX2 = false
