package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio"
	"splat/internal/splatio/edit"
)

// conversion is the JSON document of convert.
type conversion struct {
	In       string       `json:"in"`
	Out      string       `json:"out"`
	Splats   int          `json:"splats"` // in OUT
	SHDegree int          `json:"sh_degree"`
	Dropped  int          `json:"dropped"` // with values that are not finite
	Removed  edit.Removed `json:"removed"` // by the filters
	Bytes    int64        `json:"bytes"`
	Warnings []string     `json:"warnings"` // about IN
	Lost     []string     `json:"lost"`     // what OUT cannot hold
}

func (a *app) convertCommand() *cobra.Command {
	var flags convertFlags
	cmd := a.command(&cobra.Command{
		Use:   "convert IN OUT [flags]",
		Short: "write a splat file in another form",
		Long: "Reads a splat file and writes it anew. The format of IN is told by its content, that of OUT\n" +
			"by its name: .ply (binary, classic layout), .compressed.ply (SuperSplat), .splat, .spz, .sog,\n" +
			"meta.json (SOG unpacked in a folder), .glb (glTF). Read are all of these but .glb, and .ksplat.\n\n" +
			"Filters come first, in the places of IN, then the transform: scale, rotate, translate. Splats\n" +
			"with values that are not finite are left out and counted. What the format of OUT cannot hold\n" +
			"is told.",
		Example: "  splat convert scene.spz scene.ply\n" +
			"  splat convert scene.ply small.sog --min-opacity 0.02 --sh-degree 1\n" +
			"  splat convert scene.ply part.ply --sphere 0,0,0,2.5 --rotate 90,0,0",
		Args: arguments(2, 2, "IN and OUT"),
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := a.resolve(config.Source{})
			if err != nil {
				return err
			}
			if err := checkDevice(cfg); err != nil {
				return err
			}
			doc, err := convert(args[0], args[1], &flags)
			if err != nil {
				return err
			}
			a.tellConversion(doc)
			return a.document(doc)
		},
	})
	fs := cmd.Flags()
	fs.SortFlags = false
	flags.add(fs)
	return cmd
}

func (a *app) tellConversion(doc conversion) {
	for _, w := range doc.Warnings {
		a.log.warn(w)
	}
	for _, l := range doc.Lost {
		a.log.warn("lost: " + l)
	}
	for _, r := range []struct {
		n    int
		what string
	}{{doc.Removed.Opacity, "--min-opacity"}, {doc.Removed.Box, "--box"}, {doc.Removed.Sphere, "--sphere"}} {
		if r.n > 0 {
			a.print("%s removed by %s", plural(r.n, "splat"), r.what)
		}
	}
	a.print("%s (SH degree %d) in %s, %s", plural(doc.Splats, "splat"), doc.SHDegree, absolute(doc.Out), byteText(uint64(doc.Bytes)))
}

func convert(in, out string, flags *convertFlags) (conversion, error) {
	filter, err := flags.filter()
	if err != nil {
		return conversion{}, err
	}
	transform, err := flags.transform()
	if err != nil {
		return conversion{}, err
	}
	if err := checkConvert(in, out); err != nil {
		return conversion{}, err
	}
	m, err := openSplats(in)
	if err != nil {
		return conversion{}, err
	}
	if sameFile(m.path, out) {
		return conversion{}, fault.Usagef("%s is the file that would be read; give OUT another name", out)
	}
	cloud, removed := filter.Apply(m.cloud)
	if cloud.Len() == 0 && m.cloud.Len() > 0 {
		return conversion{}, fault.Dataf("%s: none of the %s passes the filters: nothing to write", m.path, plural(m.cloud.Len(), "splat"))
	}
	lost := cutDegree(cloud, flags.degree)
	transform.Apply(cloud)
	written, err := splatio.WriteWith(out, cloud, flags.options())
	if err != nil {
		return conversion{}, err
	}
	size, degree, err := onDisk(out, cloud)
	return conversion{
		In: m.path, Out: out, Splats: written.Splats, SHDegree: degree,
		Dropped: written.Dropped + m.info.NonFinite, Removed: removed, Bytes: size,
		Warnings: append([]string{}, m.info.Warnings...), Lost: append(lost, written.Lost...),
	}, err
}

// cutDegree lowers the SH degree and tells it.
func cutDegree(c *gaussian.Cloud, degree int) []string {
	if c.SHDegree <= degree {
		return []string{}
	}
	lost := []string{fmt.Sprintf("SH degree %d becomes %d, as --sh-degree asks", c.SHDegree, degree)}
	c.SetDegree(degree)
	return lost
}

// onDisk returns the size of what was written, with the pictures beside a meta.json,
// and the SH degree that it holds.
func onDisk(out string, c *gaussian.Cloud) (size int64, degree int, err error) {
	for _, path := range splatio.Files(out) {
		info, err := os.Stat(path)
		if err != nil {
			return 0, 0, err
		}
		size += info.Size()
	}
	return size, splatio.HeldDegree(out, c.SHDegree), nil
}

// checkConvert refuses what cannot be written before IN is read, which may take a
// while.
func checkConvert(in, out string) error {
	if sameFile(in, out) || filepath.Base(out) == splatio.MetaFile && sameFile(in, filepath.Dir(out)) {
		return fault.Usagef("%s and %s are the same file; give OUT another name", in, out)
	}
	if err := checkFile(out); err != nil {
		return err
	}
	return splatio.CheckName(out)
}

// sameFile reports whether two paths lead to one file, by links too.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}
