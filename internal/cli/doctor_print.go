package cli

import (
	"fmt"
	"strings"
)

// rows are the lines of a group: a word and what is to be said of it.
type rows [][2]string

func (r *rows) add(word, format string, args ...any) {
	*r = append(*r, [2]string{word, fmt.Sprintf(format, args...)})
}

// group prints rows under a title, their words in a column; nothing without rows.
func (a *app) group(title string, r rows) {
	if len(r) == 0 {
		return
	}
	width := 0
	for _, row := range r {
		width = max(width, len(row[0]))
	}
	a.print("\n%s:", title)
	for _, row := range r {
		a.print("%s", strings.TrimRight(fmt.Sprintf("  %-*s  %s", width, row[0], row[1]), " "))
	}
}

func (a *app) printReport(r *report) {
	a.print("splat %s (%s, %s)", r.Version, r.Go, r.Platform)
	a.group("Build", r.Build.rows())
	a.group("Devices", r.deviceRows())
	a.group("Processor", r.processorRows())
	a.group("Memory and disk", r.memoryRows())
	a.group("Other programs", r.programRows())
	a.group("Environment", r.environmentRows())
	var allowed, variants, modules rows
	for _, l := range r.Limits {
		allowed.add(l.Key, "%s", l.Allowed)
	}
	for _, v := range r.Variants {
		variants.add(v.Name, "%s (of %s)", v.Used, join(v.Choices, ", "))
	}
	for _, m := range r.Dependencies {
		modules.add(m.Path, "%s", m.Version)
	}
	a.group("Limits", allowed)
	a.group("Variants", variants)
	a.group("Built from", modules)
	if len(r.Warnings) > 0 {
		a.print("\nWarnings:")
		for _, w := range r.Warnings {
			a.print("  %s", w)
		}
	}
}

func (b *buildInfo) rows() (r rows) {
	if b.Revision != "" {
		state := map[bool]string{true: ", modified", false: ""}[b.Modified]
		r.add("revision", "%s of %s%s", b.Revision, b.Time, state)
	} else {
		r.add("revision", "unknown")
	}
	r.add("race detector", "%s", map[bool]string{true: "on", false: "off"}[b.Race])
	for _, key := range buildSettings {
		if value := b.Settings[key]; value != "" {
			r.add(key, "%s", value)
		}
	}
	return r
}

func (r *report) deviceRows() (out rows) {
	for i := range r.Devices {
		if d := &r.Devices[i]; d.GPU != nil {
			d.gpuRows(&out)
		} else {
			out.add(d.Device, "%s, %s%s, instruction path %s", d.Name, coresText(d.Cores), plural(d.Threads, "thread"), d.Instructions)
		}
	}
	r.Vulkan.rows(&out)
	if r.Auto.Device != "" {
		out.add("auto", "%s: %s", r.Auto.Device, r.Auto.Reason)
	}
	return out
}

func coresText(n int) string {
	if n == 0 {
		return ""
	}
	return plural(n, "core") + ", "
}

func (r *report) processorRows() (out rows) {
	p := r.Processor
	out.add("name", "%s", p.Name)
	out.add("processors", "%s%d logical, %d usable", map[bool]string{true: fmt.Sprintf("%d physical, ", p.Cores)}[p.Cores > 0], p.Logical, p.Usable)
	for _, c := range p.Caches {
		out.add("cache", "L%d %s %s, shared by %d", c.Level, c.Kind, byteText(c.Bytes), c.Shared)
	}
	for _, f := range p.Features {
		state := "absent"
		if f.Present {
			state = map[bool]string{true: "present, used", false: "present, not used"}[f.Used]
		}
		out.add(f.Name, "%s", state)
	}
	out.add("path", "%s: %s", r.Instructions.Path, r.Instructions.Why)
	if p.MHz > 0 {
		out.add("clock", "%s", p.clockText())
	}
	if p.Celsius > 0 {
		out.add("temperature", "%.0f C", p.Celsius)
	}
	if l := r.Load; l != nil {
		out.add("load", "%.2f, %.2f, %.2f (average of 1, 5 and 15 minutes)", l.One, l.Five, l.Fifteen)
	}
	return out
}

func (p *processorInfo) clockText() string {
	text := fmt.Sprintf("%d MHz", p.MHz)
	if p.MaxMHz > 0 {
		text += fmt.Sprintf(" of %d", p.MaxMHz)
	}
	if p.Governor != "" {
		text += ", governor " + p.Governor
	}
	return text
}

func (r *report) memoryRows() (out rows) {
	for _, m := range []struct {
		word  string
		bytes uint64
	}{{"machine", r.Memory.Machine}, {"usable", r.Memory.Usable}, {"available", r.Memory.Available}} {
		if m.bytes > 0 {
			out.add(m.word, "%s", byteText(m.bytes))
		}
	}
	if c := r.Container; c != nil {
		out.add("container", "%s", c.text())
	}
	if r.DiskFree > 0 {
		out.add("disk", "%s free for the current folder", byteText(r.DiskFree))
	}
	return out
}

func (c *containerInfo) text() string {
	var limits []string
	if c.CPUs > 0 {
		limits = append(limits, fmt.Sprintf("%.4g processors", c.CPUs))
	}
	if c.Memory > 0 {
		limits = append(limits, byteText(c.Memory)+" of memory")
	}
	return "limited to " + join(limits, " and ")
}

func (r *report) programRows() (out rows) {
	for _, p := range r.Programs {
		if p.Path == "" {
			out.add(p.Name, "not found; it %s", p.For)
			continue
		}
		version := p.Version
		if version == "" {
			version = "version unknown"
		}
		out.add(p.Name, "%s (%s)", version, p.Path)
	}
	return out
}

func (r *report) environmentRows() (out rows) {
	for _, v := range r.Environment {
		value := "not set"
		if v.Set {
			value = fmt.Sprintf("%q", v.Value)
		}
		out.add(v.Name, "%-18s %s", value, v.Meaning)
	}
	return out
}

// warnings says what makes runs slow, short of something, or measurements doubtful.
func warnings(r *report) []string {
	list := []string{}
	add := func(is bool, format string, args ...any) {
		if is {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	if l := r.Load; l != nil {
		add(l.Busy, "the machine is busy (load %.2f on %s): do not trust measurements now", l.One, plural(r.Processor.Usable, "processor"))
	}
	add(r.Build.Race, "built with the race detector: everything takes many times longer")
	add(len(r.Instructions.Choices) > 1 && r.Instructions.Path == r.Instructions.Choices[len(r.Instructions.Choices)-1],
		"the CPU runs its slowest instruction path: %s", r.Instructions.Why)
	if c := r.Container; c != nil {
		add(true, "this process is %s; the machine has more", c.text())
	}
	const little = 1 << 30
	add(r.Memory.Available > 0 && r.Memory.Available < little, "only %s of memory is available", byteText(r.Memory.Available))
	add(r.DiskFree > 0 && r.DiskFree < little, "only %s of disk is free for the current folder", byteText(r.DiskFree))
	return list
}

// byteText writes a size in binary units.
func byteText(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, i := float64(n), 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + " " + units[i]
}
