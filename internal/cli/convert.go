package cli

import (
	"os"

	"github.com/spf13/cobra"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/splatio"
)

// conversion is the JSON document of convert.
type conversion struct {
	In       string   `json:"in"`
	Out      string   `json:"out"`
	Splats   int      `json:"splats"`
	SHDegree int      `json:"sh_degree"`
	Dropped  int      `json:"dropped"`
	Bytes    int64    `json:"bytes"`
	Warnings []string `json:"warnings"`
}

func (a *app) convertCommand() *cobra.Command {
	return a.command(&cobra.Command{
		Use:   "convert IN OUT [flags]",
		Short: "write a splat file in another form",
		Long: "Reads a splat file and writes it anew, the format chosen by the extension: .ply is binary\n" +
			"little-endian PLY in the classic layout. Splats with values that are not finite are left\n" +
			"out and counted.",
		Example: "  splat convert scene-ascii.ply scene.ply",
		Args:    arguments(2, 2, "IN and OUT"),
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := a.resolve(config.Source{})
			if err != nil {
				return err
			}
			if err := checkDevice(cfg); err != nil {
				return err
			}
			doc, err := a.convert(args[0], args[1])
			if err != nil {
				return err
			}
			for _, w := range doc.Warnings {
				a.log.warn(w)
			}
			a.print("%s (SH degree %d) in %s, %s", plural(doc.Splats, "splat"), doc.SHDegree, absolute(doc.Out), byteText(uint64(doc.Bytes)))
			return a.document(doc)
		},
	})
}

func (a *app) convert(in, out string) (conversion, error) {
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
	dropped, err := splatio.Write(out, m.cloud)
	if err != nil {
		return conversion{}, err
	}
	info, err := os.Stat(out)
	if err != nil {
		return conversion{}, err
	}
	return conversion{
		In: m.path, Out: out, Splats: m.cloud.Len() - dropped, SHDegree: m.cloud.SHDegree,
		Dropped: dropped + m.info.NonFinite, Bytes: info.Size(), Warnings: append([]string{}, m.info.Warnings...),
	}, nil
}

// checkConvert refuses what cannot be written before IN is read, which may take a
// while.
func checkConvert(in, out string) error {
	if sameFile(in, out) {
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
