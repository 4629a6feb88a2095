package compare

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"splat/internal/atomicfile"
	"splat/internal/fault"
	"splat/internal/lab"
)

// The files of a comparison's folder, beside what the trainers write.
const (
	ReportFile = "compare.json"
	TableFile  = "table.txt"
)

// Version is the form of ReportFile.
const Version = 1

// Report is a comparison: compare.json, and what --json prints.
type Report struct {
	Version    int         `json:"compare"`
	Dir        string      `json:"out"`
	Capture    lab.Capture `json:"capture"`
	Split      string      `json:"split"`
	Views      int         `json:"views"` // that both were measured on
	Steps      int         `json:"steps"` // what {steps} stands for
	Init       string      `json:"init,omitempty"`
	Build      lab.Build   `json:"build"`
	Evaluated  lab.Device  `json:"evaluated_on"`
	Trainers   []Trainer   `json:"trainers"` // the other one first
	Difference *Difference `json:"difference,omitempty"`
	Notes      []string    `json:"notes,omitempty"` // what makes the comparison less than fair
}

// Trainer is one trainer and what came of it.
type Trainer struct {
	Name       string   `json:"name"`
	Command    string   `json:"command"`
	Exit       *int     `json:"exit_code"`     // null where it was not run now
	Wall       float64  `json:"wall_seconds"`  // of the process
	Train      *float64 `json:"train_seconds"` // of the training alone, null where that is not known
	CPU        *float64 `json:"cpu_seconds"`   // user and system time of the process, null where it was not run now
	PSNR       *float64 `json:"psnr"`
	SSIM       *float64 `json:"ssim"`
	Splats     int      `json:"splats"`
	Background string   `json:"background"` // that it was measured on
	Model      string   `json:"model"`
	SHA256     string   `json:"sha256"`
	Log        string   `json:"log,omitempty"`
	Run        string   `json:"run,omitempty"` // run folder
	Device     string   `json:"device,omitempty"`
	GPUs       []GPU    `json:"gpus"`
	GPUNote    string   `json:"gpu_note,omitempty"` // why there are none
}

// Difference is ours against the other.
type Difference struct {
	PSNR   *float64 `json:"psnr"`              // dB, above 0 where ours is better
	SSIM   *float64 `json:"ssim"`              // above 0 where ours is better
	Wall   *float64 `json:"wall_seconds"`      // theirs over ours: above 1 where ours is faster
	Splats *float64 `json:"splats"`            // ours over theirs
	Run    string   `json:"against,omitempty"` // which run of ours, where there are several
}

// Compare fills in the difference between the other trainer and the first of ours.
func (r *Report) Compare() {
	if len(r.Trainers) < 2 {
		return
	}
	other, own := r.Trainers[0], r.Trainers[1]
	r.Difference = &Difference{
		PSNR: minus(own.PSNR, other.PSNR), SSIM: minus(own.SSIM, other.SSIM),
		Wall: over(other.Wall, own.Wall), Splats: over(float64(own.Splats), float64(other.Splats)),
	}
	if len(r.Trainers) > 2 {
		r.Difference.Run = own.Run
	}
}

func minus(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	return lab.Score(*a - *b)
}

func over(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	return lab.Score(a / b)
}

// Table is the report for people.
func (r *Report) Table() string {
	rows := [][]string{{"trainer", "PSNR", "SSIM", "seconds", "training", "CPU", "splats", "exit", "GPU busy"}}
	for _, t := range r.Trainers {
		exit := "-"
		if t.Exit != nil {
			exit = fmt.Sprint(*t.Exit)
		}
		rows = append(rows, []string{
			t.Name, number(t.PSNR, 2), number(t.SSIM, 4), number(&t.Wall, 1), number(t.Train, 1), number(t.CPU, 1), fmt.Sprint(t.Splats), exit, t.gpuText(),
		})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d views (%s)\n", r.Capture.Name, r.Views, r.Split)
	columns(&b, rows)
	if d := r.Difference; d != nil {
		fmt.Fprintf(&b, "%s against %s: %s dB, %s times the speed, %s times the splats\n",
			r.Trainers[1].Name, r.Trainers[0].Name, signed(d.PSNR), number(d.Wall, 2), number(d.Splats, 2))
	}
	b.WriteString("seconds are of the whole process; training excludes decoding, evaluation and saving, and only splat tells it\n")
	for _, note := range append(r.gpuNotes(), r.Notes...) {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}

func (t *Trainer) gpuText() string {
	var parts []string
	for _, g := range t.GPUs {
		text := fmt.Sprintf("%.0f %%", g.Mean)
		if len(t.GPUs) > 1 {
			text += " " + g.Name
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}

// gpuNotes say, once each, why there is nothing on GPUs.
func (r *Report) gpuNotes() (notes []string) {
	for _, t := range r.Trainers {
		if note := "GPU use " + t.GPUNote; t.GPUNote != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}

func number(v *float64, digits int) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, *v)
}

func signed(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%+.2f", *v)
}

// columns aligns a table: words to the left, numbers to the right.
func columns(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i == 0 || i == len(row)-1 {
				line.WriteString(cell + pad + "  ")
			} else {
				line.WriteString(pad + cell + "  ")
			}
		}
		fmt.Fprintln(b, "  "+strings.TrimRight(line.String(), " "))
	}
}

// Check refuses a folder that holds a comparison.
func Check(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, ReportFile)); err == nil {
		return fault.Usagef("folder %s already holds a comparison (%s); choose another --out", dir, ReportFile)
	}
	return nil // what is in the way shows when the folder is locked
}

// Save writes the report and its table.
func (r *Report) Save() error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{ReportFile: append(text, '\n'), TableFile: []byte(r.Table())} {
		path := filepath.Join(r.Dir, name)
		if err := atomicfile.WriteBytes(path, data); err != nil {
			return fault.AtFile(path, err)
		}
	}
	return nil
}
