package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the column at which the text of the help is wrapped.
const helpWidth = 100

func join(words []string, sep string) string { return strings.Join(words, sep) }

// showHelp prints a command's help: what it does, how it is called, an example,
// its flags by group.
func showHelp(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n", text, usageLine(cmd))
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		showCommands(w, cmd)
	}
	for _, g := range flagGroups(cmd) {
		fmt.Fprintf(w, "\n%s:\n", g.title)
		for _, f := range g.flags {
			showFlag(w, f)
		}
	}
}

func usageLine(cmd *cobra.Command) string {
	if cmd.HasParent() {
		return cmd.Parent().CommandPath() + " " + cmd.Use
	}
	return cmd.Use
}

func showCommands(w io.Writer, cmd *cobra.Command) {
	fmt.Fprintln(w, "\nCommands:")
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			fmt.Fprintf(w, "  %-12s %s\n", c.Name(), c.Short)
		}
	}
}

// showFlag prints a flag with its help in a column of its own.
func showFlag(w io.Writer, f *pflag.Flag) {
	const column = 32
	left := "  " + flagText(f)
	if len(left) > column-2 {
		fmt.Fprintln(w, left)
		left = ""
	}
	for _, line := range wrap(f.Usage, helpWidth-column) {
		fmt.Fprintf(w, "%-*s%s\n", column, left, line)
		left = ""
	}
}

// flagText writes a flag as it is typed: "-v, --verbose", "--steps N".
func flagText(f *pflag.Flag) string {
	text := "--" + f.Name
	if f.Shorthand != "" {
		text = "-" + f.Shorthand + ", " + text
	}
	if arg := f.Value.Type(); arg != "" && arg != "bool" {
		text += " " + arg
	}
	return text
}

func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// flagGroup is a titled list of flags.
type flagGroup struct {
	title string
	flags []*pflag.Flag
}

// flagGroups returns a command's flags by group, each group in the order its
// first flag was added; the common flags come last.
func flagGroups(cmd *cobra.Command) []flagGroup {
	var groups []flagGroup
	add := func(f *pflag.Flag) {
		title := groupCommand
		if g := f.Annotations[groupKey]; len(g) > 0 {
			title = g[0]
		} else if f.Name == "help" || f.Name == "version" {
			title = groupCommon
		}
		for i := range groups {
			if groups[i].title == title {
				groups[i].flags = append(groups[i].flags, f)
				return
			}
		}
		groups = append(groups, flagGroup{title, []*pflag.Flag{f}})
	}
	for _, fs := range []*pflag.FlagSet{cmd.LocalNonPersistentFlags(), cmd.InheritedFlags(), cmd.PersistentFlags()} {
		fs.SortFlags = false
		fs.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				add(f)
			}
		})
	}
	return commonLast(groups)
}

func commonLast(groups []flagGroup) []flagGroup {
	for i, g := range groups {
		if g.title == groupCommon {
			return append(append(groups[:i:i], groups[i+1:]...), g)
		}
	}
	return groups
}
