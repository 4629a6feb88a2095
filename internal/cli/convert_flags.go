package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/geom"
	"splat/internal/splatio"
	"splat/internal/splatio/edit"
	"splat/internal/splatio/spz"
)

// The groups of convert's flags.
const (
	groupFilter    = "Filters"
	groupTransform = "Transform"
)

// convertFlags are what convert does besides changing the format.
type convertFlags struct {
	opacity, box, sphere     []float64
	translate, rotate, scale []float64
	degree, spzVersion       int
}

func (c *convertFlags) add(fs *pflag.FlagSet) {
	c.degree, c.spzVersion = gaussian.MaxDegree, spz.Default
	vectorFlag(fs, &c.opacity, "min-opacity", 1, "X", groupFilter, "drop splats of lower opacity, 0..1 as drawn")
	vectorFlag(fs, &c.box, "box", 6, "X0,Y0,Z0,X1,Y1,Z1", groupFilter, "keep splats whose centre is in this box")
	vectorFlag(fs, &c.sphere, "sphere", 4, "X,Y,Z,R", groupFilter, "keep splats whose centre is within R of X,Y,Z")
	intFlag(fs, &c.degree, "sh-degree", 0, gaussian.MaxDegree, groupFilter, "keep SH up to this degree")
	vectorFlag(fs, &c.scale, "scale", 1, "S", groupTransform, "multiply positions and sizes")
	vectorFlag(fs, &c.rotate, "rotate", 3, "X,Y,Z", groupTransform, "turn by degrees about the axes x, then y, then z")
	vectorFlag(fs, &c.translate, "translate", 3, "X,Y,Z", groupTransform, "move")
	intFlag(fs, &c.spzVersion, "spz-version", 2, spz.Newest, groupCommand, "version of an .spz file")
}

// filter returns the filter that the flags ask for.
func (c *convertFlags) filter() (f edit.Filter, err error) {
	if c.opacity != nil {
		if f.MinOpacity = c.opacity[0]; f.MinOpacity < 0 || f.MinOpacity > 1 {
			return f, fault.Usagef("--min-opacity: found %g, expected 0 to 1", f.MinOpacity)
		}
	}
	if b := c.box; b != nil {
		f.Box = &edit.Box{Min: geom.Vec3(b[:3]), Max: geom.Vec3(b[3:])}
		for k := range 3 {
			if b[k] > b[3+k] {
				return f, fault.Usagef("--box: found %g before %g, expected the lower corner first", b[k], b[3+k])
			}
		}
	}
	if s := c.sphere; s != nil {
		f.Sphere = &edit.Sphere{Center: geom.Vec3(s[:3]), Radius: s[3]}
		if s[3] < 0 {
			return f, fault.Usagef("--sphere: found the radius %g, expected none below 0", s[3])
		}
	}
	return f, nil
}

// transform returns the transform that the flags ask for.
func (c *convertFlags) transform() (edit.Transform, error) {
	t := edit.Identity
	if c.scale != nil {
		if t.Scale = c.scale[0]; t.Scale <= 0 {
			return t, fault.Usagef("--scale: found %g, expected a number above 0", t.Scale)
		}
	}
	if c.rotate != nil {
		t.Rotation = edit.Euler(c.rotate[0], c.rotate[1], c.rotate[2])
	}
	if c.translate != nil {
		t.Offset = geom.Vec3(c.translate)
	}
	return t, nil
}

func (c *convertFlags) options() splatio.Options { return splatio.Options{SPZVersion: c.spzVersion} }

// vectorFlag adds a flag of n finite numbers, separated by commas; *p stays nil
// without it.
func vectorFlag(fs *pflag.FlagSet, p *[]float64, name string, n int, arg, group, help string) {
	fs.Var(&numbersFlag{p, n, arg}, name, help)
	setGroup(fs, name, group)
}

type numbersFlag struct {
	values *[]float64
	n      int
	arg    string
}

func (f *numbersFlag) String() string { return "" }

func (f *numbersFlag) Type() string { return f.arg }

// Set reads the numbers.
func (f *numbersFlag) Set(text string) error {
	parts := strings.Split(text, ",")
	values := make([]float64, 0, len(parts))
	for _, part := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(v) || math.Abs(v) > geom.MaxCoordinate {
			return f.wrong(text)
		}
		values = append(values, v)
	}
	if len(values) != f.n {
		return f.wrong(text)
	}
	*f.values = values
	return nil
}

func (f *numbersFlag) wrong(text string) error {
	if f.n == 1 {
		return fmt.Errorf("found %q, expected a number", text)
	}
	return fmt.Errorf("found %q, expected %d numbers: %s", text, f.n, f.arg)
}
