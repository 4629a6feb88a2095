package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"splat/internal/kernel/cpu"
	"splat/internal/kernel/null"
)

// parsed is a benchmark file.
type parsed struct {
	config  map[string]string
	results []parsedLine
}

type parsedLine struct {
	name   string
	runs   int
	values map[string]float64
}

// parseBenchmarks reads Go's benchmark data format
// (https://go.dev/design/14313-benchmark-format) and takes nothing else: every
// line must be a configuration line or a result.
func parseBenchmarks(text string) (p parsed, err error) {
	p.config = map[string]string{}
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		if !ended {
			return p, fmt.Errorf("%q does not end", line)
		}
		if strings.HasPrefix(line, "Benchmark") {
			r, err := parseResult(line)
			if err != nil {
				return p, fmt.Errorf("%q: %w", line, err)
			}
			p.results = append(p.results, r)
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		first, _ := utf8.DecodeRuneInString(key)
		bad := strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsUpper(r) })
		if !ok || !unicode.IsLower(first) || bad || value != "" && value[0] != ' ' {
			return p, fmt.Errorf("%q is neither configuration nor a result", line)
		}
		p.config[key] = strings.TrimSpace(value)
	}
	return p, nil
}

func parseResult(line string) (r parsedLine, err error) {
	f := strings.Fields(line)
	if len(f) < 4 || len(f)%2 != 0 {
		return r, fmt.Errorf("%d fields, expected an even number, 4 or more", len(f))
	}
	after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(f[0], "Benchmark"))
	if unicode.IsLower(after) {
		return r, errors.New("a name that begins in lower case")
	}
	r.name, r.values = f[0], map[string]float64{}
	if r.runs, err = strconv.Atoi(f[1]); err != nil || r.runs < 1 {
		return r, fmt.Errorf("%q runs", f[1])
	}
	for i := 2; i < len(f); i += 2 {
		v, err := strconv.ParseFloat(f[i], 64)
		_, number := strconv.ParseFloat(f[i+1], 64)
		if _, twice := r.values[f[i+1]]; err != nil || number == nil || twice {
			return r, fmt.Errorf("%q %q is no value with its unit, or comes twice", f[i], f[i+1])
		}
		r.values[f[i+1]] = v
	}
	return r, nil
}

// The parser is strict: these are no benchmark files.
func TestParserRefuses(t *testing.T) {
	for _, text := range []string{
		"goos: linux", "Goos: linux\n", "two words: x\n", "just text\n", "goos:linux\n",
		"BenchmarkX\t1\n", "BenchmarkX 1 2\n", "BenchmarkX 0 2 ns/op\n", "BenchmarkX 1 ns/op 2\n", "BenchmarkX 1 2 3\n",
		"Benchmarkx 1 2 ns/op\n", "BenchmarkX 1 2 ns/op 3\n", "BenchmarkX 1 2 ns/op 3 ns/op\n", "\n",
	} {
		if p, err := parseBenchmarks(text); err == nil {
			t.Errorf("%q was taken: %+v", text, p)
		}
	}
	p, err := parseBenchmarks("goos: linux\nnote:\nBenchmarkX/a=1-2\t 10\t 1.5 ns/op\t 3 pairs\n")
	want := []parsedLine{{"BenchmarkX/a=1-2", 10, map[string]float64{"ns/op": 1.5, "pairs": 3}}}
	if err != nil || !cmp.Equal(p.results, want, cmp.AllowUnexported(parsedLine{})) || p.config["goos"] != "linux" {
		t.Errorf("%+v, %v", p, err)
	}
}

// runCases runs cases and returns what they print and what was skipped.
func runCases(t *testing.T, r *Runner, cases []Case) (string, []Skipped) {
	t.Helper()
	var out bytes.Buffer
	var skipped []Skipped
	if _, err := HeaderOf(r.Backend).WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	r.Begin = func(int, Case) {}
	r.Skip = func(s Skipped) { skipped = append(skipped, s) }
	r.Done = func(res Result) error {
		_, err := fmt.Fprintln(&out, res.Line(r.Threads))
		return err
	}
	if err := r.Run(context.Background(), cases); err != nil {
		t.Fatal(err)
	}
	return out.String(), skipped
}

