package bench

import (
	"time"

	"splat/internal/kernel"
)

// rateBytes is the size of the arrays that a device copies for Bandwidth.
const rateBytes = 128 << 20

// rateTurns is how often; the quickest counts.
const rateTurns = 4

// Bandwidth measures how fast a device copies its own memory, in bytes a second; what is
// read and what is written both count.
func Bandwidth(be kernel.Backend) (float64, error) {
	from := &kernel.Buffer{Name: "copied from", Elem: kernel.U32, Len: rateBytes / 4}
	to := &kernel.Buffer{Name: "copied to", Elem: kernel.U32, Len: rateBytes / 4}
	for _, b := range []*kernel.Buffer{from, to} {
		if err := be.Alloc(b); err != nil {
			return 0, err
		}
		defer be.Free(b)
	}
	best := time.Duration(0)
	for range rateTurns {
		if err := be.Wait(); err != nil {
			return 0, err
		}
		const copies = 4
		began := time.Now()
		for range copies {
			if err := be.Copy(to, from); err != nil {
				return 0, err
			}
		}
		if err := be.Wait(); err != nil {
			return 0, err
		}
		if took := time.Since(began) / copies; best == 0 || took < best {
			best = took
		}
	}
	return 2 * rateBytes / best.Seconds(), nil
}

// Arithmetic measures how many float32 operations a second the processor does, with so
// many threads. It says nothing of other devices.
func Arithmetic(threads int) (float64, error) {
	w := multiplyAddWork(0, threads)
	best := time.Duration(0)
	for range rateTurns {
		began := time.Now()
		if err := w.Run(4); err != nil {
			return 0, err
		}
		if took := time.Since(began) / 4; best == 0 || took < best {
			best = took
		}
	}
	return w.Rates[0].Value / best.Seconds(), nil
}
