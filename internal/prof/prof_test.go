package prof

import (
	"strings"
	"testing"
	"time"

	"splat/internal/kernel"
)

func TestTableSumsEachKernelOnce(t *testing.T) {
	table := NewTable()
	for range 2 {
		table.Add([]kernel.Timing{
			{Stage: "sort", Kernel: "count", Calls: 4, Total: 1 * time.Millisecond},
			{Stage: "sort", Kernel: "scatter", Calls: 4, Total: 2 * time.Millisecond},
			{Stage: "update", Kernel: "update", Calls: 1, Total: 7 * time.Millisecond},
		})
	}
	if table.Total() != 20*time.Millisecond {
		t.Errorf("total %v, want 20ms", table.Total())
	}
	text := table.Format(10)
	for _, want := range []string{
		"update              update                    14.0         2      1.400  70.0%",
		"sort                scatter                    4.0         8      0.400  20.0%",
		"sort                (all)                      6.0        16      0.600  30.0%",
		"total                                         20.0         0      2.000 100.0%",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
	if strings.Index(text, "update") > strings.Index(text, "scatter") {
		t.Error("rows are not ordered by share")
	}
}

func TestEmptyTable(t *testing.T) {
	if text := NewTable().Format(0); !strings.Contains(text, "total") {
		t.Error(text)
	}
}
