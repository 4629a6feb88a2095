package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"splat/internal/backend"
	"splat/internal/bench"
	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/kernel"
	"splat/internal/sysinfo"
)

// benchFlags are the flags of bench.
type benchFlags struct {
	filter, benchtime, splats, sizes string
	count                            int
	list, all, peaks                 bool
}

func (f *benchFlags) add(fs *pflag.FlagSet) {
	stringFlag(fs, &f.filter, "filter", "REGEX", groupCommand, "only cases whose name matches; where none of the usual ones does, of the whole grid")
	boolFlag(fs, &f.list, "list", "", groupCommand, "print the names of the cases and the memory that each needs, and end")
	boolFlag(fs, &f.all, "all", "", groupCommand, "the whole grid: 0.1, 1 and 10 million splats at 800x800, 1920x1080 and 3840x2160")
	stringFlag(fs, &f.splats, "splats", "N,...", groupCommand, "numbers of splats instead of the usual ones, such as 0.1M,1M")
	stringFlag(fs, &f.sizes, "size", "WxH,...", groupCommand, "sizes of the picture instead of the usual ones, such as 800x800")
	boolFlag(fs, &f.peaks, "peaks", "", groupCommand, "measure the device instead: memory, arithmetic, dispatches")
	f.benchtime, f.count = "1s", 1
	stringFlag(fs, &f.benchtime, "benchtime", "1s|10x", groupCommand, "how long, or how many times, each case runs after a first time to warm up (default 1s)")
	intFlag(fs, &f.count, "count", 1, 1000, groupCommand, "measurements of each case; benchstat wants 6 or more")
}

// benchPlan is what the flags ask for.
type benchPlan struct {
	cases    []bench.Case
	duration bench.Duration
	count    int
}

// selection reads the flags that choose cases.
func (f *benchFlags) selection() (s bench.Selection, err error) {
	s.All, s.Peaks = f.all, f.peaks
	if f.filter != "" {
		if s.Filter, err = regexp.Compile(f.filter); err != nil {
			return s, fault.Usagef("--filter: found %q, expected a regular expression: %v", f.filter, err)
		}
	}
	if f.splats != "" {
		if s.Splats, err = bench.ParseCounts(f.splats); err != nil {
			return s, fault.Usagef("--splats: %w", err)
		}
	}
	if f.sizes != "" {
		if s.Sizes, err = bench.ParseSizes(f.sizes); err != nil {
			return s, fault.Usagef("--size: %w", err)
		}
	}
	if f.peaks && (f.all || f.splats != "" || f.sizes != "") {
		return s, fault.Usagef("--peaks measures the device, not scenes; leave out --all, --splats and --size")
	}
	return s, nil
}

func (f *benchFlags) plan() (p benchPlan, err error) {
	s, err := f.selection()
	if err != nil {
		return p, err
	}
	if p.duration, err = bench.ParseDuration(f.benchtime); err != nil {
		return p, fault.Usagef("--benchtime: %w", err)
	}
	p.count = f.count
	if p.cases = s.Cases(); len(p.cases) == 0 {
		return p, fault.Usagef("--filter: no case matches %q; splat bench --list --all names them", f.filter)
	}
	return p, nil
}

func (a *app) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := a.command(&cobra.Command{
		Use:   "bench [flags]",
		Short: "time kernels and whole steps on fixed synthetic scenes",
		Long: "Times whole training steps, forward passes and every kernel of a step on synthetic scenes\n" +
			"that are the same everywhere, and prints Go's benchmark format: benchstat compares two such\n" +
			"files. What it does is said on standard error. A case that needs more memory than there is\n" +
			"free is left out, and that is said there too.\n\n" +
			"The usual cases are 0.1 million splats at 800x800 and 1 million at 1920x1080. bench/README.md\n" +
			"describes the scenes and how to measure.",
		Example: "  splat bench --count 6 > old.txt\n  splat bench --filter rasterize --splats 1M --size 1920x1080\n" +
			"  splat bench --peaks\n  splat bench --list --all",
		Args: arguments(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.resolve(config.Source{})
			if err != nil {
				return err
			}
			plan, err := f.plan()
			if err != nil {
				return err
			}
			if err := checkDevice(cfg); err != nil {
				return err
			}
			if f.list {
				return a.benchList(plan)
			}
			return a.bench(cmd.Context(), cfg, plan)
		},
	})
	fs := cmd.Flags()
	fs.SortFlags = false
	f.add(fs)
	return cmd
}

// benchCase is a case in the list.
type benchCase struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

func (a *app) benchList(p benchPlan) error {
	doc := struct {
		Cases []benchCase `json:"cases"`
	}{}
	for _, c := range p.cases {
		n, err := c.Bytes()
		if err != nil {
			return err
		}
		a.print("%-60s %s", c.Name, byteText(uint64(n)))
		doc.Cases = append(doc.Cases, benchCase{c.Name, n})
	}
	return a.document(doc)
}

// benchDoc is the JSON document of bench.
type benchDoc struct {
	bench.Header
	Threads int             `json:"threads"`
	Results []bench.Result  `json:"results"`
	Skipped []bench.Skipped `json:"skipped"`
}

func (a *app) bench(ctx context.Context, cfg config.Run, p benchPlan) error {
	device, err := chooseDevice(cfg)
	if err != nil {
		return err
	}
	a.log.note(device)
	be, err := backend.Open(cfg.Backend)
	if err != nil {
		return err
	}
	defer be.Close()
	doc := benchDoc{Header: bench.HeaderOf(be), Threads: cfg.Backend.Threads, Results: []bench.Result{}, Skipped: []bench.Skipped{}}
	if doc.Threads == 0 {
		doc.Threads = runtime.GOMAXPROCS(0)
	}
	if !a.json {
		if _, err := doc.Header.WriteTo(a.stdout); err != nil {
			return err
		}
	}
	err = a.benchRunner(be, p, &doc).Run(ctx, p.cases)
	if err == nil && len(doc.Results) == 0 {
		err = fmt.Errorf("nothing was measured: %s: %s", doc.Skipped[0].Name, doc.Skipped[0].Why)
	}
	return errors.Join(a.document(doc), err)
}

// benchRunner prints results as they come and keeps them for the document.
func (a *app) benchRunner(be kernel.Backend, p benchPlan, doc *benchDoc) *bench.Runner {
	return &bench.Runner{
		Backend: be, Threads: doc.Threads, Duration: p.duration, Count: p.count, Memory: memoryFor(be),
		Begin: func(number int, c bench.Case) {
			a.log.notef("bench: %d of %d: %s", number, len(p.cases), c.Name)
		},
		Done: func(r bench.Result) error {
			doc.Results = append(doc.Results, r)
			if a.json {
				return nil
			}
			_, err := fmt.Fprintln(a.stdout, r.Line(doc.Threads))
			return err
		},
		Skip: func(s bench.Skipped) {
			doc.Skipped = append(doc.Skipped, s)
			a.log.warn("skipped " + s.Name + ": " + s.Why)
		},
	}
}

// memoryFor is how much a case may take: what is free now, less a little for the
// rest of the program. A device with memory of its own says itself when it has no
// more.
func memoryFor(be kernel.Backend) int64 {
	if be.Name() != "cpu" {
		return 0
	}
	n := sysinfo.AvailableMemory()
	if n == 0 {
		n = sysinfo.Memory()
	}
	return int64(n / 16 * 15)
}