func TestOutputIsTheBenchmarkFormat(t *testing.T) {
	be := cpu.New(cpu.Options{Threads: 3})
	defer be.Close()
	cases := append(sceneCases(tiny), peakCases(1<<12)...)
	text, skipped := runCases(t, &Runner{Backend: be, Threads: 3, Duration: Duration{Times: 2}, Count: 2}, cases)
	p, err := parseBenchmarks(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if p.config["pkg"] != "splat/internal/bench" || p.config["goarch"] == "" || !strings.HasPrefix(p.config["device"], "cpu, ") {
		t.Errorf("configuration %v", p.config)
	}
	if len(p.results) != 2*len(cases) || len(skipped) != 0 {
		t.Fatalf("%d results of %d cases, skipped %v", len(p.results), len(cases), skipped)
	}
	for i, r := range p.results {
		c := cases[i/2]
		if r.name != "Benchmark"+c.Name+"-3" || r.runs != 2 || !(r.values["ns/op"] > 0) {
			t.Errorf("%s: %+v", c.Name, r)
		}
		if _, ok := r.values["allocs/op"]; !ok || c.Scene == tiny && !(r.values["pairs"] > r.values["visible"] && r.values["visible"] > 100) {
			t.Errorf("%s: %v", c.Name, r.values)
		}
	}
}

func TestOneThreadHasNoNumber(t *testing.T) {
	if line := (Result{Name: "Step/x", Runs: 1}).Line(1); !strings.HasPrefix(line, "BenchmarkStep/x\t") {
		t.Errorf("%q", line)
	}
}

func TestNumbersAreRead(t *testing.T) {
	for _, v := range []float64{0, 1, 0.0001234, 3.14159, 12.3456, 999.94, 1234.5, 123456789.4, 4e12} {
		got, err := strconv.ParseFloat(strings.TrimSpace(number(v)), 64)
		if err != nil || v != 0 && (got/v < 0.999 || got/v > 1.001) {
			t.Errorf("%v is written %q: %v", v, number(v), err)
		}
	}
}

// What does not fit is skipped before it is allocated, the rest runs.
func TestSkipsWhatDoesNotFit(t *testing.T) {
	need, err := sceneCases(tiny)[0].Bytes()
	if err != nil {
		t.Fatal(err)
	}
	be := cpu.New(cpu.Options{Threads: 1, MaxBytes: need})
	defer be.Close()
	text, skipped := runCases(t, &Runner{Backend: be, Threads: 1, Duration: Duration{Times: 1}, Count: 1, Memory: need}, sceneCases(tiny)[:2])
	p, err := parseBenchmarks(text)
	if err != nil || len(p.results) != 1 || !strings.HasPrefix(p.results[0].name, "BenchmarkRender/") {
		t.Errorf("%+v, %v", p, err)
	}
	if len(skipped) != 1 || skipped[0].Available != need || skipped[0].Needed <= need || !strings.Contains(skipped[0].Why, strconv.Itoa(int(need))) {
		t.Errorf("skipped %+v", skipped)
	}
}

// Loops of this process say nothing about another device.
func TestPeaksOfOtherDevicesAreSkipped(t *testing.T) {
	cases := peakCases(1 << 12)
	text, skipped := runCases(t, &Runner{Backend: null.New(), Threads: 1, Duration: Duration{Times: 1}, Count: 1}, cases)
	if p, err := parseBenchmarks(text); err != nil || len(p.results) != 2 || len(skipped) != 6 {
		t.Errorf("%+v, skipped %+v, %v", p, skipped, err)
	}
}

// A device that counts nothing must not pass for a fast one.
func TestNoPairsIsAnError(t *testing.T) {
	r := &Runner{Backend: null.New(), Threads: 1, Duration: Duration{Times: 1}, Count: 1, Begin: func(int, Case) {}}
	err := r.Run(context.Background(), sceneCases(tiny))
	if err == nil || !strings.Contains(err.Error(), "found no pairs") {
		t.Errorf("%v", err)
	}
}

func TestInterruptEndsTheRun(t *testing.T) {
	be := cpu.New(cpu.Options{Threads: 1})
	defer be.Close()
	ctx, cancel := context.WithCancel(context.Background())
	results := 0
	r := &Runner{
		Backend: be, Threads: 1, Duration: Duration{Times: 1}, Count: 5, Begin: func(int, Case) {},
		Done: func(Result) error { results++; cancel(); return nil },
	}
	if err := r.Run(ctx, sceneCases(tiny)); !errors.Is(err, context.Canceled) || results != 1 {
		t.Errorf("%d results, %v", results, err)
	}
}

// A failing device ends the measurement with the case's name.
func TestFailuresNameTheCase(t *testing.T) {
	broken := errors.New("device lost")
	c := Case{Name: "Kernel/x", prepare: func(*Rig, Case) (*Work, error) {
		return &Work{Run: func(int) error { return broken }}, nil
	}}
	r := &Runner{Backend: null.New(), Duration: Duration{Times: 1}, Count: 1, Begin: func(int, Case) {}}
	if err := r.Run(context.Background(), []Case{c}); !errors.Is(err, broken) || !strings.Contains(err.Error(), "Kernel/x") {
		t.Errorf("%v", err)
	}
}

// Measuring by time runs for as long, resets before each run and counts neither
// the resets nor the first run.
func TestMeasure(t *testing.T) {
	resets, runs := 0, 0
	w := &Work{
		Reset: func() error { resets++; time.Sleep(3 * time.Millisecond); return nil },
		Run: func(n int) error {
			runs += n
			if resets != runs {
				t.Errorf("run %d after reset %d", runs, resets)
			}
			time.Sleep(time.Millisecond)
			return nil
		},
	}
	r, err := Measure(context.Background(), w, Duration{Time: 20 * time.Millisecond})
	if err != nil || r.Runs < 3 || r.Runs != runs-1 || r.NsPerOp < 1e6 || float64(r.Runs)*r.NsPerOp < 20e6 {
		t.Errorf("%d runs, %+v, %v", runs, r, err)
	}
}

// Many short runs go into one submission.
func TestShortRunsAreBatched(t *testing.T) {
	submissions := 0
	w := &Work{Run: func(n int) error { submissions++; time.Sleep(time.Duration(n) * 50 * time.Microsecond); return nil }}
	r, err := Measure(context.Background(), w, Duration{Times: 1000})
	if err != nil || r.Runs != 1000 || submissions > 50 {
		t.Errorf("%d submissions for %+v, %v", submissions, r, err)
	}
}
