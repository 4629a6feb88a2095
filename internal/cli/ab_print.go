package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"splat/internal/ab"
)

// printAB prints an experiment's record for people.
func (a *app) printAB(doc *ab.Document, dir string) {
	if a.json {
		return
	}
	p, r := doc.Plan, doc.Analysis
	a.print("A: %s = %s; B: %s = %s", p.Key, p.Values[0], p.Key, p.Values[1])
	a.print("gate %.2f %%, fixed before the first run; positive: B saves time, in percent of A", p.Gate)
	if !doc.Complete {
		a.print("not complete: %s", doc.Failure)
	}
	a.print("\n%s", quantityTable(r.Quantities))
	a.print("%s", intervalLine(p, r.Quantities[0]))
	a.print("\n%s", armTable(r.Arms))
	if r.Kernels != nil && r.Kernels.Pairs > 0 {
		a.print("%s", kernelText(p, r.Kernels, a.log.verbose))
	}
	if e := doc.Environment; e != nil && len(e.Notes) > 0 {
		a.print("the machine: %s", join(e.Notes, "; "))
	}
	for _, n := range doc.Notes {
		a.print("note: %s", n)
	}
	a.print("verdict: %s: %s", r.Words(), r.Why)
	if r.Kernels != nil && r.Kernels.Pairs > 0 {
		a.print("kernels: %s", r.Kernels.Words())
	}
	a.print("record in %s", absolute(dir))
}

// table lays rows out in columns.
func table(rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush()
	return b.String()
}

func quantityTable(list []ab.Quantity) string {
	rows := [][]string{{"", "A", "B", "B saves", "interval", "noise floor", "verdict"}}
	for _, q := range list {
		scale := 1.0
		if q.Unit == "ms" {
			scale = 1000
		}
		measured := func(seconds float64) string {
			if q.Difference.Pairs == 0 {
				return "-"
			}
			return fmt.Sprintf("%.4g %s", seconds*scale, q.Unit)
		}
		rows = append(rows, []string{q.Name, measured(q.A), measured(q.B), saved(q.Difference), intervalText(q.Difference), floorText(q.NoiseFloor), q.Words()})
	}
	return table(rows)
}

func saved(d ab.Difference) string {
	if d.Pairs == 0 {
		return "-"
	}
	return fmt.Sprintf("%+.2f %%", d.Percent)
}

func intervalText(d ab.Difference) string {
	if d.Interval == nil {
		return "none"
	}
	return fmt.Sprintf("%+.2f to %+.2f %%", d.Interval.Low, d.Interval.High)
}

func floorText(floor *float64) string {
	if floor == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.2f %%", *floor)
}

// intervalLine says what the intervals are and how many pairs there were.
func intervalLine(p ab.Plan, q ab.Quantity) string {
	level := "no interval of level " + ab.LevelText(p.Level) + " exists"
	if iv := q.Difference.Interval; iv != nil {
		level = fmt.Sprintf("exact interval of the median of level %s (%s asked)", ab.LevelText(iv.Level), ab.LevelText(p.Level))
	}
	return fmt.Sprintf("%s, from %s of A against B; noise floor from %s of A against A",
		level, plural(q.Difference.Pairs, "pair"), plural(q.Floor.Pairs, "pair"))
}

func armTable(arms [2]ab.Arm) string {
	rows := [][]string{{"", "runs", "PSNR", "SSIM", "splats", "sha256"}}
	for i, arm := range arms {
		sum := arm.SHA256[:min(len(arm.SHA256), 16)]
		switch {
		case arm.Runs == 0:
			sum = "-"
		case !arm.Same:
			sum += ", not each time"
		case i == 1 && sum != "" && arm.SHA256 == arms[0].SHA256:
			sum += ", equal"
		case i == 1:
			sum += ", different"
		}
		rows = append(rows, []string{"AB"[i : i+1], fmt.Sprint(arm.Runs), scoreOr(arm.PSNR, "%.2f dB"), scoreOr(arm.SSIM, "%.4f"), fmt.Sprint(arm.Splats), sum})
	}
	if a, b := arms[0], arms[1]; a.PSNR != nil && b.PSNR != nil && a.SSIM != nil && b.SSIM != nil {
		rows = append(rows, []string{"B - A", "", fmt.Sprintf("%+.2f dB", *b.PSNR-*a.PSNR), fmt.Sprintf("%+.4f", *b.SSIM-*a.SSIM), fmt.Sprintf("%+d", b.Splats-a.Splats), ""})
	}
	return table(rows)
}

func scoreOr(v *float64, format string) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v)
}

// smallShare is the share in percent below which a kernel that does not differ is shown
// only with -v.
const smallShare = 1

func kernelText(p ab.Plan, r *ab.KernelReport, all bool) string {
	rows := [][]string{{"kernel", "A ms/step", "share", "B ms/step", "B saves", "interval", "noise floor", "of the step"}}
	hidden := 0
	for _, k := range r.Rows {
		if !all && !k.Differs && k.Only == "" && k.Share < smallShare {
			hidden++
			continue
		}
		name := k.Name
		switch {
		case k.Changed:
			name = "* " + name
		case k.Differs:
			name = "~ " + name
		}
		row := []string{name, fmt.Sprintf("%.4f", 1000*k.A), fmt.Sprintf("%.1f %%", k.Share), fmt.Sprintf("%.4f", 1000*k.B)}
		if k.Only != "" {
			row = append(row, "only in "+k.Only, "", "", fmt.Sprintf("%+.2f %%", k.Effect))
		} else {
			row = append(row, saved(k.Difference), intervalText(k.Difference), floorText(k.NoiseFloor), fmt.Sprintf("%+.2f %%", k.Effect))
		}
		rows = append(rows, row)
	}
	text := table(rows)
	if hidden > 0 {
		text += fmt.Sprintf("%s below %d %% of the step not shown; -v shows them\n", plural(hidden, "kernel"), smallShare)
	}
	from := "from instrumented runs of their own"
	if p.Kernels == ab.Same {
		from = "from the same runs"
	}
	return text + fmt.Sprintf("kernel times %s, %s of A against B; intervals of level %s each, so that all %d together have %s; * differs, ~ too, but next to nothing of the step\n",
		from, plural(r.Pairs, "pair"), ab.LevelText(r.Level), r.Count, ab.LevelText(p.Level))
}
