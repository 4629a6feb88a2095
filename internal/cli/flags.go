package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"splat/internal/config"
)

// groupKey is the annotation that carries a flag's group in the help.
const groupKey = "splat-group"

// The groups of flags that do not stem from a section of the configuration.
const (
	groupCommand = "Command"
	groupConfig  = "Configuration"
	groupCommon  = "Common"
)

// sectionTitles names the groups of the sections' flags.
var sectionTitles = map[string]string{
	"data": "Pictures and split", "model": "Splats", "train": "Training", "loss": "Loss", "optim": "Optimiser",
	"strategy": "Strategy", "eval": "Evaluation", "backend": "Device", "output": "Output",
}

// fieldFlag is the flag of one configuration field. It takes any text: type and
// range are checked when the configuration is resolved, with all its sources.
type fieldFlag struct {
	app   *app
	field config.Field
	text  string
	list  []any // of a list so far: the flag may be repeated
}

func (f *fieldFlag) String() string { return f.text }

func (f *fieldFlag) Type() string { return placeholder(f.field) }

func (f *fieldFlag) Set(text string) error {
	f.text = text
	s, err := config.FlagSetting(f.field, text)
	if err != nil && f.app.flagErr == nil {
		f.app.flagErr = err
	}
	if names, ok := s.Value.([]any); ok && f.field.Type == config.List {
		f.list = append(f.list, names...)
		s.Value = f.list
	}
	if err == nil {
		f.app.flags = append(f.app.flags, s)
	}
	return nil
}

// placeholder stands for the flag's value in the help, "" for a switch.
func placeholder(f config.Field) string {
	switch {
	case f.Type == config.Bool:
		return ""
	case f.Arg != "":
		return f.Arg
	case f.OneOf != nil:
		return join(f.OneOf, "|")
	case f.Type == config.Int:
		return "N"
	}
	return "X"
}

// commonFields are the fields whose flags every command has.
var commonFields = []string{"backend.device", "train.seed", "backend.threads"}

// fieldFlags adds the flags of the named fields to a command; a name is a full
// key or a section with all its fields. The common ones are there already.
func (a *app) fieldFlags(fs *pflag.FlagSet, names ...string) {
	for _, f := range config.Fields() {
		if f.Flag != "" && named(f, names) && !slices.Contains(commonFields, f.Name()) {
			a.fieldFlag(fs, f, sectionTitles[f.Section])
		}
	}
}

func named(f config.Field, names []string) bool {
	return slices.Contains(names, f.Section) || slices.Contains(names, f.Name())
}

func (a *app) fieldFlag(fs *pflag.FlagSet, f config.Field, group string) {
	flag := fs.VarPF(&fieldFlag{app: a, field: f}, f.Flag, "", f.Help+defaultNote(f))
	if f.Type == config.Bool {
		flag.NoOptDefVal = "true"
	}
	setGroup(fs, f.Flag, group)
}

// defaultNote tells a default that is not plainly "nothing".
func defaultNote(f config.Field) string {
	mcmc, adc := f.Default("mcmc"), f.Default("adc")
	switch {
	case f.Name() == "strategy.name" || mcmc == adc:
		switch mcmc {
		case "0", "0.0", "false", `""`, `"0s"`, "[]":
			return ""
		}
		return " (default " + unquoted(mcmc) + ")"
	}
	return " (default mcmc " + mcmc + ", adc " + adc + ")"
}

// ownDefaults makes the help tell the defaults of a command that sets some
// configuration itself, given as section.key=value.
func ownDefaults(fs *pflag.FlagSet, settings []string) {
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		f, _ := config.Lookup(key)
		if flag := fs.Lookup(f.Flag); f.Flag != "" && flag != nil {
			flag.Usage = f.Help + " (default " + value + ")"
		}
	}
}

func unquoted(s string) string {
	if len(s) >= 2 && s[0] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

func setGroup(fs *pflag.FlagSet, name, group string) {
	_ = fs.SetAnnotation(name, groupKey, []string{group}) // fails for unknown flags only
}

// configFlags are the flags that choose where a configuration comes from.
type configFlags struct {
	file, preset string
	set          []string
}

func (c *configFlags) add(fs *pflag.FlagSet) {
	stringFlag(fs, &c.file, "config", "FILE.toml", groupConfig, "configuration file; docs/config.md lists the keys")
	stringFlag(fs, &c.preset, "preset", "NAME", groupConfig, "built-in configuration under --config: "+join(config.Presets(), ", "))
	listFlag(fs, &c.set, "set", "section.key=value", groupConfig, "set one key; may be repeated")
}

func stringFlag(fs *pflag.FlagSet, p *string, name, arg, group, help string) {
	fs.Var(&textFlag{one: p, arg: arg}, name, help)
	setGroup(fs, name, group)
}

func listFlag(fs *pflag.FlagSet, p *[]string, name, arg, group, help string) {
	fs.Var(&textFlag{many: p, arg: arg}, name, help)
	setGroup(fs, name, group)
}

func boolFlag(fs *pflag.FlagSet, p *bool, name, short, group, help string) {
	fs.BoolVarP(p, name, short, false, help)
	setGroup(fs, name, group)
}

// intFlag adds a flag of a whole number in lo..hi; *p holds the default.
func intFlag(fs *pflag.FlagSet, p *int, name string, lo, hi int, group, help string) {
	fs.Var(&numberFlag{p, lo, hi}, name, fmt.Sprintf("%s (default %d)", help, *p))
	setGroup(fs, name, group)
}

// numberFlag is a flag of a whole number.
type numberFlag struct {
	p      *int
	lo, hi int
}

func (n *numberFlag) Type() string { return "N" }

func (n *numberFlag) String() string {
	if n.p == nil {
		return ""
	}
	return strconv.Itoa(*n.p)
}

func (n *numberFlag) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err == nil && v >= n.lo && v <= n.hi {
		*n.p = v
		return nil
	}
	found := text
	if err != nil {
		found = strconv.Quote(text)
	}
	return fmt.Errorf("found %s, expected a whole number in %d..%d", found, n.lo, n.hi)
}

// textFlag is a flag of plain text, once or repeated, with a placeholder.
type textFlag struct {
	one  *string
	many *[]string
	arg  string
}

func (t *textFlag) Type() string { return t.arg }

func (t *textFlag) String() string {
	if t.one == nil {
		return ""
	}
	return *t.one
}

// Set refuses an empty text: it would mean the same as no flag, and is most often
// a variable of a shell that is not set.
func (t *textFlag) Set(s string) error {
	if s == "" {
		return fmt.Errorf("found an empty text, expected %s", t.arg)
	}
	if t.many != nil {
		*t.many = append(*t.many, s)
		return nil
	}
	*t.one = s
	return nil
}

// resolve returns the configuration that the sources and the command's flags
// give.
func (a *app) resolve(src config.Source) (config.Run, error) {
	if a.flagErr != nil {
		return config.Run{}, a.flagErr
	}
	src.Flags = append(src.Flags, a.flags...)
	cfg, err := config.Resolve(src)
	if err != nil {
		return cfg, err
	}
	cfg.Model.Init, err = splatsOf(cfg.Model.Init)
	return cfg, err
}
