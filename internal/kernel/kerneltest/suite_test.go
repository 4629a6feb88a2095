package kerneltest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
)

// incomplete lists what a contract lacks: its CPU function, its case, a comparison
// of each binding that it writes.
func incomplete(k *kernel.Contract) (out []string) {
	if !cpu.Has(k.Name) {
		out = append(out, "no CPU function")
	}
	c := Lookup(k.Name)
	if c == nil {
		return append(out, "no case")
	}
	for _, b := range k.Bindings {
		if compared := c.output(b.Name) != nil; b.Access.Writes() != compared {
			out = append(out, fmt.Sprintf("%s: written is %v, compared is %v", b.Name, b.Access.Writes(), compared))
		}
	}
	return out
}

func TestEveryContractHasACaseAndACPUFunction(t *testing.T) {
	for _, k := range kernel.Contracts() {
		if missing := incomplete(k); len(missing) > 0 {
			t.Errorf("kernel %s: %v", k.Name, missing)
		}
	}
}

func TestIncompleteSeesWhatIsMissing(t *testing.T) {
	if got := incomplete(&kernel.Contract{Name: "no such kernel"}); len(got) != 2 {
		t.Errorf("a kernel that is only a contract: %v", got)
	}
	ranges := *kernel.Ranges
	ranges.Bindings = append(slices.Clone(ranges.Bindings), kernel.Binding{Name: "more", Elem: kernel.U32, Access: kernel.Write})
	ranges.Bindings[0].Access = kernel.ReadWrite
	if got := incomplete(&ranges); len(got) != 2 {
		t.Errorf("two written bindings without comparison: %v", got)
	}
}

func TestEveryCaseNamesAContract(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Cases() {
		k := kernel.Lookup(c.Kernel)
		if k == nil {
			t.Errorf("case %s names no kernel", c.Kernel)
			continue
		}
		if seen[c.Kernel] {
			t.Errorf("kernel %s has two cases", c.Kernel)
		}
		seen[c.Kernel] = true
		for _, o := range c.Outputs {
			if k.Index(o.Binding) < 0 {
				t.Errorf("case %s: the kernel has no binding %s", c.Kernel, o.Binding)
			}
			if (o.Flips > 0) != (o.Why != "") {
				t.Errorf("case %s: %s: flips without a reason, or a reason without flips", c.Kernel, o.Binding)
			}
		}
	}
}

func TestLayoutCoversRecords(t *testing.T) {
	for elem := range recordTypes {
		if got := 4 * len(layout(elem)); got != elem.Size() {
			t.Errorf("%s: the layout has %d bytes, the record %d", elem, got, elem.Size())
		}
	}
	step := layout("Step")
	if f := step[4]; f != (field{"R[0]", true}) {
		t.Errorf("word 4 of a step is %+v", f)
	}
	if f := step[0]; f != (field{"Noop", false}) {
		t.Errorf("word 0 of a step is %+v", f)
	}
}

// mutant is a backend one of whose kernels does something wrong.
type mutant struct {
	kernel.Backend
	name  string
	alter func(be kernel.Backend, d kernel.Dispatch)
}

func (m mutant) Submit(p kernel.Program, times int) error {
	if err := m.Backend.Submit(p, times); err != nil {
		return err
	}
	for _, d := range p.Recording().Dispatches {
		if d.Kernel.Name == m.name {
			m.alter(m.Backend, d)
		}
	}
	return nil
}

// word changes one word of a binding.
func word(binding string, at int, change func(uint32) uint32) func(kernel.Backend, kernel.Dispatch) {
	return words(binding, func(w []uint32) { w[at] = change(w[at]) })
}

// words changes a binding.
func words(binding string, change func([]uint32)) func(kernel.Backend, kernel.Dispatch) {
	return func(be kernel.Backend, d kernel.Dispatch) {
		buf := d.Buffers[d.Kernel.Index(binding)]
		w, err := readWords(be, buf)
		if err == nil {
			change(w)
			err = writeWords(be, buf, w)
		}
		if err != nil {
			panic(err)
		}
	}
}

func negate(w uint32) uint32 { return w ^ 1<<31 }
func next(w uint32) uint32   { return w + 1 }
func toNaN(uint32) uint32    { return math.Float32bits(float32(math.NaN())) }
func zero(uint32) uint32     { return 0 }
func column(at, of int, change func(uint32) uint32) func([]uint32) {
	return func(w []uint32) {
		for i := at; i < len(w); i += of {
			w[i] = change(w[i])
		}
	}
}

