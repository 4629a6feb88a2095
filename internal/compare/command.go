// Package compare runs another trainer and writes down what came of it beside what
// came of this one.
package compare

import (
	"runtime"
	"slices"
	"strings"

	"splat/internal/fault"
)

// Placeholders are the words that may stand between braces in a command.
var Placeholders = []string{"data", "out", "init", "steps"}

// Uses reports whether a text has a placeholder.
func Uses(text, name string) bool { return strings.Contains(text, "{"+name+"}") }

// Expand replaces the placeholders of a shell's command line so that each value
// stays one word, whatever is in it: quoted where it stands bare, escaped where the
// command quotes it already. Other braces are the shell's.
func Expand(command string, values map[string]string) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(command); i++ {
		c := command[i]
		if name, ok := placeholder(command[i:]); ok {
			b.WriteString(quoted(values[name], quote))
			i += len(name) + 1
			continue
		}
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(command) && runtime.GOOS != "windows":
			b.WriteByte(c)
			i++
			c = command[i]
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\'' && runtime.GOOS != "windows"):
			quote = c
		}
		b.WriteByte(c)
	}
	return b.String()
}

// ExpandPath replaces the placeholders of a path.
func ExpandPath(path string, values map[string]string) string {
	for _, name := range Placeholders {
		path = strings.ReplaceAll(path, "{"+name+"}", values[name])
	}
	return path
}

// placeholder returns the name of the one that the text begins with.
func placeholder(text string) (string, bool) {
	if !strings.HasPrefix(text, "{") {
		return "", false
	}
	name, _, closed := strings.Cut(text[1:], "}")
	return name, closed && slices.Contains(Placeholders, name)
}

// quoted writes a value as part of a shell's command line, inside of the given quotes
// or bare.
func quoted(value string, quote byte) string {
	if runtime.GOOS == "windows" {
		if quote == 0 && strings.ContainsAny(value, " \t&()^") {
			return `"` + value + `"`
		}
		return value
	}
	const single = `'\''`
	switch {
	case quote == '\'':
		return strings.ReplaceAll(value, "'", single)
	case quote == '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(value)
	case value != "" && strings.Trim(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%") == "":
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", single) + "'"
}

// Shell returns the program and the arguments that run a command line.
func Shell(command string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/C", command}
	}
	return []string{"sh", "-c", command}
}

// NameOf is what a trainer is called that nobody has named: the first word of its
// command that is not a setting of a variable, without folder.
func NameOf(command string) string {
	for word := range strings.FieldsSeq(command) {
		if eq := strings.IndexByte(word, '='); eq > 0 && !strings.ContainsAny(word[:eq], "/\\") {
			continue
		}
		word = word[strings.LastIndexAny(word, `/\`)+1:]
		word = strings.Map(func(r rune) rune {
			if r > ' ' && r < 0x7f && !strings.ContainsRune("/\\:*?\"'<>|$&;(){}[]`!#~", r) {
				return r
			}
			return -1
		}, word)
		if word = strings.Trim(word, "."); word != "" && word != Own {
			return word
		}
		break
	}
	return "other"
}

// Own is the name of this program among the trainers.
const Own = "splat"

// CheckName refuses names that are no folder's, or ours.
func CheckName(name string) error {
	switch {
	case strings.EqualFold(name, Own):
		return fault.Usagef("--name %s: that is this program, expected another name for the trainer of --cmd", name)
	case strings.ContainsAny(name, "/\\:*?\"<>|\x00\n") || strings.Trim(name, ". ") == "":
		return fault.Usagef("--name %q: expected a name that can be a folder's", name)
	}
	return nil
}
