package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"splat/internal/atomicfile"
	"splat/internal/fault"
	"splat/internal/finding"
)

// findingList is the JSON document of finding list.
type findingList struct {
	Findings []*finding.Finding `json:"findings"`
	Errors   []finding.Problem  `json:"errors"` // of files that could not be read as they should
}

// findingCheck is the JSON document of finding check.
type findingCheck struct {
	Findings int               `json:"findings"`
	Errors   []finding.Problem `json:"errors"`
}

// newFinding is the JSON document of finding new.
type newFinding struct {
	ID     string `json:"id"`
	File   string `json:"file"`
	Status string `json:"status"`
}

func (a *app) findingCommand() *cobra.Command {
	var dir string
	cmd := a.command(&cobra.Command{
		Use:   "finding COMMAND",
		Short: "keep what experiments showed",
		Long: "Keeps findings: Markdown files with facts in front of them, a hypothesis and a prediction that\n" +
			"are written before the measurement, and a first reading that stays when it is corrected.",
		Example: "  splat finding new \"f16 in the raster pass\"\n  splat finding list\n  splat finding check",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownName(cmd, args[0])
			}
			return cmd.Help()
		},
	})
	cmd.AddCommand(a.findingNewCommand(&dir), a.findingListCommand(&dir), a.findingCheckCommand(&dir))
	for _, c := range cmd.Commands() {
		c.Flags().SortFlags = false
		stringFlag(c.Flags(), &dir, "findings", "DIR", groupCommand, "folder of findings (default findings, or docs/findings where only that exists)")
	}
	return cmd
}

func (a *app) findingNewCommand(dir *string) *cobra.Command {
	var experiment string
	cmd := a.command(&cobra.Command{
		Use:   "new ID|TITLE [flags]",
		Short: "begin a finding, or fill in its measurement",
		Long: "Makes the file of a finding with all its facts and sections, to be filled in. ID is small\n" +
			"letters, digits and hyphens; anything else is a title, of which the id is made.\n\n" +
			"With --ab the measurement comes from the experiment in that folder. A finding that is there\n" +
			"already and has a prediction gets it and becomes measured; one without a prediction becomes\n" +
			"retrospective, since a prediction cannot follow its measurement.",
		Example: "  splat finding new \"f16 in the raster pass\"\n  splat finding new f16-in-the-raster-pass --ab runs/ab-f16",
		Args:    arguments(1, 1, "one id or title"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.plainFlags(); err != nil {
				return err
			}
			return a.findingNew(findingsFolder(*dir), args[0], experiment)
		},
	})
	stringFlag(cmd.Flags(), &experiment, "ab", "DIR", groupCommand, "folder of the experiment that fills in the measurement")
	return cmd
}

// findingsFolder is the folder of findings that is meant, also where it is not there.
func findingsFolder(dir string) string {
	if found, ok := findingsDir(dir); ok {
		return found
	}
	return "findings"
}

func (a *app) findingNew(dir, name, experiment string) error {
	id, title := name, name
	if !finding.IsID(name) {
		id = finding.Slug(name)
	}
	if !finding.IsID(id) {
		return fault.Usagef("found %q, expected an id or a title with letters or digits", name)
	}
	path := filepath.Join(dir, id+".md")
	if err := checkFile(path); err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	switch {
	case err == nil && experiment == "":
		return fault.Usagef("%s: found a finding, expected an id of its own; --ab DIR fills in its measurement", path)
	case errors.Is(err, fs.ErrNotExist):
		text = []byte(finding.New(id, title, time.Now().Format(time.DateOnly)))
	case err != nil:
		return fault.Unreadable(path, err)
	}
	doc := newFinding{ID: id, File: path, Status: finding.Hypothesis}
	if experiment != "" {
		if text, doc.Status, err = filled(path, text, experiment); err != nil {
			return err
		}
	}
	if err := atomicfile.WriteBytes(path, text); err != nil {
		return fault.AtFile(path, err)
	}
	a.print("%s (%s)", path, doc.Status)
	return a.document(doc)
}

