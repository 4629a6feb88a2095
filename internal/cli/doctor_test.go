package cli

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"splat/internal/config"
	"splat/internal/sysinfo"
)

func TestExplainPath(t *testing.T) {
	features := func(names ...string) (list []sysinfo.Feature) {
		for _, n := range []string{"avx2", "fma", "avx512f"} {
			list = append(list, sysinfo.Feature{Name: n, Present: slices.Contains(names, n)})
		}
		return list
	}
	for _, c := range []struct {
		path, arch, godebug string
		features            []sysinfo.Feature
		want                string
	}{
		{"avx2+fma", "amd64", "", features("avx2", "fma"), "the processor has avx2 and fma"},
		{"go", "amd64", "", features("fma"), "the processor has no avx2"},
		{"go", "amd64", "", features(), "the processor has no avx2, the processor has no fma"},
		{"go", "amd64", "http2client=0,cpu.avx2=off", features("avx2", "fma"), "GODEBUG=cpu.avx2=off turns avx2 off"},
		{"go", "amd64", "cpu.all=off", features("avx2", "fma"), "GODEBUG=cpu.all=off turns avx2 off, GODEBUG=cpu.all=off turns fma off"},
		{"go", "amd64", "cpu.avx2=on", features("avx2"), "the processor has no fma"},
		{"go", "amd64", "", features("avx2", "fma"), "this build has no faster loops"},
		{"go", "arm64", "", nil, "there are no faster loops for arm64"},
	} {
		if got := explainPath(c.path, c.arch, c.features, c.godebug); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// A machine in a poor state is warned of, and its report says what it has.
func TestReportOfPoorMachine(t *testing.T) {
	r := &report{
		Version: "devel", Go: "go1", Platform: "linux/amd64",
		Build:        buildInfo{Revision: "abc", Time: "today", Modified: true, Race: true, Settings: map[string]string{"CGO_ENABLED": "0"}},
		Devices:      []deviceInfo{{Device: "cpu", Name: "Some CPU", Cores: 1, Threads: 2, Instructions: "go"}},
		Vulkan:       vulkanInfo{Backend: notBuilt, Why: "tag novulkan", Loader: "/lib/libvulkan.so.1", Drivers: []driverInfo{{"/icd.d/lvp.json", "liblvp.so", true}}},
		Processor:    processorInfo{Name: "Some CPU", Cores: 1, Logical: 8, Usable: 2, MHz: 800, MaxMHz: 3000, Governor: "powersave", Celsius: 91.6, Caches: []cacheInfo{{2, "unified", 1 << 19, 2}}, Features: []featureInfo{{"avx2", true, false}, {"fma", false, false}}},
		Instructions: pathInfo{"go", "the processor has no fma", []string{"avx2+fma", "go"}},
		Memory:       memoryInfo{16 << 30, 2 << 30, 1 << 20},
		Container:    &containerInfo{1.5, 2 << 30},
		DiskFree:     3 << 20,
		Load:         &loadInfo{1.25, 1, 0.5, true},
		Programs:     []programInfo{{"colmap", "finds the cameras", "/bin/colmap", "3.9.1"}, {"ffmpeg", "takes pictures", "", ""}},
		Environment:  []envVar{{"NO_COLOR", "no colour", "", true}, {"TERM", "terminal", "", false}},
		Limits:       []limit{{"train.steps", "1..10"}}, Variants: []variant{{"instructions", "go", []string{"avx2+fma", "go"}}},
		Dependencies: []module{{"example.org/m", "v1.2.3"}},
	}
	r.Warnings = warnings(r)
	var out bytes.Buffer
	newApp(nil, &out, &out).printReport(r)
	for _, want := range []string{
		"splat devel (go1, linux/amd64)", "  revision       abc of today, modified", "  race detector  on", "  CGO_ENABLED    0",
		"  cpu       Some CPU, 1 core, 2 threads, instruction path go", "  vulkan    not built in, no devices: tag novulkan", "    driver  liblvp.so (/icd.d/lvp.json), software",
		"  processors   1 physical, 8 logical, 2 usable", "  cache        L2 unified 512 KiB, shared by 2",
		"  avx2         present, not used", "  fma          absent", "  path         go: the processor has no fma",
		"  clock        800 MHz of 3000, governor powersave", "  temperature  92 C", "  load         1.25, 1.00, 0.50",
		"  machine    16 GiB", "  usable     2 GiB", "  available  1 MiB", "  container  limited to 1.5 processors and 2 GiB of memory",
		"  disk       3 MiB free", "  colmap  3.9.1 (/bin/colmap)", "  ffmpeg  not found; it takes pictures",
		`  NO_COLOR  ""                 no colour`, "  TERM      not set", "  train.steps  1..10", "  instructions  go (of avx2+fma, go)", "  example.org/m  v1.2.3",
		"the machine is busy (load 1.25 on 2 processors)", "built with the race detector: ", "slowest instruction path: the processor has no fma",
		"this process is limited to 1.5 processors and 2 GiB of memory", "only 1 MiB of memory is available", "only 3 MiB of disk is free",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("missing %q in:\n%s", want, out.String())
		}
	}
}

// A machine that does not tell anything is no reason to warn, or to print zeros.
func TestReportOfSilentMachine(t *testing.T) {
	r := &report{Devices: []deviceInfo{{Device: "cpu", Name: "unknown", Threads: 1}}, Processor: processorInfo{Name: "unknown", Logical: 4, Usable: 4}}
	if w := warnings(r); len(w) > 0 {
		t.Errorf("warnings %q", w)
	}
	var out bytes.Buffer
	newApp(nil, &out, &out).printReport(r)
	for _, unwanted := range []string{"0 MHz", "0 C", " 0 B", "0 core", "0 physical", "average of", "container", "Memory"} {
		if strings.Contains(out.String(), unwanted) {
			t.Errorf("%q in:\n%s", unwanted, out.String())
		}
	}
}

func TestExamine(t *testing.T) {
	cfg := config.Default(config.DefaultStrategy)
	cfg.Backend.Threads = 3
	r := examine(cfg)
	if r.Devices[0].Threads != 3 || r.Processor.Logical == 0 || r.Processor.Usable != runtime.NumCPU() || len(r.Limits) == 0 || len(r.Variants) == 0 {
		t.Errorf("%+v", r)
	}
	if r.Instructions.Why == "" || !slices.Contains(r.Instructions.Choices, r.Instructions.Path) {
		t.Errorf("%+v", r.Instructions)
	}
	if r.Memory.Usable > r.Memory.Machine {
		t.Errorf("%+v", r.Memory)
	}
}

func TestVersionsOfPrograms(t *testing.T) {
	for text, want := range map[string]string{
		"ffmpeg version 5.1.6-0+deb12u1 Copyright (c) 2000-2024\nbuilt with gcc 12.2.0": "5.1.6-0+deb12u1",
		"\nCOLMAP 3.9.1 -- Structure-from-Motion\n              (Commit 3.3)":           "3.9.1",
		"version N-12": "",
	} {
		if got := versionPattern.FindString(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := versionOf(filepath.Join(t.TempDir(), "no such program"), "help"); got != "" {
		t.Errorf("a version of nothing: %q", got)
	}
}

// doctor lists every variable that the program asks for.
func TestEnvironmentIsComplete(t *testing.T) {
	listed := map[string]bool{}
	for _, v := range environment() {
		listed[v.Name] = true
	}
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path != "../.." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		names, err := variablesIn(path)
		for _, name := range names {
			if found++; !listed[name] {
				t.Errorf("%s reads %s, which doctor does not list", path, name)
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("found %d variables, error %v", found, err)
	}
}

// variablesIn lists the environment variables that a file asks for by name.
func variablesIn(path string) (names []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		name, isText := call.Args[0].(*ast.BasicLit)
		if ok && isText && (f.Sel.Name == "Getenv" || f.Sel.Name == "LookupEnv") {
			s, _ := strconv.Unquote(name.Value)
			names = append(names, s)
		}
		return true
	})
	return names, nil
}
