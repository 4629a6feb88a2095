package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"splat/internal/config"
	"splat/internal/fault"
)

// rootCommand builds the command tree.
func (a *app) rootCommand() *cobra.Command {
	root := a.command(&cobra.Command{
		Use:   "splat COMMAND",
		Short: "train, evaluate, render and convert 3D Gaussian splats",
		Long: "splat trains, evaluates, renders and converts 3D Gaussian splats.\n\n" +
			"Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 bad input data,\n" +
			"4 no such device, 130 interrupted (what was done so far is saved).",
		Example:       "  splat demo\n  splat train path/to/capture\n  splat eval path/to/capture --model runs/2026-01-31-capture",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 { // empty, or after --
				return fault.Usagef("unexpected argument %q, expected a command; splat --help lists the commands", args[0])
			}
			return cmd.Help()
		},
	})
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.log.out)
	root.SetVersionTemplate("splat {{.Version}}\n")
	root.SetHelpFunc(showHelp)
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRun = func(*cobra.Command, []string) { a.accepted = true }
	a.commonFlags(root.PersistentFlags())
	root.AddCommand(a.commands()...)
	root.SetHelpCommand(a.helpCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	finishCompletion(root)
	return root
}

// The order in help is that of use: train first.
func init() { cobra.EnableCommandSorting = false }

// finishCompletion gives the library's completion command our manners.
func finishCompletion(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Use, c.Short, c.Example = "completion SHELL", "print a script that completes commands and flags in a shell", "  splat completion bash > ~/.local/share/bash-completion/completions/splat"
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownName(cmd, args[0])
			}
			return cmd.Help()
		}
	}
}

func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.trainCommand(), a.evalCommand(), a.renderCommand(), a.infoCommand(),
		a.convertCommand(), a.demoCommand(), a.benchCommand(), a.profileCommand(),
		a.abCommand(),
		a.sweepCommand(), a.compareCommand(),
		a.runsCommand(), a.findingCommand(),
		a.doctorCommand(),
	}
}

func (a *app) commonFlags(fs *pflag.FlagSet) {
	fs.SortFlags = false
	for _, name := range commonFields {
		f, _ := config.Lookup(name)
		a.fieldFlag(fs, f, groupCommon)
	}
	boolFlag(fs, &a.json, "json", "", groupCommon, "print one JSON document on standard output and nothing else there")
	boolFlag(fs, &a.log.quiet, "quiet", "", groupCommon, "on standard error, print warnings and errors only")
	boolFlag(fs, &a.log.verbose, "verbose", "v", groupCommon, "print more about what is done")
}

func (a *app) helpCommand() *cobra.Command {
	return a.command(&cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "print the help of a command",
		Example: "  splat help train",
		RunE: func(cmd *cobra.Command, args []string) error {
			target, rest, err := cmd.Root().Find(args)
			if err != nil {
				return unknownName(cmd.Root(), args[0])
			}
			if len(rest) > 0 {
				return fault.Usagef("splat help: unexpected argument %q, expected one command", rest[0])
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
	})
}

// unknownCommand reports a command that does not exist, before its flags are
// looked at, which could only be unknown too.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	_, _, err := root.Find(args)
	if err == nil {
		return nil
	}
	var name string
	if _, scanErr := fmt.Sscanf(err.Error(), "unknown command %q", &name); scanErr != nil {
		return &fault.Error{Kind: fault.Usage, Err: err}
	}
	return unknownName(root, name)
}

func unknownName(parent *cobra.Command, name string) error {
	var names []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if near := config.Nearest(name, names); near != "" {
		return fault.Usagef("unknown command %q; did you mean %s?", name, near)
	}
	return fault.Usagef("unknown command %q; %s --help lists the commands", name, parent.CommandPath())
}

// flagError turns the flag library's errors into ours.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		return unknownFlag(cmd, missing.GetSpecifiedName())
	}
	var bare *pflag.ValueRequiredError
	if errors.As(err, &bare) {
		return fault.Usagef("--%s: found nothing after it, expected %s", bare.GetFlag().Name, flagText(bare.GetFlag()))
	}
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return badValue(bad)
	}
	return fault.Usagef("%w; see %s --help", err, cmd.CommandPath())
}

// badValue reports a value that a flag refused. Our own flags say what was found
// and expected; the library's are switches.
func badValue(err *pflag.InvalidValueError) error {
	name := err.GetFlag().Name
	if err.GetFlag().Value.Type() == "bool" {
		return fault.Usagef("--%s: found %q, expected true or false", name, err.GetValue())
	}
	return fault.Usagef("--%s: %w", name, errors.Unwrap(err))
}

func unknownFlag(cmd *cobra.Command, name string) error {
	dashes := "--"
	if len(name) == 1 {
		dashes = "-"
	}
	for _, f := range config.Fields() {
		if f.Flag == "" && strings.ReplaceAll(f.Key, "_", "-") == strings.ReplaceAll(name, "_", "-") && cmd.Flags().Lookup("set") != nil {
			return fault.Usagef("unknown flag %s%s; use --set %s=VALUE", dashes, name, f.Name())
		}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := config.Nearest(name, names); near != "" {
		return fault.Usagef("unknown flag %s%s; did you mean --%s?", dashes, name, near)
	}
	return fault.Usagef("unknown flag %s%s; %s --help lists the flags", dashes, name, cmd.CommandPath())
}

// arguments returns an argument check that says in words what is missing.
func arguments(lo, hi int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case slices.Contains(args, "") && hi > 0:
			return fault.Usagef("%s: found an empty name, expected %s; see %s --help", cmd.CommandPath(), what, cmd.CommandPath())
		case len(args) < lo:
			return fault.Usagef("%s: found %d arguments, expected %s; see %s --help", cmd.CommandPath(), len(args), what, cmd.CommandPath())
		case len(args) > hi:
			return fault.Usagef("%s: unexpected argument %q, expected %s; see %s --help", cmd.CommandPath(), args[hi], what, cmd.CommandPath())
		}
		return nil
	}
}
