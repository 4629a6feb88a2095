package splatio

import (
	"io"
	"path/filepath"
	"strings"

	"splat/internal/atomicfile"
	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/gltf"
	"splat/internal/splatio/pack"
	"splat/internal/splatio/ply"
	"splat/internal/splatio/sog"
	"splat/internal/splatio/splat32"
	"splat/internal/splatio/spz"
)

// Options are the choices that some formats leave.
type Options struct {
	SPZVersion int // 2, 3 or 4; 0 is spz.Default
}

// Written says what became of a cloud in a file.
type Written struct {
	Splats  int
	Dropped int      // splats left out because of NaN or infinite values
	Lost    []string // what the format cannot hold, one line each
}

// encoder writes a cloud of finite values and returns what is lost.
type encoder func(w io.Writer, c *gaussian.Cloud) (lost []string, err error)

// encoders are the formats of one file besides plain PLY, by the end of the name;
// the first that fits holds.
func encoders(o Options) []struct {
	suffix string
	encode encoder
} {
	version := o.SPZVersion
	if version == 0 {
		version = spz.Default
	}
	return []struct {
		suffix string
		encode encoder
	}{
		{".compressed.ply", ply.EncodePacked},
		{".splat", splat32.Encode},
		{".sog", sog.Encode},
		{".glb", gltf.Encode},
		{".spz", func(w io.Writer, c *gaussian.Cloud) ([]string, error) { return spz.Encode(w, c, version) }},
	}
}

func encoderOf(path string, o Options) encoder {
	for _, e := range encoders(o) {
		if strings.HasSuffix(strings.ToLower(path), e.suffix) {
			return e.encode
		}
	}
	return nil
}

// MetaFile is the name that asks for an unpacked SOG, whose other files lie beside it.
const MetaFile = "meta.json"

func isMeta(path string) bool { return filepath.Base(path) == MetaFile }

// CheckName reports why WriteWith knows no format for a file of this name.
func CheckName(path string) error {
	if extension(path) == ".ply" || encoderOf(path, Options{}) != nil || isMeta(path) {
		return nil
	}
	known := ".ply"
	for _, e := range encoders(Options{}) {
		known += ", " + e.suffix
	}
	known += " or " + MetaFile
	switch extension(path) {
	case ".ksplat":
		return fault.Usagef("%s: KSPLAT files are read, not written; the name must end in %s", path, known)
	case ".gltf":
		return fault.Usagef("%s: glTF is written in its binary form: end the name in .glb", path)
	}
	return fault.Usagef("%s: unknown splat format, the name must end in %s", path, known)
}

// Write creates or replaces path with the cloud, in the format that its name ends
// in. Splats with NaN or infinite values are left out and counted.
func Write(path string, c *gaussian.Cloud) (dropped int, err error) {
	w, err := WriteWith(path, c, Options{})
	return w.Dropped, err
}

// WriteWith is Write that says what was lost.
func WriteWith(path string, c *gaussian.Cloud, o Options) (Written, error) {
	if err := CheckName(path); err != nil {
		return Written{}, err
	}
	encode := encoderOf(path, o)
	if encode == nil && !isMeta(path) {
		dropped, err := ply.Write(path, c)
		return Written{Splats: c.Len() - dropped, Dropped: dropped}, err
	}
	if err := c.Check(); err != nil {
		return Written{}, err
	}
	kept, dropped := pack.Sound(c)
	w := Written{Splats: kept.Len(), Dropped: dropped}
	if isMeta(path) {
		return w.folder(path, kept)
	}
	err := atomicfile.Write(path, func(out io.Writer) (err error) {
		w.Lost, err = encode(out, kept)
		return err
	})
	if err != nil {
		return Written{}, fault.AtFile(path, err)
	}
	return w, nil
}

// folder writes an unpacked SOG: the pictures first, so that meta.json never names
// one that is not there.
func (w Written) folder(path string, c *gaussian.Cloud) (Written, error) {
	members, lost, err := sog.Members(c)
	if err != nil {
		return Written{}, fault.AtFile(path, err)
	}
	for _, m := range members {
		at := filepath.Join(filepath.Dir(path), m.Name)
		if err := atomicfile.WriteBytes(at, m.Data); err != nil {
			return Written{}, fault.AtFile(at, err)
		}
	}
	w.Lost = lost
	return w, nil
}

// HeldDegree is the SH degree that a file of this name has of a cloud of the given
// one.
func HeldDegree(path string, degree int) int {
	switch ext := extension(path); {
	case ext == ".splat":
		return 0
	case ext == ".sog", ext == ".glb", isMeta(path):
		return min(degree, 3)
	}
	return degree
}

// Files returns the files that were written for path: of an unpacked SOG all that lie
// beside its meta.json.
func Files(path string) []string {
	if !isMeta(path) {
		return []string{path}
	}
	var files []string
	for _, name := range sog.Names(path) {
		files = append(files, filepath.Join(filepath.Dir(path), name))
	}
	return append(files, path)
}
