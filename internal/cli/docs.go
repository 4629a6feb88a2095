package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:generate env UPDATE_SNAPSHOTS=1 go test -run TestReferenceIsCurrent .

const referenceHead = `# Command line

<!-- Generated from internal/cli by go generate; do not edit. -->

Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 failed, 2 wrong usage or
configuration, 3 bad input data, 4 no such device, 130 interrupted (what was done so far is saved). [config.md](config.md)
lists the keys of the configuration.

`

const commonNote = `
A command that runs nothing on a device (info, convert, bench --list) still ends with exit code 4 where --device names
one that is not there. --seed and --threads change nothing where nothing is random and nothing runs in parallel. A flag
that is given twice counts as given last, unless it may be repeated; an empty name is an error and not the default.
`

// WriteReference writes docs/cli.md: every command with its flags.
func WriteReference(w io.Writer) error {
	root := newApp(strings.NewReader(""), io.Discard, io.Discard).rootCommand()
	b := bufio.NewWriter(w)
	fmt.Fprint(b, referenceHead, "| command | does |\n|---|---|\n")
	for _, c := range documented(root) {
		fmt.Fprintf(b, "| [`%s`](#splat-%s) | %s |\n", cell(usageLine(c)), c.Name(), c.Short)
	}
	for _, g := range flagGroups(root) {
		writeFlags(b, "Flags of every command", g.flags)
	}
	fmt.Fprint(b, commonNote)
	for _, c := range documented(root) {
		writeCommand(b, c)
	}
	return b.Flush()
}

// documented returns the commands of the reference: all but the help itself.
func documented(root *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" && c.Name() != "completion" {
			list = append(list, c)
		}
	}
	return list
}

func writeCommand(w io.Writer, c *cobra.Command) {
	fmt.Fprintf(w, "\n## splat %s\n\n    %s\n\n%s\n\n```sh\n%s\n```\n", c.Name(), usageLine(c), c.Long, unindent(c.Example))
	for _, g := range flagGroups(c) {
		if g.title != groupCommon {
			writeFlags(w, g.title, g.flags)
		}
	}
}

// cell makes text fit for a table's cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

func unindent(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "  "), "\n  ", "\n")
}

func writeFlags(w io.Writer, title string, flags []*pflag.Flag) {
	fmt.Fprintf(w, "\n%s:\n\n| flag | meaning |\n|---|---|\n", title)
	for _, f := range flags {
		if f.Name != "help" && f.Name != "version" {
			fmt.Fprintf(w, "| `%s` | %s |\n", cell(flagText(f)), cell(f.Usage))
		}
	}
}
