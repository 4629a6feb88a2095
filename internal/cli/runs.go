package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"splat/internal/config"
	"splat/internal/fault"
	site "splat/internal/report"
)

// runsFlags are the flags of runs report.
type runsFlags struct {
	out, runs, findings string
	views               int
}

// runList is the JSON document of runs.
type runList struct {
	Runs []*site.Run `json:"runs"`
}

func (a *app) runsCommand() *cobra.Command {
	cmd := a.command(&cobra.Command{
		Use:   "runs [DIR]",
		Short: "list runs, and make a site of them",
		Long: "Lists the runs in a folder and the folders below it, the newest first; DIR is by default\n" +
			"runs, and may be a run itself. Runs of older versions are listed as far as they can be read.",
		Example: "  splat runs\n  splat runs runs --json\n  splat runs report --out report",
		Args:    arguments(0, 1, "at most one folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.plainFlags(); err != nil {
				return err
			}
			dir := "runs"
			if len(args) == 1 {
				dir = args[0]
			}
			return a.listRuns(dir)
		},
	})
	cmd.AddCommand(a.runsReportCommand())
	return cmd
}

// plainFlags checks the common flags of a command that uses none of them.
func (a *app) plainFlags() error {
	cfg, err := a.resolve(config.Source{})
	if err != nil {
		return err
	}
	return checkDevice(cfg)
}

func (a *app) listRuns(dir string) error {
	runs, _, err := site.FindRuns(dir)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		a.print("no runs in %s", dir)
	} else {
		a.print("%s", runsTable(runs))
	}
	return a.document(runList{append([]*site.Run{}, runs...)})
}

func runsTable(runs []*site.Run) string {
	t := newTable("run", "capture", ">steps", ">splats", ">PSNR", ">SSIM", ">training", "device", "ended by")
	for _, r := range runs {
		capture, end := "-", "not finished"
		if r.Capture != "" {
			capture = filepath.Base(r.Capture)
		}
		if r.Done {
			end = orDash(r.Result.StopReason)
		}
		t.row(r.Name, capture, wholeText(r.Result.Steps), wholeText(r.Result.Splats), decimalText(r.Result.PSNR, 2, ""), decimalText(r.Result.SSIM, 4, ""),
			decimalText(r.Result.TrainSeconds, 1, " s"), orDash(r.Result.Device), end)
	}
	return t.String()
}

func (a *app) runsReportCommand() *cobra.Command {
	o := runsFlags{views: 4}
	cmd := a.command(&cobra.Command{
		Use:   "report --out DIR [flags]",
		Short: "make a static site of runs and findings",
		Long: "Makes a site of runs, paired experiments and findings: a page each, curves, intervals, test\n" +
			"views beside their photographs with a map of the error, and every prediction beside its\n" +
			"measurement. It opens from the disk, without a server or a network. An earlier report in\n" +
			"DIR is replaced; a folder that is none is refused.\n\n" +
			"Pictures are rendered from a run's splats.ply where its capture is still there.",
		Example: "  splat runs report --out report\n  splat runs report --out report --runs runs --findings findings --views 2",
		Args:    arguments(0, 0, "flags only"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runsReport(cmd.Context(), o) },
	})
	fs := cmd.Flags()
	fs.SortFlags = false
	stringFlag(fs, &o.out, "out", "DIR", groupCommand, "folder of the report")
	stringFlag(fs, &o.runs, "runs", "DIR", groupCommand, "folder of runs (default runs, where there is one)")
	stringFlag(fs, &o.findings, "findings", "DIR", groupCommand, "folder of findings (default findings or docs/findings, where there is one)")
	intFlag(fs, &o.views, "views", 0, 12, groupCommand, "test views to show of each run")
	return cmd
}

func (a *app) runsReport(ctx context.Context, o runsFlags) error {
	if err := a.plainFlags(); err != nil {
		return err
	}
	if o.out == "" {
		return fault.Usagef("no folder for the report: name one, --out DIR")
	}
	if o.runs == "" && isDir("runs") {
		o.runs = "runs"
	}
	if o.findings == "" {
		o.findings, _ = findingsDir("")
	}
	if o.runs == "" && o.findings == "" {
		return fault.Usagef("found neither a folder runs nor a folder findings here; name one, --runs DIR or --findings DIR")
	}
	if err := site.Check(o.out, o.runs, o.findings); err != nil {
		return err
	}
	s, err := site.Open(o.runs, o.findings)
	if err != nil {
		return err
	}
	if o.views > 0 {
		s.Views = func(ctx context.Context, r *site.Run, emit func(site.View) error) (string, error) {
			return a.runViews(ctx, r, o.views, emit)
		}
	}
	done, err := site.Write(ctx, o.out, s)
	if err != nil {
		return err
	}
	a.print("%s, %s and %s in %s", plural(done.Runs, "run"), plural(done.Findings, "finding"), plural(done.Pictures, "view"), done.Index)
	return a.document(done)
}

// findingsDir is the folder of findings that is meant by "": findings, or
// docs/findings where only that exists. ok is false where neither does.
func findingsDir(dir string) (found string, ok bool) {
	if dir != "" {
		return dir, true
	}
	for _, d := range []string{"findings", filepath.Join("docs", "findings")} {
		if info, err := os.Stat(d); err == nil && info.IsDir() {
			return d, true
		}
	}
	return "", false
}
