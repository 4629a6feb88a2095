package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/sysinfo"
	"splat/internal/train"
)

// planFlags are what info takes for --plan: the flags of train, so that train's
// command line can be planned as it stands.
type planFlags struct {
	on   bool
	from configFlags
}

func (p *planFlags) add(a *app, fs *pflag.FlagSet) {
	boolFlag(fs, &p.on, "plan", "", groupCommand, "add the memory that a training would need; takes the flags of train")
	p.from.add(fs)
	a.fieldFlags(fs, "data", "model", "train", "strategy", "loss", "optim", "eval", "output")
}

// check refuses flags of a training where none is planned.
func (p *planFlags) check(flags []config.Setting) error {
	if p.on {
		return nil
	}
	for _, s := range flags {
		if !strings.HasPrefix(s.Key, "data.") && !slices.Contains(commonFields, s.Key) {
			return fault.Usagef("%s: says nothing about what is in a file; with --plan it changes the memory that is planned", s.Origin)
		}
	}
	if p.from.file != "" || p.from.preset != "" || len(p.from.set) > 0 {
		return fault.Usagef("--config, --preset and --set are for --plan")
	}
	return nil
}

// source is where the configuration comes from.
func (p *planFlags) source(path string) config.Source {
	return config.Source{
		Preset: p.from.preset, File: p.from.file, Set: p.from.set,
		Flags: []config.Setting{{Key: "data.path", Value: path, Origin: "PATH"}},
	}
}

// memoryDoc is the plan in info's JSON document.
type memoryDoc struct {
	train.MemoryPlan
	Memory    uint64 `json:"memory_bytes,omitempty"`    // that the program can have at most, here
	Available uint64 `json:"available_bytes,omitempty"` // of which not in use
}

// planMemory plans a training; the warning is "" where the machine has enough.
func planMemory(cfg config.Run, c *dataset.Capture) (doc *memoryDoc, warning string, err error) {
	m, err := train.Memory(cfg, c)
	if err != nil {
		return nil, "", err
	}
	doc = &memoryDoc{m, sysinfo.Memory(), sysinfo.AvailableMemory()}
	if need := uint64(m.Total + m.Loading); doc.Memory > 0 && need > doc.Memory {
		warning = fmt.Sprintf("a training would need %s (%d bytes) of memory at its start, there are %s; lower --max-splats or --max-size, or raise --downscale",
			byteText(need), need, byteText(doc.Memory))
	}
	return doc, warning, nil
}

// printPlan prints the plan as a table.
func (a *app) printPlan(m *memoryDoc) {
	a.print("memory     %s for a training%s", byteText(uint64(m.Total)), m.machine())
	a.print("  %-14s %12s %11s %11s", "what", "count", "bytes each", "total")
	row := func(name string, p train.MemoryPart, note string) {
		a.print("  %-14s %12d %11.2f %11s  %s", name, p.Count, p.Each, byteText(uint64(p.Bytes)), note)
	}
	row("splats", m.Splats, "as many as there may ever be (--max-splats)")
	row("pairs", m.Pairs, fmt.Sprintf("of splat and tile, a guess for %s; grow to what the fullest view needs", plural(m.StartSplats, "splat")))
	row("sort keys", m.SortKeys, "splats or pairs, whichever are more")
	row("view pixels", m.ViewPixels, "of the largest view (--downscale, --max-size)")
	row("view tiles", m.ViewTiles, "")
	row("target pixels", m.TargetPixels, m.targets())
	row("test pixels", m.TestPixels, "of the pictures to measure on (--limit-test)")
	if m.HostPixels.Count > 0 {
		row("host pixels", m.HostPixels, "of pictures to train on, kept decoded until a step needs them")
	}
	a.print("  %-14s %12s %11s %11s", "other", "", "", byteText(uint64(m.Other)))
	a.print("  %-14s %12s %11s %11s", "total", "", "", byteText(uint64(m.Total)))
	a.print("  %-14s %12s %11s %11s  %s", "while loading", "", "", "+"+byteText(uint64(m.Loading)), "decoded pictures, until the first step")
}

// targets says what the target pixels are of.
func (m *memoryDoc) targets() string {
	if m.HostPixels.Count > 0 {
		return "of the places that training pictures pass through (backend.image_budget)"
	}
	return "of the pictures to train on"
}

// machine says what there is to have.
func (m *memoryDoc) machine() string {
	if m.Memory == 0 {
		return ""
	}
	text := "; there are " + byteText(m.Memory)
	if m.Available > 0 {
		text += ", " + byteText(m.Available) + " of it free"
	}
	return text
}
