package vec

// The loops behind measurements of what a processor can do at most. They return
// what they computed so that nothing is optimised away.

// MultiplyAdds is the number of multiply-adds in one turn of MultiplyAdd.
func MultiplyAdds() int {
	if useAVX2 {
		return 12 * 8
	}
	return len(Lanes{})
}

// MultiplyAdd makes turns, at least one, of independent multiply-adds x = x/2 + 1
// in registers, and returns the sum of all x.
func MultiplyAdd(turns int, x float32) float32 {
	v := All(x)
	if useAVX2 {
		multiplyAddAVX2(&v, turns)
		return v.Sum()
	}
	x0, x1, x2, x3, x4, x5, x6, x7 := x, x, x, x, x, x, x, x
	for range turns {
		x0 = x0*0.5 + 1
		x1 = x1*0.5 + 1
		x2 = x2*0.5 + 1
		x3 = x3*0.5 + 1
		x4 = x4*0.5 + 1
		x5 = x5*0.5 + 1
		x6 = x6*0.5 + 1
		x7 = x7*0.5 + 1
	}
	return x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7
}

// Sum reads every value once and returns their sum.
func Sum(a []float32) float32 {
	const block = 32
	var v Lanes
	if n := len(a) / block; useAVX2 && n > 0 {
		readAVX2(&v, &a[0], n)
		a = a[n*block:]
	}
	for ; len(a) >= len(v); a = a[len(v):] {
		for i, x := range (*[len(v)]float32)(a) {
			v[i] += x
		}
	}
	for i, x := range a {
		v[i] += x
	}
	return v.Sum()
}
