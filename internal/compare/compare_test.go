package compare

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splat/internal/fault"
	"splat/internal/lab"
	"splat/internal/sysinfo"
)

// Whatever is in a value, the shell hands it over as it is, quoted in the command or
// not.
func TestExpandKeepsValuesWhole(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the quotes of sh")
	}
	for _, value := range []string{"plain/path.ply", "a b", "it's", `a"b`, "$HOME `id` $(id)", `back\slash\`, "*;&|<>", "{x}", "", "-x=1", "é", "~"} {
		for _, command := range []string{`printf %s {data}`, `printf %s "{data}"`, `printf %s '{data}'`, `printf %s pre{data}`, `printf %s "a\"{data}"`, `printf %s \"{data}`} {
			line := Expand(command, map[string]string{"data": value})
			args := Shell(line)
			out, err := exec.Command(args[0], args[1:]...).Output()
			want := map[bool]string{true: "pre"}[strings.Contains(command, "pre")] + value
			if strings.Contains(command, `a\"`) {
				want = `a"` + value
			} else if strings.HasSuffix(command, `\"{data}`) {
				want = `"` + value
			}
			if err != nil || string(out) != want {
				t.Errorf("%s with %q: %s gives %q, %v", command, value, line, out, err)
			}
		}
	}
	if got := Expand("x {a,b} ${HOME} {steps} {unknown} {", map[string]string{"steps": "7"}); got != "x {a,b} ${HOME} 7 {unknown} {" {
		t.Errorf("other braces: %s", got)
	}
	if got := ExpandPath("{out}/a b/{steps}.ply", map[string]string{"out": "/x y", "steps": "7"}); got != "/x y/a b/7.ply" {
		t.Errorf("a path: %s", got)
	}
}

func TestNames(t *testing.T) {
	for command, want := range map[string]string{
		"brush {data}": "brush", "CUDA_VISIBLE_DEVICES=0 /opt/x/train.sh -a": "train.sh", "": "other", "./splat train": "other", `"C:\x\y.exe" a`: "y.exe", "A=1": "other",
	} {
		if got := NameOf(command); got != want {
			t.Errorf("%s: found %s, expected %s", command, got, want)
		}
	}
	for name, ok := range map[string]bool{"brush": true, "gsplat 1.6": true, "Splat": false, "a/b": false, "..": false, "a\nb": false} {
		if err := CheckName(name); (err == nil) != ok || err != nil && fault.ExitCode(err) != 2 {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// gpus tells one reading after the other.
func gpus(readings ...[]sysinfo.GPU) func(context.Context) []sysinfo.GPU {
	n := 0
	return func(context.Context) []sysinfo.GPU {
		n++
		return readings[min(n, len(readings))-1]
	}
}

func TestWatch(t *testing.T) {
	at := func(busy float64, used uint64) []sysinfo.GPU {
		return []sysinfo.GPU{{Name: "A", Source: "nvidia-smi", Busy: busy, MemoryUsed: used}}
	}
	w := watch(gpus(at(0, 1)), time.Hour)
	w.add(at(50, 7))
	w.add(at(-1, 3))
	w.add(at(100, 5))
	list, why := w.Stop()
	if diff := cmp.Diff([]GPU{{Name: "A", Source: "nvidia-smi", Mean: 75, Max: 100, Samples: 2, Memory: 7}}, list); diff != "" || why != "" {
		t.Errorf("%s %s", why, diff)
	}
	for want, first := range map[string][]sysinfo.GPU{"not readable: no nvidia-smi": nil, "too short to be read": at(3, 0), "not readable: the driver does not tell": at(-1, 0)} {
		if list, why := watch(gpus(first), time.Hour).Stop(); list != nil || !strings.HasPrefix(why, want) {
			t.Errorf("found %v, %s, expected %s", list, why, want)
		}
	}
	w = watch(gpus(at(0, 0), at(40, 0)), time.Millisecond)
	time.Sleep(50 * time.Millisecond)
	if list, _ := w.Stop(); len(list) != 1 || list[0].Mean != 40 || list[0].Samples < 2 {
		t.Errorf("found %+v", list)
	}
}

func score(v float64) *float64 { return &v }

func TestReport(t *testing.T) {
	zero := 0
	r := Report{
		Version: Version, Dir: t.TempDir(), Split: "test", Views: 25,
		Capture: lab.Capture{Fingerprint: lab.Fingerprint{Name: "lego"}},
		Trainers: []Trainer{
			{Name: "brush", Exit: &zero, Wall: 120, CPU: score(80), PSNR: score(34), SSIM: score(0.5), Splats: 200, GPUs: []GPU{{Name: "H", Mean: 61.7}}},
			{Name: "splat", Wall: 30, Train: score(25), PSNR: score(35.5), SSIM: score(0.75), Splats: 300, GPUNote: "not readable: x"},
		},
		Notes: []string{"unfair"},
	}
	r.Compare()
	want := &Difference{PSNR: score(1.5), SSIM: score(0.25), Wall: score(4), Splats: score(1.5)}
	if diff := cmp.Diff(want, r.Difference); diff != "" {
		t.Errorf("difference:\n%s", diff)
	}
	const table = `lego, 25 views (test)
  trainer   PSNR    SSIM  seconds  training   CPU  splats  exit  GPU busy
  brush    34.00  0.5000    120.0         -  80.0     200     0  62 %
  splat    35.50  0.7500     30.0      25.0     -     300     -  -
splat against brush: +1.50 dB, 4.00 times the speed, 1.50 times the splats
seconds are of the whole process; training excludes decoding, evaluation and saving, and only splat tells it
note: GPU use not readable: x
note: unfair
`
	if diff := cmp.Diff(table, r.Table()); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
	if err := Check(r.Dir); err != nil {
		t.Error(err)
	}
	if err := r.Save(); err != nil {
		t.Fatal(err)
	}
	var again Report
	text, err := os.ReadFile(filepath.Join(r.Dir, ReportFile))
	if err != nil || json.Unmarshal(text, &again) != nil || cmp.Diff(r, again) != "" {
		t.Errorf("%v, %s", err, cmp.Diff(r, again))
	}
	if err := Check(r.Dir); fault.ExitCode(err) != 2 {
		t.Errorf("a folder with a comparison: %v", err)
	}

	// Without a score there is no difference, and no division by 0.
	r.Trainers[0].PSNR, r.Trainers[1].Wall, r.Trainers[0].Splats = nil, 0, 0
	r.Compare()
	if d := r.Difference; d.PSNR != nil || d.Wall != nil || d.Splats != nil {
		t.Errorf("found %+v", d)
	}
}
