package report

import (
	"testing"

	"splat/internal/lab"
)

// FuzzReadRun reads run folders of any content, and draws what it finds.
func FuzzReadRun(f *testing.F) {
	f.Add(resultText, `{"step":1,"loss":0.5}`, `{"step":1,"psnr":20,"split":"test"}`, logText, `{"record":1,"sessions":[{"began":"2026"}]}`)
	f.Add("[]", "\n\n{", `{"psnr":"x"}`, "kernel share\n%%\na b 1 2%\n", "null")
	f.Fuzz(func(t *testing.T, result, metrics, evals, log, origin string) {
		dir := t.TempDir()
		for name, text := range map[string]string{
			lab.ResultFile: result, lab.MetricsFile: metrics, lab.EvalFile: evals, lab.LogFile: log, "run.json": origin,
		} {
			put(t, dir, name, text)
		}
		r := ReadRun(dir, "run")
		for _, c := range runCharts(r) {
			for i := 1; i < len(c.Points); i++ {
				if c.Points[i][0] <= c.Points[i-1][0] {
					t.Fatalf("%s: x goes from %g to %g", c.ID, c.Points[i-1][0], c.Points[i][0])
				}
			}
		}
		if _, err := Write(t.Context(), t.TempDir()+"/out", Site{Runs: []*Run{r}}); err != nil {
			t.Fatal(err)
		}
	})
}
