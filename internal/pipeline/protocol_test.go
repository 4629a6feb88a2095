package pipeline_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

// denseScene has more pairs than a block of the sort holds, several views of
// different sizes and splats that cover more than 32 tiles.
func denseScene() *kerneltest.Scene {
	s := kerneltest.NewScene(11, 3000, 131, 117, 2)
	for i := range 5 {
		for k := range 3 {
			s.Geom[i*kernel.GeomRow+kernel.GeomScale+k] = 0.1
		}
	}
	small := kerneltest.TiltedView(50, 33)
	small.T[0] += 0.3
	s.Views = append(s.Views, small)
	s.Plan.Views, s.Schedule.Views = 2, 2
	s.Schedule.NoiseLR = 50
	s.Schedule.OpacityReg, s.Schedule.ScaleReg = 0.01, 0.01
	s.Schedule.BackgroundRandom = 1
	s.Schedule.SHInterval = 2
	return s
}

func runSteps(t *testing.T, s *kerneltest.Scene, o cpu.Options, steps int) (map[string]uint64, kernel.Control) {
	pl := s.Load(t, kerneltest.NewCPU(t, o), nil)
	kerneltest.Submit(t, pl, pl.StepProgram, steps)
	return kerneltest.State(t, pl), kerneltest.Control(t, pl)
}

func TestStepsAreTheSameForAnyThreadsAndOrder(t *testing.T) {
	s := denseScene()
	want, c := runSteps(t, s, cpu.Options{Threads: 1}, 6)
	if c.Step != 6 {
		t.Fatalf("ran %d of 6 steps: %+v", c.Step, c)
	}
	if int(c.PeakPairs) <= kernel.SortBlock {
		t.Fatalf("%d pairs do not fill a sort block: the test is too small", c.PeakPairs)
	}
	for _, o := range []cpu.Options{
		{Threads: 2}, {Threads: 7},
		{Threads: 2, Checked: true, ShuffleSeed: 1}, {Threads: 3, Checked: true, ShuffleSeed: 2},
	} {
		got, _ := runSteps(t, s, o, 6)
		if d := kerneltest.Different(want, got); len(d) > 0 {
			t.Errorf("%+v: buffers differ from one thread: %v", o, d)
		}
	}
}

func TestDifferentSeesAChange(t *testing.T) {
	s := kerneltest.NewScene(1, 20, 40, 40, 0)
	a, _ := runSteps(t, s, cpu.Options{}, 1)
	s.Geom[0] += 1e-6
	b, _ := runSteps(t, s, cpu.Options{}, 1)
	if len(kerneltest.Different(a, b)) == 0 {
		t.Error("states of different runs compare equal")
	}
}

// TestPairOverflow gives a step room for far too few pairs: nothing may change
// but the flag, and after growth the same steps give the same bytes as a run that
// had room from the start.
func TestPairOverflow(t *testing.T) {
	s := denseScene()
	want, _ := runSteps(t, s, cpu.Options{Threads: 2}, 4)
	s.Plan.Pairs = 64
	for _, o := range []cpu.Options{{Threads: 2}, {Threads: 2, Checked: true, ShuffleSeed: 5}} {
		pl := s.Load(t, kerneltest.NewCPU(t, o), nil)
		before := kerneltest.State(t, pl)
		kerneltest.Submit(t, pl, pl.StepProgram, 3)
		c := kerneltest.Control(t, pl)
		if c.Step != 0 || c.Overflow != kernel.OverflowPairs || c.NeedPairs <= 64 {
			t.Fatalf("overflow was not reported: %+v", c)
		}
		if d := kerneltest.Different(before, kerneltest.State(t, pl)); !cmp.Equal(d, []string{"control"}) {
			t.Errorf("an overflowing step changed %v", d)
		}
		for c.Step < 4 {
			if c.Overflow != 0 {
				if err := pl.GrowPairs(max(pl.Plan.Pairs*3/2, int(c.NeedPairs))); err != nil {
					t.Fatal(err)
				}
			}
			c.Overflow, c.NeedPairs, c.Limit = 0, 0, 4
			kerneltest.SetControl(t, pl, c)
			kerneltest.Submit(t, pl, pl.StepProgram, 2)
			c = kerneltest.Control(t, pl)
		}
		c.Limit, c.NeedPairs = 1<<30, 0
		kerneltest.SetControl(t, pl, c)
		got := kerneltest.State(t, pl)
		if d := kerneltest.Different(want, got); len(d) > 0 {
			t.Errorf("after growth %v differ from a run with room", d)
		}
	}
}

func TestNoOps(t *testing.T) {
	for name, change := range map[string]func(*kerneltest.Scene, *kernel.Control){
		"limit":        func(_ *kerneltest.Scene, c *kernel.Control) { c.Limit = 0 },
		"overflow":     func(_ *kerneltest.Scene, c *kernel.Control) { c.Overflow = kernel.OverflowSplats },
		"refine due":   func(s *kerneltest.Scene, c *kernel.Control) { c.Step, c.LastRefine = 20, 10 },
		"not resident": func(s *kerneltest.Scene, _ *kernel.Control) { s.Views[0].Resident = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			s := kerneltest.NewScene(1, 50, 40, 40, 1)
			s.Schedule.RefineEvery, s.Schedule.RefineStop = 10, 100
			c := kernel.Control{Splats: uint32(s.Splats), Limit: 1 << 30}
			change(s, &c)
			pl := s.Load(t, kerneltest.NewCPU(t, cpu.Options{Checked: true}), nil)
			kerneltest.SetControl(t, pl, c)
			before := kerneltest.State(t, pl)
			kerneltest.Submit(t, pl, pl.StepProgram, 2)
			if d := kerneltest.Different(before, kerneltest.State(t, pl)); len(d) > 0 {
				t.Errorf("a no-op changed %v", d)
			}
		})
	}
}

