package cpu_test

import (
	"math"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

// adam is the textbook: Kingma and Ba 2015, algorithm 1.
type adam struct{ p, m, v, rate float64 }

const (
	beta1 = 0.9
	beta2 = 0.999
	eps   = 1e-15
)

func (a *adam) step(g float64, t int) {
	a.m = beta1*a.m + (1-beta1)*g
	a.v = beta2*a.v + (1-beta2)*g*g
	mHat := a.m / (1 - math.Pow(beta1, float64(t)))
	vHat := a.v / (1 - math.Pow(beta2, float64(t)))
	a.p -= a.rate * mHat / (math.Sqrt(vHat) + eps)
}

// updateRig is one splat in front of the camera and the update kernel.
type updateRig struct {
	*rig
	step, tiles, base, slots  *kernel.Buffer
	geom, geomM, geomV, stats *kernel.Buffer
	sh, shM, shV              *kernel.Buffer
	countOf                   *kernel.Buffer
}

func newUpdateRig(t *testing.T, o cpu.Options, row []float32, sh []float32) *updateRig {
	r := newRig(t, o)
	return &updateRig{
		rig: r, step: r.buffer("step", "Step", 1), countOf: r.counts(map[int]uint32{kernel.CountSplats: 1}),
		tiles: r.words("tiles", 1), base: r.words("base", 0), slots: r.buffer("slots", kernel.Real, 64*kernel.SlotRow),
		geom: r.reals("geom", row...), geomM: r.buffer("geom_m", kernel.Real, len(row)), geomV: r.buffer("geom_v", kernel.Real, len(row)),
		sh: r.reals("sh", sh...), shM: r.buffer("sh_m", kernel.Real, len(sh)), shV: r.buffer("sh_v", kernel.Real, len(sh)),
		stats: r.buffer("stats", kernel.Real, kernel.StatRow),
	}
}

// frontal is a splat with the opacity logit 0.4 four units before the camera.
func frontal() []float32 {
	row := make([]float32, kernel.GeomRow)
	row[2], row[kernel.GeomOpacity], row[kernel.GeomQuat] = 4, 0.4, 1
	for k := range 3 {
		row[kernel.GeomScale+k] = -2
	}
	return row
}

// stepAt is the record of step t, counted from 1, for a camera at the origin.
func stepAt(t int, degree uint32) kernel.Step {
	return kernel.Step{
		Index: uint32(t - 1), SHDegree: degree, R: [9]float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, Fx: 50, Fy: 50, Cx: 16, Cy: 16,
		Width: 32, Height: 32, TilesX: 2, TilesY: 2, Near: 0.01, Blur: 0.3,
		LRMeans: 1e-3, LRScales: 5e-3, LRQuats: 1e-3, LROpacities: 5e-2, LRSH0: 2.5e-3, LRSHRest: 1.25e-4,
		Beta1: beta1, Beta2: beta2, Eps: eps,
		Bias1: float32(1 - math.Pow(beta1, float64(t))), Bias2: float32(1 - math.Pow(beta2, float64(t))),
	}
}

func (u *updateRig) update(step kernel.Step, slots []float32) {
	u.t.Helper()
	setRecord(u.rig, u.step, step)
	u.must(kernel.WriteSlice(u.be, u.slots, 0, slots))
	u.kernel(kernel.Update, 1, kernel.Args{
		"step": u.step, "counts": u.countOf, "geom": u.geom, "sh": u.sh, "geom_m": u.geomM, "geom_v": u.geomV,
		"sh_m": u.shM, "sh_v": u.shV, "tiles": u.tiles, "base": u.base, "slots": u.slots, "stats": u.stats,
	}, uint32(u.sh.Len/3), 0)
}

// TestAdam steps a colour and an opacity, which have different rates, with known
// gradients. A slot gradient of colour is C0 times that of the first coefficient.
func TestAdam(t *testing.T) {
	for _, p := range []struct {
		o     cpu.Options
		limit float64
	}{{cpu.Options{Float64: true}, 3e-7}, {cpu.Options{}, 2e-6}} { // records hold float32
		u := newUpdateRig(t, p.o, frontal(), []float32{0.3, 0.2, 0.1})
		color := adam{p: float64(float32(0.3)), rate: 2.5e-3}
		opacity := adam{p: float64(float32(0.4)), rate: 5e-2}
		for step := 1; step <= 30; step++ {
			slots := make([]float32, kernel.SlotRow)
			slots[kernel.SlotColor] = float32(1e-3 * math.Sin(float64(step)))
			slots[kernel.SlotOpacity] = float32(2e-4 * math.Cos(0.7*float64(step)))
			u.update(stepAt(step, 0), slots)
			o := 1 / (1 + math.Exp(-opacity.p))
			opacity.step(float64(slots[kernel.SlotOpacity])*o*(1-o), step)
			color.step(float64(slots[kernel.SlotColor])*0.28209479177387814, step)
			geom, sh := u.readReals(u.geom), u.readReals(u.sh)
			if d := math.Abs(float64(sh[0]) - color.p); !(d < p.limit) {
				t.Fatalf("float64 %v, step %d: colour %v, want %v", p.o.Float64, step, sh[0], color.p)
			}
			if d := math.Abs(float64(geom[kernel.GeomOpacity]) - opacity.p); !(d < 10*p.limit) {
				t.Fatalf("float64 %v, step %d: opacity %v, want %v", p.o.Float64, step, geom[kernel.GeomOpacity], opacity.p)
			}
		}
		if sh := u.readReals(u.sh); sh[1] != 0.2 || sh[2] != 0.1 {
			t.Errorf("colours without a gradient moved to %v", sh)
		}
		// 1-beta2 of a float32 beta2 is 1.3e-5 off
		if v := u.readReals(u.shV)[0]; math.Abs(float64(v)-color.v) > 2e-5*color.v {
			t.Errorf("second moment %v, want %v", v, color.v)
		}
	}
}

// TestAdamOfUnseenSplats: a splat that no tile shows goes on with what its moments
// hold.
func TestAdamOfUnseenSplats(t *testing.T) {
	u := newUpdateRig(t, cpu.Options{Float64: true}, frontal(), []float32{0.3, 0.2, 0.1})
	a := adam{p: float64(float32(0.3)), rate: 2.5e-3}
	slots := make([]float32, kernel.SlotRow)
	slots[kernel.SlotColor] = 1e-3
	u.update(stepAt(1, 0), slots)
	a.step(1e-3*0.28209479177387814, 1)
	u.must(kernel.WriteSlice(u.be, u.tiles, 0, []uint32{0}))
	slots[kernel.SlotColor] = float32(math.NaN()) // nobody may look at it
	for step := 2; step < 8; step++ {
		u.update(stepAt(step, 0), slots)
		a.step(0, step)
	}
	if sh := u.readReals(u.sh); math.Abs(float64(sh[0])-a.p) > 1e-6 {
		t.Errorf("colour %v, want %v", sh[0], a.p)
	}
	if s := u.readReals(u.stats); s[1] != 1 {
		t.Errorf("statistics count %v views, want the one that showed the splat", s[1])
	}
}

// TestInactiveBandsStay: coefficients above the active degree do not move, those
// below have the rate of the rest.
func TestInactiveBandsStay(t *testing.T) {
	sh := make([]float32, 48)
	for i := range sh {
		sh[i] = 0.01 * float32(i)
	}
	u := newUpdateRig(t, cpu.Options{}, frontal(), sh)
	u.update(stepAt(1, 1), []float32{kernel.SlotColor: 1e-3, kernel.SlotRow - 1: 0})
	got := u.readReals(u.sh)
	for i, v := range got {
		moved := math.Abs(float64(v) - float64(sh[i]))
		want := 0.0
		switch { // the splat lies at +z: of degree 1 only z has a value
		case i == 0:
			want = 2.5e-3
		case i == 6:
			want = 1.25e-4
		}
		if math.Abs(moved-want) > 1e-7 {
			t.Errorf("coefficient %d moved by %v, want %v", i, moved, want)
		}
	}
}

// TestSlotSums adds as many slots as the tree and the plain loop take.
func TestSlotSums(t *testing.T) {
	for _, n := range []int{1, 31, 32, 33, 64} {
		u := newUpdateRig(t, cpu.Options{}, frontal(), []float32{0.3, 0.2, 0.1})
		u.must(kernel.WriteSlice(u.be, u.tiles, 0, []uint32{uint32(n)}))
		slots := make([]float32, 64*kernel.SlotRow)
		var want float64
		for i := range 64 {
			slots[i*kernel.SlotRow+kernel.SlotX] = float32(math.NaN())
			if i < n {
				slots[i*kernel.SlotRow+kernel.SlotX] = float32(i%7) * 1e-3
				want += float64(i%7) * 1e-3 * 16
			}
		}
		u.update(stepAt(1, 0), slots)
		if s := u.readReals(u.stats); math.Abs(float64(s[0])-want) > 1e-5*want || s[1] != 1 {
			t.Errorf("%d slots: statistics %v, want %v of one view", n, s, want)
		}
	}
}

// TestStatisticsAddUp over steps until a refine clears them.
func TestStatisticsAddUp(t *testing.T) {
	u := newUpdateRig(t, cpu.Options{}, frontal(), []float32{0.3, 0.2, 0.1})
	slots := make([]float32, kernel.SlotRow)
	slots[kernel.SlotX], slots[kernel.SlotY] = 3e-3, -4e-3
	for step := 1; step <= 3; step++ {
		u.update(stepAt(step, 0), slots)
	}
	if s := u.readReals(u.stats); math.Abs(float64(s[0])-3*16*5e-3) > 1e-6 || s[1] != 3 {
		t.Errorf("statistics %v, want three times half a picture's 16 pixels times 0.005", s)
	}
}

// begin runs the begin kernel at a step.
func begin(t *testing.T, s kernel.Schedule, c kernel.Control) kernel.Step {
	t.Helper()
	r := newRig(t, cpu.Options{})
	step := r.buffer("step", "Step", 1)
	r.kernel(kernel.Begin, 1, kernel.Args{
		"control": newRecord(r, "control", "Control", c), "schedule": newRecord(r, "schedule", "Schedule", s),
		"views": newRecord(r, "views", "View", kerneltest.TiltedView(40, 30)), "step": step,
		"resident": r.buffer("resident", kernel.U32, 1),
		"counts":   r.counts(nil), "args": r.buffer("args", kernel.U32, 3*kernel.NumWork),
	})
	out, err := kernel.ReadRecord[kernel.Step](r.be, step, 0)
	r.must(err)
	return out
}

func TestBiasCorrection(t *testing.T) {
	for _, index := range []uint32{0, 1, 2, 5, 9, 10, 99, 1000, 29_999, 1_000_000} {
		s := begin(t, kernel.Schedule{Views: 1, Steps: 30_000, Beta1: beta1, Beta2: beta2}, kernel.Control{Step: index, Limit: 1 << 30})
		for name, c := range map[string]struct{ got, beta float64 }{
			"beta1": {float64(s.Bias1), float64(float32(beta1))}, "beta2": {float64(s.Bias2), float64(float32(beta2))},
		} {
			want := 1 - math.Pow(c.beta, float64(index)+1)
			if math.Abs(c.got-want) > 2e-6*want {
				t.Errorf("step %d, %s: %v, want %v", index, name, c.got, want)
			}
		}
	}
	if s := begin(t, kernel.Schedule{Views: 1}, kernel.Control{Limit: 1}); s.Bias1 != 1 || s.Bias2 != 1 {
		t.Errorf("without momentum: %v, %v", s.Bias1, s.Bias2)
	}
}

func TestMeansRateFallsExponentially(t *testing.T) {
	schedule := kernel.Schedule{Views: 1, Steps: 1000, LRMeans: 1.6e-4, LRMeansEnd: 1.6e-6}
	for index, want := range map[uint32]float64{0: 1.6e-4, 500: 1.6e-5, 250: 1.6e-4 * math.Pow(0.01, 0.25), 1000: 1.6e-6, 5000: 1.6e-6} {
		s := begin(t, schedule, kernel.Control{Step: index, Limit: 1 << 30})
		if math.Abs(float64(s.LRMeans)-want) > 1e-5*want {
			t.Errorf("step %d: %v, want %v", index, s.LRMeans, want)
		}
	}
	schedule.LRMeansEnd = 0
	if s := begin(t, schedule, kernel.Control{Step: 700, Limit: 1 << 30}); s.LRMeans != 1.6e-4 {
		t.Errorf("without an end the rate is %v", s.LRMeans)
	}
}
