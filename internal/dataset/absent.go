package dataset

import (
	"fmt"
	"strings"
)

// absences collects the pictures that cannot be used for want of one file that is
// meant.
type absences struct{ missing, ambiguous []string }

// add notes why the picture of a name was not found.
func (a *absences) add(name string, how match, rivals []string) {
	switch how {
	case ambiguous:
		a.ambiguous = append(a.ambiguous, fmt.Sprintf("%s (%s)", name, strings.Join(rivals, " or ")))
	case leaves:
		a.missing = append(a.missing, name+" (leads out of the folder)")
	default:
		a.missing = append(a.missing, name)
	}
}

// example is one of them, for a message on a capture that has no picture at all.
func (a *absences) example() string {
	if len(a.ambiguous) > 0 {
		return "ambiguous " + a.ambiguous[0]
	}
	return fmt.Sprintf("%q", a.missing[0])
}

// warn reports the views that were left out of all, looked up in where.
func (a *absences) warn(d *draft, all int, where string) {
	if n := len(a.missing); n > 0 {
		d.warnf("%d of %s missing in %s, views left out: %s", n, plural(all, "picture"), where, firstOf(a.missing))
	}
	if n := len(a.ambiguous); n > 0 {
		d.warnf("%d of %s ambiguous in %s, as names that differ in case or ending only fit equally well, views left out: %s", n, plural(all, "picture"), where, firstOf(a.ambiguous))
	}
}
