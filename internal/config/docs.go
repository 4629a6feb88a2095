package config

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

//go:generate env UPDATE_SNAPSHOTS=1 go test -run TestReferenceIsCurrent .

// WriteReference writes docs/config.md: every key with its default, what it
// accepts, its flag and its meaning.
func WriteReference(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, referenceHead)
	section := ""
	for _, f := range Fields() {
		if f.Section != section {
			section = f.Section
			fmt.Fprintf(b, "\n## [%s]\n\n| key | default | accepts | flag | meaning |\n|---|---|---|---|---|\n", section)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", f.Key, f.defaults(), cell(f.Allowed()), f.flagCell(), cell(f.Help))
	}
	fmt.Fprint(b, "\n## Presets\n")
	for _, name := range Presets() {
		text, err := presetFiles.ReadFile("presets/" + name + ".toml")
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n`--preset %s`\n\n```toml\n%s```\n", name, text)
	}
	return b.Flush()
}

const referenceHead = `# Configuration

<!-- Generated from internal/config by go generate; do not edit. -->

A run is configured by TOML files, presets and flags. The stronger source wins: flags over ` + "`--set section.key=value`" + `
over ` + "`--config FILE.toml`" + ` over its parents over ` + "`--preset NAME`" + ` over the defaults below. ` + "`splat train --print-config`" + `
prints the result. An unknown key is an error. The strategy is chosen first, over all sources, since some defaults
depend on it.

` + "`parent = \"other.toml\"`" + ` at the top of a file takes over the values of another file where this one is silent; the
name is relative to the file. Paths in ` + "`data.path`, `model.init` and `output.dir`" + ` are relative to the folder
that splat is started in. Lengths of time are text: ` + "`\"90s\"`, `\"5m\"`" + `; sizes are text or a number of bytes:
` + "`\"512MB\"`, `\"1.5GiB\"`" + `. Flags and ` + "`--set`" + ` take lists as names separated by commas, ` + "`--check loss,update`" + `.
`

// defaults names the default, and each strategy's where they differ.
func (f Field) defaults() string {
	mcmc, adc := f.Default("mcmc"), f.Default("adc")
	if mcmc == adc || f.Name() == "strategy.name" {
		return "`" + mcmc + "`"
	}
	return "mcmc `" + mcmc + "`, adc `" + adc + "`"
}

func (f Field) flagCell() string {
	if f.Flag == "" {
		return ""
	}
	return "`--" + f.Flag + "`"
}

// cell escapes what would end a table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
