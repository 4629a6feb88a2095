package sog

// maxRows is how many rows a palette can have.
const maxRows = 1 << 16

// cluster puts rows of stride values into at most limit groups of similar ones, by
// cutting the group with the largest spread at the middle of its widest value, and
// returns the mean of each group and the group of each row. It takes rows x stride x
// log(limit) steps.
func cluster(rows []float32, stride, limit int) (means []float32, labels []int) {
	n := len(rows) / stride
	labels = make([]int, n)
	members := make([]int, n)
	for i := range members {
		members[i] = i
	}
	c := &clustering{rows: rows, stride: stride}
	if n > 0 {
		c.split(members, c.spread(members), limit)
	}
	for label, g := range c.groups {
		for _, i := range g {
			labels[i] = label
		}
		means = append(means, c.mean(g)...)
	}
	return means, labels
}

type clustering struct {
	rows   []float32
	stride int
	groups [][]int
}

func (c *clustering) value(i, k int) float32 { return c.rows[i*c.stride+k] }

// spread is what is known of a group: the sums of its values and of their squares,
// place by place.
type spread struct {
	n            float64
	sums, powers []float64
}

func (c *clustering) spread(members []int) spread {
	s := spread{float64(len(members)), make([]float64, c.stride), make([]float64, c.stride)}
	for _, i := range members {
		for k, v := range c.rows[i*c.stride : (i+1)*c.stride] {
			s.sums[k] += float64(v)
			s.powers[k] += float64(v) * float64(v)
		}
	}
	return s
}

// around is the sum of squares of the values of place k around their mean.
func (s *spread) around(k int) float64 { return max(0, s.powers[k]-s.sums[k]*s.sums[k]/s.n) }

// total is the sum over all places.
func (s *spread) total() (sum float64) {
	for k := range s.sums {
		sum += s.around(k)
	}
	return sum
}

// widest returns the place with the largest sum of squares, and that.
func (s *spread) widest() (axis int, most float64) {
	for k := range s.sums {
		if v := s.around(k); v > most {
			axis, most = k, v
		}
	}
	return axis, most
}

// split makes at most limit groups of the members, shared out by their spreads.
func (c *clustering) split(members []int, s spread, limit int) {
	axis, most := s.widest()
	if limit <= 1 || len(members) <= 1 || most == 0 {
		c.groups = append(c.groups, members)
		return
	}
	middle := float32(s.sums[axis] / s.n)
	at := partition(members, func(i int) bool { return c.value(i, axis) <= middle })
	if at == 0 || at == len(members) { // the mean was rounded onto an end
		c.groups = append(c.groups, members)
		return
	}
	low, high := c.spread(members[:at]), c.spread(members[at:])
	left := share(&low, &high, limit)
	c.split(members[:at], low, left)
	c.split(members[at:], high, limit-left)
}

// share is how many of the groups the low members get: as many as their part of the
// members and of the sum of squares asks for, at least one, and not more than they
// can fill.
func share(low, high *spread, limit int) int {
	part := low.n / (low.n + high.n)
	if a, b := low.total(), high.total(); a+b > 0 {
		part = (part + a/(a+b)) / 2
	}
	left := int(part*float64(limit) + 0.5)
	left = max(left, limit-int(high.n), 1)
	return min(left, int(low.n), limit-1)
}

func (c *clustering) mean(members []int) []float32 {
	s := c.spread(members)
	mean := make([]float32, c.stride)
	for k := range mean {
		mean[k] = float32(s.sums[k] / s.n)
	}
	return mean
}

// partition moves the members that are first before the others, keeping the order of
// each kind, and returns how many they are.
func partition(members []int, first func(int) bool) int {
	var rest []int
	at := 0
	for _, i := range members {
		if first(i) {
			members[at] = i
			at++
		} else {
			rest = append(rest, i)
		}
	}
	copy(members[at:], rest)
	return at
}
