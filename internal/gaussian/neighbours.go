package gaussian

import (
	"math"
	"runtime"
	"sync"
)

// neighbours is how many nearest points decide the size of a new splat.
const neighbours = 3

// leafSize is the number of points below which a k-d tree node is not split
// further; scanning so few is faster than descending.
const leafSize = 8

// spacing returns for each point the root of the mean squared distance to its
// three nearest neighbours at other positions (fewer where fewer exist), and
// +Inf where all points coincide. Exact, O(n log n); points that coincide count
// as one neighbour, so that duplicates neither shrink the result nor slow the
// search down. All coordinates must be finite.
func spacing(xyz []float32) []float64 {
	points, owner := unique(xyz)
	t := newTree(points)
	dist := t.spacings()
	out := make([]float64, len(owner))
	for i, o := range owner {
		out[i] = dist[o]
	}
	return out
}

// unique returns the distinct positions of xyz and for each point the index of
// its position.
func unique(xyz []float32) (points [][3]float32, owner []int32) {
	n := len(xyz) / 3
	owner = make([]int32, n)
	seen := make(map[[3]float32]int32, n)
	for i := range n {
		p := [3]float32(xyz[3*i : 3*i+3])
		at, ok := seen[p]
		if !ok {
			at = int32(len(points))
			seen[p] = at
			points = append(points, p)
		}
		owner[i] = at
	}
	return points, owner
}

// tree is a k-d tree over distinct points. The points lie in leaf order; the
// node that covers [lo, hi) splits at (lo+hi)/2, so a node needs only its axis
// and value. Children of node k are 2k+1 and 2k+2.
type tree struct {
	points [][3]float32
	ids    []int32 // index of each point before reordering
	nodes  []split
}

type split struct {
	value float32
	axis  int
}

func newTree(points [][3]float32) *tree {
	t := &tree{points: points, ids: make([]int32, len(points))}
	for i := range t.ids {
		t.ids[i] = int32(i)
	}
	count := 1
	for size := len(points); size > leafSize; size = (size + 1) / 2 {
		count *= 2
	}
	t.nodes = make([]split, count)
	t.build(0, 0, len(points))
	return t
}

// forkSize is the number of points above which the two halves of a node are
// built at the same time.
const forkSize = 1 << 15

func (t *tree) build(node, lo, hi int) {
	if hi-lo <= leafSize {
		return
	}
	axis := widestAxis(t.points[lo:hi])
	mid := (lo + hi) / 2
	t.selectNth(lo, hi, mid, axis)
	t.nodes[node] = split{t.points[mid][axis], axis}
	if hi-lo <= forkSize {
		t.build(2*node+1, lo, mid)
		t.build(2*node+2, mid, hi)
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { t.build(2*node+1, lo, mid) })
	t.build(2*node+2, mid, hi)
	wg.Wait()
}

func widestAxis(points [][3]float32) int {
	lo, hi := points[0], points[0]
	for _, p := range points[1:] {
		for k, v := range p {
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
	}
	axis := 0
	for k := range 3 {
		// In float64: the difference of two float32 may overflow.
		if float64(hi[k])-float64(lo[k]) > float64(hi[axis])-float64(lo[axis]) {
			axis = k
		}
	}
	return axis
}

// selectNth reorders [lo, hi) so that no point before nth is larger and no point
// after it smaller along axis: Hoare's quickselect, which stays balanced where
// many coordinates are equal, with pivots from a fixed pseudo-random sequence.
func (t *tree) selectNth(lo, hi, nth, axis int) {
	random := uint32(hi - lo)
	for hi-lo > 1 {
		random = random*1664525 + 1013904223
		pivot := t.points[lo+int(uint64(random)*uint64(hi-lo)>>32)][axis]
		left, right := t.partition(lo, hi, pivot, axis)
		switch {
		case nth <= right:
			hi = right + 1
		case nth >= left:
			lo = left
		default:
			return
		}
	}
}

// partition moves what is below pivot to the front. On return [lo, right] holds
// values <= pivot, [left, hi) values >= pivot, and what lies between equals it.
func (t *tree) partition(lo, hi int, pivot float32, axis int) (left, right int) {
	left, right = lo, hi-1
	for left <= right {
		for t.points[left][axis] < pivot {
			left++
		}
		for t.points[right][axis] > pivot {
			right--
		}
		if left <= right {
			t.points[left], t.points[right] = t.points[right], t.points[left]
			t.ids[left], t.ids[right] = t.ids[right], t.ids[left]
			left++
			right--
		}
	}
	return left, right
}

// spacings answers every point of the tree, spread over the processors; the
// result is in the order before reordering.
func (t *tree) spacings() []float64 {
	out := make([]float64, len(t.points))
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for w := range workers {
		lo, hi := w*len(out)/workers, (w+1)*len(out)/workers
		wg.Go(func() {
			for i := lo; i < hi; i++ {
				out[t.ids[i]] = t.spacingAt(i)
			}
		})
	}
	wg.Wait()
	return out
}

// query is a search for the nearest neighbours of one point: the smallest
// squared distances so far, ascending.
type query struct {
	tree *tree
	self int
	at   [3]float64
	best [neighbours]float64
}

func (t *tree) spacingAt(i int) float64 {
	p := t.points[i]
	q := query{tree: t, self: i, at: [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}}
	for k := range q.best {
		q.best[k] = math.Inf(1)
	}
	q.visit(0, 0, len(t.points))
	sum, found := 0.0, 0
	for _, d := range q.best {
		if !math.IsInf(d, 1) {
			sum += d
			found++
		}
	}
	if found == 0 {
		return math.Inf(1)
	}
	return math.Sqrt(sum / float64(found))
}

func (q *query) visit(node, lo, hi int) {
	if hi-lo <= leafSize {
		q.scan(lo, hi)
		return
	}
	s := q.tree.nodes[node]
	mid := (lo + hi) / 2
	d := q.at[s.axis] - float64(s.value)
	if d < 0 {
		q.visit(2*node+1, lo, mid)
		if d*d < q.best[neighbours-1] {
			q.visit(2*node+2, mid, hi)
		}
		return
	}
	q.visit(2*node+2, mid, hi)
	if d*d < q.best[neighbours-1] {
		q.visit(2*node+1, lo, mid)
	}
}

func (q *query) scan(lo, hi int) {
	for i := lo; i < hi; i++ {
		p := &q.tree.points[i]
		x, y, z := float64(p[0])-q.at[0], float64(p[1])-q.at[1], float64(p[2])-q.at[2]
		d := x*x + y*y + z*z
		if d < q.best[neighbours-1] && i != q.self {
			q.insert(d)
		}
	}
}

func (q *query) insert(d float64) {
	k := neighbours - 1
	for ; k > 0 && q.best[k-1] > d; k-- {
		q.best[k] = q.best[k-1]
	}
	q.best[k] = d
}
