package bench

import (
	"slices"
	"time"

	"splat/internal/kernel"
)

// CalibrationWork is what a Calibration times.
const CalibrationWork = "a pass of the sort over 1M keys"

// What a calibration does.
const (
	calibrationKeys  = 1 << 20
	calibrationTime  = 10 * time.Millisecond  // of one measurement, about
	calibrationTimes = 5                      // measurements at most, of which the median counts
	calibrationMost  = 200 * time.Millisecond // of all, but for the first
)

// Calibration is one and the same small work, timed at several moments of a run: where
// its times drift, so do those of the run, whatever the reason. It has buffers of its
// own and leaves all others alone.
type Calibration struct {
	backend kernel.Backend
	buffers []*kernel.Buffer
	program kernel.Program
	runs    int // of one measurement
}

// NewCalibration prepares it on a backend and warms up. It takes about 25 MB there.
func NewCalibration(be kernel.Backend) (*Calibration, error) {
	c := &Calibration{backend: be, runs: 1}
	err := c.prepare()
	if err == nil {
		err = c.warmUp()
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Calibration) buffer(name string, n int) *kernel.Buffer {
	b := &kernel.Buffer{Name: "calibration " + name, Elem: kernel.U32, Len: n, Persistent: true}
	c.buffers = append(c.buffers, b)
	return b
}

// prepare records a pass of the sort: the keys stay as they are, so that each run does
// the same.
func (c *Calibration) prepare() error {
	blocks := kernel.Blocks(calibrationKeys, kernel.SortBlock)
	digits := blocks * kernel.Radix
	scans := kernel.Blocks(digits, kernel.ScanBlock)
	counts, keys, values := c.buffer("counts", kernel.NumCounts), c.buffer("keys", calibrationKeys), c.buffer("values", calibrationKeys)
	histogram, offsets, sums := c.buffer("histogram", digits), c.buffer("offsets", digits), c.buffer("sums", scans)
	keysOut, valuesOut := c.buffer("sorted keys", calibrationKeys), c.buffer("sorted values", calibrationKeys)
	for _, b := range c.buffers {
		if err := c.backend.Alloc(b); err != nil {
			return err
		}
	}
	rec := &kernel.Recording{Name: "calibration"}
	rec.Stage("calibration")
	const count, digitCount, total, noFlags, shift = kernel.CountPairs, kernel.CountPairDigits, kernel.CountSorted, 0, 0
	rec.Direct(kernel.SortCount, blocks, kernel.Args{"counts": counts, "keys": keys, "histogram": histogram}, count, shift)
	rec.Direct(kernel.ScanReduce, scans, kernel.Args{"counts": counts, "in": histogram, "sums": sums}, digitCount, noFlags)
	rec.Direct(kernel.ScanTop, 1, kernel.Args{"counts": counts, "sums": sums}, digitCount, total)
	rec.Direct(kernel.ScanApply, scans, kernel.Args{"counts": counts, "in": histogram, "sums": sums, "out": offsets}, digitCount, noFlags)
	rec.Direct(kernel.SortScatter, blocks, kernel.Args{
		"counts": counts, "keys": keys, "values": values, "offsets": offsets, "keys_out": keysOut, "values_out": valuesOut,
	}, count, shift)
	var err error
	if c.program, err = c.backend.Compile(rec); err != nil {
		return err
	}
	return c.fill(counts, keys, uint32(digits))
}

func (c *Calibration) fill(counts, keys *kernel.Buffer, digits uint32) error {
	n := make([]uint32, kernel.NumCounts)
	n[kernel.CountPairs], n[kernel.CountPairDigits] = calibrationKeys, digits
	if err := kernel.WriteSlice(c.backend, counts, 0, n); err != nil {
		return err
	}
	words := make([]uint32, calibrationKeys)
	for i := range words {
		words[i] = kernel.Hash(1, 0, uint32(i))
	}
	return kernel.WriteSlice(c.backend, keys, 0, words)
}

// warmUp runs until clocks have risen, and finds how many runs a measurement has.
func (c *Calibration) warmUp() error {
	for range calibrationTimes {
		took, err := c.measure()
		if err != nil {
			return err
		}
		c.runs = max(int(calibrationTime/max(took, time.Nanosecond)), 1)
		if took > calibrationMost/calibrationTimes {
			break // a slow device is warm
		}
	}
	return nil
}

// measure returns the time of one run, of many together.
func (c *Calibration) measure() (time.Duration, error) {
	if err := c.backend.Wait(); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := c.backend.Submit(c.program, c.runs); err != nil {
		return 0, err
	}
	if err := c.backend.Wait(); err != nil {
		return 0, err
	}
	return time.Since(start) / time.Duration(c.runs), nil
}

// Run does the work a number of times and returns the median of its time.
func (c *Calibration) Run() (time.Duration, error) {
	var list []time.Duration
	for start := time.Now(); len(list) == 0 || len(list) < calibrationTimes && time.Since(start) < calibrationMost; {
		took, err := c.measure()
		if err != nil {
			return 0, err
		}
		list = append(list, took)
	}
	slices.Sort(list)
	return list[len(list)/2], nil
}

// Close frees the buffers.
func (c *Calibration) Close() {
	for _, b := range c.buffers {
		c.backend.Free(b)
	}
	c.buffers = nil
}
