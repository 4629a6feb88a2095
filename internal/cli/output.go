package cli

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// output is standard output, and why it could not be written: what was asked for
// and did not arrive is a failure, however much was done.
type output struct {
	to  io.Writer
	err error
}

// Write passes on what it gets.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// visible replaces what a terminal would act on instead of showing it: names in
// captures come from anywhere.
func visible(text string) string {
	const joiners = "\u200c\u200d" // letters and emoji need them
	plain := func(r rune) bool {
		return r != utf8.RuneError && strconv.IsPrint(r) || strings.ContainsRune("\n\t"+joiners, r)
	}
	if strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if quoted := strconv.Quote(text[:n]); plain(r) {
			b.WriteString(text[:n])
		} else {
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[n:]
	}
	return b.String()
}
