package cli

import (
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"splat/internal/backend"
	"splat/internal/config"
)

// refused: refused CODE PATTERN splat COMMAND ... runs a command that must fail the
// same way with and without --json: with this exit code, one line of error that
// matches, nothing on standard output, and not a file made, changed or left behind.
func refused(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 4 || args[2] != "splat" {
		ts.Fatalf("usage: refused CODE PATTERN splat COMMAND ...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	command, rest := args[3], args[4:]
	before := files(ts)
	plain := failure(ts, want, pattern, append([]string{command}, rest...))
	withJSON := failure(ts, want, pattern, append([]string{command, "--json"}, rest...))
	if plain != withJSON {
		ts.Fatalf("with --json the error is\n%s\nand without it\n%s", withJSON, plain)
	}
	if diff := cmp.Diff(before, files(ts)); diff != "" {
		ts.Fatalf("files before and after (-before +after):\n%s", diff)
	}
}

// failure runs splat, checks how it fails, and returns its error line.
func failure(ts *testscript.TestScript, want int, pattern *regexp.Regexp, args []string) string {
	err := ts.Exec("splat", args...)
	exit, ok := err.(interface{ ExitCode() int })
	switch {
	case err == nil:
		ts.Fatalf("it succeeded, expected exit code %d", want)
	case !ok:
		ts.Fatalf("%v", err)
	case exit.ExitCode() != want:
		ts.Fatalf("exit code %d, expected %d", exit.ExitCode(), want)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("found %q on standard output, expected nothing", out)
	}
	var found []string
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if strings.HasPrefix(line, "splat: ") {
			found = append(found, strings.TrimRight(line, "\n"))
		}
	}
	if len(found) != 1 || !pattern.MatchString(found[0]) {
		ts.Fatalf("found the error %q, expected one line that matches %s", found, pattern)
	}
	return temporary.ReplaceAllString(found[0], "tmp-N")
}

// temporary is the part of a name that differs from run to run.
var temporary = regexp.MustCompile(`tmp-[0-9]+`)

// files lists what is in the script's folder, with sizes and times of files.
func files(ts *testscript.TestScript) map[string]string {
	list := map[string]string{}
	err := filepath.WalkDir(ts.MkAbs("."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission) && d.IsDir():
			return fs.SkipDir // the script shut it
		case err != nil:
			return err
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			list[path] = strconv.FormatInt(info.Size(), 10) + " " + info.ModTime().String()
		} else {
			list[path] = "folder"
		}
		return err
	})
	ts.Check(err)
	return list
}

// pokeFile: poke FILE OFFSET HEX overwrites bytes of a file.
func pokeFile(ts *testscript.TestScript, _ bool, args []string) {
	at, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	data, err := hex.DecodeString(args[2])
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	defer f.Close()
	_, err = f.WriteAt(data, at)
	ts.Check(err)
}

// drawPicture: picture FILE WIDTH HEIGHT writes a picture in the format of the
// file's extension.
func drawPicture(ts *testscript.TestScript, _ bool, args []string) {
	w, err := strconv.Atoi(args[1])
	ts.Check(err)
	h, err := strconv.Atoi(args[2])
	ts.Check(err)
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		m.Set(i%w, i/w, color.RGBA{uint8(31 * i), uint8(i * i), uint8(7 * i), 255})
	}
	encode := map[string]func(io.Writer, image.Image) error{
		".png": png.Encode, ".bmp": bmp.Encode,
		".jpg":  func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) },
		".tiff": func(w io.Writer, m image.Image) error { return tiff.Encode(w, m, nil) },
	}[filepath.Ext(args[0])]
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	ts.Check(encode(f, m))
}

// condition adds [root], for what a superuser cannot be refused, [vulkan] for machines
// with a usable device, and [vulkan-required] where there must be one.
func condition(name string) (bool, error) {
	required := os.Getenv("SPLAT_REQUIRE_VULKAN") == "1"
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "vulkan":
		_, err := backend.Choose(config.Backend{Device: "vulkan"})
		if required && err != nil {
			return false, fmt.Errorf("SPLAT_REQUIRE_VULKAN=1: %w", err)
		}
		return err == nil, nil
	case "vulkan-required":
		return required, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}
