package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// console writes log lines to standard error, above a progress bar where one is
// shown.
type console struct {
	mu       sync.Mutex
	out      io.Writer
	above    io.Writer // takes lines while a bar is shown, else nil
	terminal bool      // out is a terminal that can move its cursor
	colour   bool
	quiet    bool
	verbose  bool
}

func newConsole(w io.Writer) *console {
	c := &console{out: w}
	if f, ok := w.(*os.File); ok && os.Getenv("TERM") != "dumb" {
		width, _, err := term.GetSize(int(f.Fd()))
		c.terminal = err == nil && width > 0 // on a terminal of no width a bar would show nothing
	}
	_, plain := os.LookupEnv("NO_COLOR")
	c.colour = c.terminal && !plain
	return c
}

// note writes a line that --quiet suppresses; lines that begin with "warning:"
// are shown even then.
func (c *console) note(line string) {
	if text, ok := strings.CutPrefix(line, "warning: "); ok {
		c.warn(text)
	} else if !c.quiet {
		c.line(visible(line))
	}
}

func (c *console) notef(format string, args ...any) { c.note(fmt.Sprintf(format, args...)) }

// detail writes a line that only -v shows.
func (c *console) detail(format string, args ...any) {
	if c.verbose {
		c.note(fmt.Sprintf(format, args...))
	}
}

func (c *console) warn(text string) { c.line(c.paint("33", "warning:") + " " + visible(text)) }

func (c *console) fail(text string) { c.line(c.paint("31", "splat:") + " " + visible(text)) }

func (c *console) paint(code, text string) string {
	if !c.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (c *console) line(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.out
	if c.above != nil {
		w = c.above
	}
	io.WriteString(w, text+"\n")
}

// divert sends lines to w, above a bar; nil ends that.
func (c *console) divert(w io.Writer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.above = w
}
