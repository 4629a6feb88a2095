package lab

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/loadwatch"
)

// The record of other load comes back as it was written; results of older versions have
// none; one that is damaged is refused by name.
func TestEnvironmentOfAResult(t *testing.T) {
	other := 1.5
	want := Result{Steps: 3, Environment: &loadwatch.Record{
		Processors: 8, Seconds: 2, OtherCPU: &other, Notes: []string{"other processes kept 1.5 of 8 processors busy"},
		Calibration: &loadwatch.Calibration{Work: "sort", Points: []loadwatch.Point{{Step: 0, MS: 1}, {Step: 3, MS: 1.1}}, Drift: 0.1},
	}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseResult("result.json", text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Error(diff)
	}
	old, err := parseResult("result.json", []byte(`{"steps":3}`))
	if err != nil || old.Environment != nil {
		t.Errorf("an older result: %+v, %v", old, err)
	}
	for bad, want := range map[string]string{
		`{"environment":7}`:                  "environment: found a number, expected an object",
		`{"environment":{"notes":"x"}}`:      "environment.notes: found text, expected a list",
		`{"environment":{"processors":"x"}}`: "environment.processors: found text, expected a whole number",
	} {
		if _, err := parseResult("result.json", []byte(bad)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", bad, err, want)
		}
	}
}