func TestRefineThatRanLetsStepsGoOn(t *testing.T) {
	s := kerneltest.NewScene(1, 50, 40, 40, 1)
	s.Schedule.RefineEvery, s.Schedule.RefineStop = 10, 100
	pl := s.Load(t, kerneltest.NewCPU(t, cpu.Options{}), nil)
	kerneltest.SetControl(t, pl, kernel.Control{Splats: 50, Limit: 1 << 30, Step: 20, LastRefine: 20})
	kerneltest.Submit(t, pl, pl.StepProgram, 40)
	if c := kerneltest.Control(t, pl); c.Step != 30 {
		t.Errorf("stopped at step %d, want 30 where the next refine is due", c.Step)
	}
}

func TestNothingVisible(t *testing.T) {
	s := kerneltest.NewScene(1, 50, 40, 40, 1)
	for i := range s.Splats {
		s.Geom[i*kernel.GeomRow+2] = -1e6
	}
	pl := s.Load(t, kerneltest.NewCPU(t, cpu.Options{Checked: true}), nil)
	kerneltest.Submit(t, pl, pl.StepProgram, 3)
	if c := kerneltest.Control(t, pl); c.Step != 3 || c.NonFinite != 0 {
		t.Errorf("an empty view is not an ordinary step: %+v", c)
	}
}

// TestPictureSizes runs pictures of every awkward size.
func TestPictureSizes(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 40}, {17, 15}, {31, 33}, {16, 16}, {257, 3}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			s := kerneltest.NewScene(1, 30, size[0], size[1], 1)
			pl := s.Load(t, kerneltest.NewCPU(t, cpu.Options{Checked: true}), nil)
			kerneltest.Submit(t, pl, pl.StepProgram, 2)
			if c := kerneltest.Control(t, pl); c.Step != 2 || c.NonFinite != 0 {
				t.Errorf("%+v", c)
			}
		})
	}
}

// TestPairsAreExact compares the listed pairs with a test of every pixel: each
// tile with a pixel that blends is listed, and nothing is padded.
func TestPairsAreExact(t *testing.T) {
	s := denseScene()
	s.Views, s.Schedule.Views, s.Plan.Views = s.Views[:1], 1, 1
	pl := s.Load(t, kerneltest.NewCPU(t, cpu.Options{}), nil)
	kerneltest.Submit(t, pl, pl.MeasureProgram, 1)
	pairs := int(kerneltest.Control(t, pl).PeakPairs)
	keys := kerneltest.Words(t, pl, pl.SortedKeys(), pairs)
	ids := kerneltest.Words(t, pl, pl.SortedPairs(), pairs)
	owners := kerneltest.Words(t, pl, pl.Owners, pairs)
	proj := kerneltest.Reals(t, pl, pl.Proj, s.Splats*kernel.ProjRow)
	tiles := kerneltest.Words(t, pl, pl.Tiles, s.Splats)
	listed := map[[2]uint32]bool{}
	for i := range keys {
		if int(keys[i]) >= pl.Plan.Tiles {
			t.Fatalf("pair %d is padding", i)
		}
		listed[[2]uint32{owners[ids[i]], keys[i]}] = true
		if i > 0 && keys[i] == keys[i-1] && proj[owners[ids[i]]*kernel.ProjRow+kernel.ProjDepth] < proj[owners[ids[i-1]]*kernel.ProjRow+kernel.ProjDepth] {
			t.Fatalf("pair %d lies before its predecessor in the tile", i)
		}
	}
	if len(listed) != pairs {
		t.Errorf("%d of %d pairs are listed twice", pairs-len(listed), pairs)
	}
	missing, idle := pixelTest(s, proj, tiles, listed)
	if missing > 0 {
		t.Errorf("%d (splat, tile) with a blended pixel are not listed", missing)
	}
	if idle > pairs/10 {
		t.Errorf("%d of %d pairs blend no pixel", idle, pairs)
	}
}

// pixelTest evaluates every splat at every pixel.
func pixelTest(s *kerneltest.Scene, proj []float32, tiles []uint32, listed map[[2]uint32]bool) (missing, idle int) {
	w, h := int(s.Views[0].Width), int(s.Views[0].Height)
	tilesX := kernel.Blocks(w, kernel.TileSize)
	idle = len(listed)
	for i := range s.Splats {
		if tiles[i] == 0 {
			continue
		}
		p := proj[i*kernel.ProjRow : (i+1)*kernel.ProjRow]
		hit := map[uint32]bool{}
		for y := range h {
			for x := range w {
				dx, dy := float64(float32(x)+0.5-p[0]), float64(float32(y)+0.5-p[1])
				power := 0.5*(float64(p[2])*dx*dx+float64(p[4])*dy*dy) + float64(p[3])*dx*dy
				if 2*power <= float64(p[kernel.ProjPower])-2e-4 {
					hit[uint32(y/kernel.TileSize*tilesX+x/kernel.TileSize)] = true
				}
			}
		}
		for tile := range hit {
			if listed[[2]uint32{uint32(i), tile}] {
				idle--
			} else {
				missing++
			}
		}
	}
	return missing, idle
}