// TestMutantsAreRejected alters one kernel of the backend at a time. The suite must
// blame that kernel and the binding.
func TestMutantsAreRejected(t *testing.T) {
	scenarios := map[string]Scenario{}
	for _, sc := range Scenarios() {
		scenarios[sc.Name] = sc
	}
	for _, m := range []struct {
		scenario, kernel, binding string
		alter                     func(kernel.Backend, kernel.Dispatch)
	}{
		{"render", "begin_render", "args", word("args", 0, next)},
		{"render", "begin_render", "step", word("step", 0, next)},
		{"render", "project", "proj", words("proj", column(kernel.ProjConicB, kernel.ProjRow, negate))},
		{"render", "project", "tiles", words("tiles", column(0, 1, zero))},
		{"render", "sort_scatter", "keys_out", word("keys_out", 0, next)},
		{"render", "sort_scatter", "values_out", words("values_out", func(w []uint32) { w[3], w[4] = w[4], w[3] })},
		{"render", "scan_apply", "out", word("out", 2, next)},
		{"render", "scan_top", "counts", word("counts", kernel.CountVisible, next)},
		{"render", "scan_top", "sums", func(be kernel.Backend, d kernel.Dispatch) { // writes beyond its blocks
			words("sums", func(w []uint32) { w[len(w)-1]++ })(be, d)
		}},
		{"render", "emit", "keys", words("keys", column(0, 1, next))},
		{"render", "emit", "base", words("base", column(0, 1, next))},
		{"render", "ranges", "ranges", word("ranges", 1, next)},
		{"render", "rasterize", "image", word("image", 17, toNaN)},
		{"render", "rasterize", "image", words("image", column(2, 4, zero))},
		{"render", "compact", "tiles", word("tiles", 0, next)}, // read-only there
		{"smooth cutoff", "loss_gradient", "gradient", words("gradient", column(0, 1, negate))},
		{"smooth cutoff", "loss_gradient", "gradient", words("gradient", column(1, 3, zero))},
		{"smooth cutoff", "rasterize_backward", "slots", words("slots", column(kernel.SlotX, kernel.SlotRow, negate))},
		{"antialiased and masked", "rasterize_backward", "slots", words("slots", column(kernel.SlotAbsY, kernel.SlotRow, zero))},
		{"smooth cutoff", "update", "geom", word("geom", kernel.GeomQuat, negate)},
		{"smooth cutoff", "update", "sh_v", word("sh_v", 1, zero)},
		{"smooth cutoff", "update", "stats", words("stats", column(1, 2, zero))},
		{"smooth cutoff", "commit", "control", word("control", 0, zero)},
		{"no-op", "update", "geom", word("geom", 0, next)}, // nothing may run
		{"pair overflow", "set_pairs", "control", word("control", 3, zero)},
		{"mcmc with nothing alive", "mcmc_weights", "dead", words("dead", column(0, 1, zero))},
		{"mcmc", "mcmc_sample", "picks", word("picks", 0, next)},
		{"mcmc", "mcmc_share", "geom", words("geom", column(kernel.GeomScale, kernel.GeomRow, zero))},
		{"mcmc", "mcmc_copy", "sh", word("sh", 2*18, negate)},
		{"mcmc", "fade_opacity", "stats", word("stats", 5, toNaN)},
		{"adc limited", "adc_trim", "add", word("add", 0, func(w uint32) uint32 { return 1 - min(w, 1) })},
		{"adc growing", "adc_apply", "geom", word("geom", kernel.GeomScale, zero)},
		{"adc shrinking", "adc_move", "sh", word("sh", 0, negate)},
	} {
		t.Run(fmt.Sprintf("%s %s %s", m.scenario, m.kernel, m.binding), func(t *testing.T) {
			sc, ok := scenarios[m.scenario]
			if !ok {
				t.Fatal("no such scenario")
			}
			be := mutant{NewCPU(t, cpu.Options{Threads: 1, Reference: true}), m.kernel, m.alter}
			failures := newChecker(Options{}).play(be, sc).Failures
			if len(failures) == 0 {
				t.Fatal("accepted")
			}
			for _, f := range failures {
				if !strings.HasPrefix(f, m.kernel+" ") || !strings.Contains(f, m.binding+":") {
					t.Errorf("blamed %v", f)
				}
			}
		})
	}
}

// tampering alters the output of a dispatch; it reports false where there is
// nothing to alter.
type tampering struct {
	name  string
	alter func(c *comparison) bool
}