// filled is a finding's text with the measurement of an experiment, and its state then.
func filled(path string, text []byte, dir string) ([]byte, string, error) {
	e, err := finding.ReadExperiment(dir)
	if err != nil {
		return nil, "", &fault.Error{Kind: fault.Data, Err: err}
	}
	folder, err := filepath.Rel(absolute(filepath.Dir(path)), absolute(dir))
	if err != nil {
		folder = absolute(dir)
	}
	out, err := finding.Fill(path, string(text), e, filepath.ToSlash(folder))
	if err != nil {
		return nil, "", &fault.Error{Kind: fault.Data, Err: err}
	}
	f, problems := finding.Parse(path, []byte(out))
	if len(problems) > 0 {
		return nil, "", fmt.Errorf("%s", problems[0])
	}
	return []byte(out), f.Status, nil
}

func (a *app) findingListCommand(dir *string) *cobra.Command {
	return a.command(&cobra.Command{
		Use:     "list [flags]",
		Short:   "list the findings",
		Example: "  splat finding list\n  splat finding list --findings docs/findings --json",
		Args:    arguments(0, 0, "flags only"),
		RunE: func(*cobra.Command, []string) error {
			folder, err := a.openFindings(*dir)
			if err != nil {
				return err
			}
			for _, p := range folder.Problems {
				a.log.warn(p.String())
			}
			t := newTable("id", "date", "status", "verdict", ">time", ">PSNR", "title")
			for _, f := range folder.Findings {
				t.row(f.ID, f.Date, f.Status, orDash(f.Impact.Verdict), change(f.Impact.DeltaWallclock, " %"), change(f.Impact.DeltaPSNR, " dB"), f.Title)
			}
			if len(folder.Findings) == 0 {
				a.print("no findings in %s", folder.Dir)
			} else {
				a.print("%s", t)
			}
			return a.document(findingList{append([]*finding.Finding{}, folder.Findings...), append([]finding.Problem{}, folder.Problems...)})
		},
	})
}

func change(v *float64, unit string) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%+.2f%s", *v, unit)
}

func (a *app) openFindings(dir string) (*finding.Folder, error) {
	if err := a.plainFlags(); err != nil {
		return nil, err
	}
	return finding.ReadFolder(findingsFolder(dir))
}

func (a *app) findingCheckCommand(dir *string) *cobra.Command {
	var runs string
	cmd := a.command(&cobra.Command{
		Use:   "check [flags]",
		Short: "look for what is missing or wrong in findings",
		Long: "Checks that every finding is complete for its status, that ids are unique and those that are\n" +
			"named exist, that a prediction was written before its measurement, and that numbers agree\n" +
			"with the experiment that a finding links to. Each error is a line; exit code 3 with any.",
		Example: "  splat finding check\n  splat finding check --findings docs/findings --runs runs",
		Args:    arguments(0, 0, "flags only"),
		RunE: func(*cobra.Command, []string) error {
			folder, err := a.openFindings(*dir)
			if err != nil {
				return err
			}
			return a.checkFindings(folder, runs)
		},
	})
	stringFlag(cmd.Flags(), &runs, "runs", "DIR", groupCommand, "folder in which the runs that findings name must be")
	return cmd
}

func (a *app) checkFindings(folder *finding.Folder, runs string) error {
	problems := folder.Check(runs)
	if err := a.document(findingCheck{len(folder.Findings), append([]finding.Problem{}, problems...)}); err != nil {
		return err
	}
	switch len(problems) {
	case 0:
		a.print("%s in %s: no errors", plural(len(folder.Findings), "finding"), folder.Dir)
		return nil
	case 1:
		return fault.Dataf("%s", problems[0])
	}
	for _, p := range problems {
		a.log.line(visible(p.String()))
	}
	return fault.Dataf("%s: found %d errors in the findings, expected none", folder.Dir, len(problems))
}
