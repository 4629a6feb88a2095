package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// stamp is the time of every file in an archive.
var stamp = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// member is a file in an archive.
type member struct {
	name string
	mode int64
	data []byte
}

// packFile packs a binary and the texts into an archive in out, whose name it returns.
func packFile(t target, binary, out string) (string, error) {
	members, err := gather(t, binary)
	if err != nil {
		return "", err
	}
	name, pack := t.name()+".tar.gz", packTar
	if t.os == "windows" {
		name, pack = t.name()+".zip", packZip
	}
	var b bytes.Buffer
	if err := pack(&b, members); err != nil {
		return "", err
	}
	return name, os.WriteFile(filepath.Join(out, name), b.Bytes(), 0o644)
}

// gather reads what goes into an archive: everything in a folder with its name.
func gather(t target, binary string) ([]member, error) {
	list := []member{{t.program(), 0o755, nil}}
	paths := []string{binary}
	for _, text := range texts {
		list = append(list, member{text, 0o644, nil})
		paths = append(paths, text)
	}
	for i := range list {
		data, err := os.ReadFile(paths[i])
		if err != nil {
			return nil, err
		}
		list[i].name, list[i].data = t.name()+"/"+list[i].name, data
	}
	return list, nil
}

func packTar(w io.Writer, members []member) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	a := tar.NewWriter(z)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: m.mode, Size: int64(len(m.data)), ModTime: stamp, Format: tar.FormatUSTAR}
		if err := a.WriteHeader(h); err != nil {
			return err
		}
		if _, err := a.Write(m.data); err != nil {
			return err
		}
	}
	if err := a.Close(); err != nil {
		return err
	}
	return z.Close()
}

func packZip(w io.Writer, members []member) error {
	a := zip.NewWriter(w)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: stamp}
		h.SetMode(os.FileMode(m.mode))
		f, err := a.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(m.data); err != nil {
			return err
		}
	}
	return a.Close()
}

// writeSums writes SHA256SUMS, which sha256sum -c reads.
func writeSums(out string, names []string) error {
	var b strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), name)
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(b.String()), 0o644)
}

// checkStatic refuses an ELF file that asks for a dynamic linker or for libraries.
func checkStatic(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return fmt.Errorf("%s: needs a dynamic linker, expected a static binary", path)
		}
	}
	if libraries, err := f.ImportedLibraries(); err == nil && len(libraries) > 0 {
		return fmt.Errorf("%s: needs %q, expected a static binary", path, libraries)
	}
	return nil
}