// some returns the defined words that an alteration must change to be beyond what
// flips excuse: one, or all where flips are allowed.
func some(c *comparison, usable func(i int) bool) (at []int) {
	best := 0.0
	for i := range c.want {
		if !c.defined(i) || !usable(i) {
			continue
		}
		if c.out.Flips > 0 || len(at) == 0 {
			at = append(at, i)
		}
		if c.out.Flips == 0 && c.real(i) { // the largest of its column
			if share := math.Abs(value(c.want[i])) / c.scale[i%c.columns]; share > best {
				best, at[0] = share, i
			}
		}
	}
	return at
}

func tamperAll(c *comparison, usable func(i int) bool, change func(uint32) uint32) bool {
	at := some(c, usable)
	for _, i := range at {
		c.got[i] = change(c.got[i])
	}
	return len(at) > 0
}

var tamperings = []tampering{
	{"NaN", func(c *comparison) bool {
		for i := range c.got {
			if c.real(i) && c.defined(i) {
				c.got[i] = toNaN(0)
				return true
			}
		}
		return false
	}},
	{"sign", func(c *comparison) bool {
		return tamperAll(c, func(i int) bool { return c.real(i) && value(c.want[i]) != 0 }, negate)
	}},
	{"zero", func(c *comparison) bool {
		return tamperAll(c, func(i int) bool { return c.want[i] > c.out.Slack && value(c.want[i]) != 0 }, zero)
	}},
	{"off by one", func(c *comparison) bool {
		return tamperAll(c, func(i int) bool { return !c.real(i) }, func(w uint32) uint32 { return w + 1 + c.out.Slack })
	}},
	{"not run", func(c *comparison) bool {
		copy(c.got, c.before)
		for i := range c.want {
			if c.defined(i) && c.want[i] != c.before[i] {
				return true
			}
		}
		return false
	}},
	{"beyond", func(c *comparison) bool {
		for i := range c.got {
			if !c.defined(i) && c.access == kernel.ReadWrite {
				c.got[i]++
				return true
			}
		}
		return false
	}},
}

// scratch lists what no comparison looks at: memory in which a kernel keeps what only
// its partner reads. Trainings with and without it must give the same bytes instead.
var scratch = map[string]bool{"rasterize_saving.checkpoints": true, "sweep_scatter.sweep": true}

// TestEveryOutputIsCompared tampers with every binding that any kernel writes, in
// every way that applies: each must be rejected, and each binding but scratch must
// have been tampered with.
func TestEveryOutputIsCompared(t *testing.T) {
	const often = 2 // tries of each tampering with each binding
	tried, done := map[string]int{}, map[string]bool{}
	for _, sc := range Scenarios() {
		be := NewCPU(t, cpu.Options{Reference: true})
		err := Replay(NewCPU(t, cpu.Options{Reference: true}), be, sc, func(r *Run) {
			for _, b := range r.Dispatch.Kernel.Bindings {
				for _, m := range tamperings {
					key := r.Dispatch.Kernel.Name + "." + b.Name
					if !b.Access.Writes() || r.Groups == 0 || tried[key+m.name] >= often {
						continue
					}
					tried[key+m.name]++
					altered, err := tamper(r, b, m)
					done[key] = done[key] || altered
					if altered && err == nil {
						t.Errorf("%s: %s: accepted %s", sc.Name, key, m.name)
					}
					if !altered && err != nil {
						t.Errorf("%s: %s: %v", sc.Name, key, err)
					}
				}
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
	for _, k := range kernel.Contracts() {
		for _, b := range k.Bindings {
			if key := k.Name + "." + b.Name; b.Access.Writes() && done[key] == scratch[key] {
				t.Errorf("%s: tampered with is %v, the kernel's own scratch is %v", key, done[key], scratch[key])
			}
		}
	}
}

// scratchOutputs are not compared: how a device uses them is its own affair.
var scratchOutputs = map[string]bool{"rasterize_saving.checkpoints": true, "sweep_scatter.sweep": true}

// tamper alters one binding of a run, if the tampering applies, and compares.
func tamper(r *Run, b kernel.Binding, m tampering) (altered bool, err error) {
	c := newComparison(r, Lookup(r.Dispatch.Kernel.Name).output(b.Name), b, false)
	if err := c.notNaN(); err != nil { // also measures the columns, which alterations look at
		return false, err
	}
	c.got = slices.Clone(c.got)
	altered = m.alter(c)
	return altered, c.run()
}
