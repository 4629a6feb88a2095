package vec

import "testing"

func TestMultiplyAdd(t *testing.T) {
	check := func() {
		for _, x := range []float32{0, 5} { // x/2 + 1 goes to 2
			if got, want := MultiplyAdd(60, x), float32(2*MultiplyAdds()); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
		if got, want := MultiplyAdd(1, 4), float32(3*MultiplyAdds()); got != want {
			t.Errorf("one turn: %v, want %v", got, want)
		}
	}
	check()
	withoutAVX2(check)
}

func TestSum(t *testing.T) {
	check := func() {
		for _, n := range []int{0, 1, 7, 8, 31, 32, 33, 100, 256, 1001} {
			a := make([]float32, n)
			for i := range a {
				a[i] = float32(i + 1)
			}
			if got, want := Sum(a), float32(n*(n+1)/2); got != want {
				t.Errorf("%d values: %v, want %v", n, got, want)
			}
		}
	}
	check()
	withoutAVX2(check)
}
