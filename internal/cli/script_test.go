package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"splat/internal/sysinfo"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"splat": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs the program as users do.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Condition:           condition,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			hideVulkan(env)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"rc": exitCode, "json": oneDocument, "colmap": writeColmap, "cut": cutFile, "flip": flipBit, "copydir": copyDir, "splats": writeSplats,
			"samescore": sameScore, "waitfor": waitFor, "refused": refused, "poke": pokeFile, "picture": drawPicture,
			"compared": comparedScores, "fingerprints": compareFingerprints,
		},
	})
}

// hideVulkan makes scripts run on the CPU wherever they run. One that wants the
// machine's drivers takes them back: env VK_DRIVER_FILES=$DRIVERS.
func hideVulkan(env *testscript.Env) {
	none := filepath.Join(env.WorkDir, "no-driver.json")
	drivers, old := os.Getenv("VK_DRIVER_FILES"), os.Getenv("VK_ICD_FILENAMES")
	if drivers == "" && old == "" { // empty would mean none: name those that are installed
		drivers = installedDrivers()
		old = drivers
	}
	env.Setenv("DRIVERS", drivers)
	env.Setenv("OLD_DRIVERS", old)
	env.Setenv("VK_DRIVER_FILES", none)
	env.Setenv("VK_ICD_FILENAMES", none)
}

// exitCode: rc CODE COMMAND ... runs a command and checks its exit code, and that
// a failure is one line on standard error.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, expected %d", got, want)
	}
	if lines := bytes.Count([]byte(ts.ReadFile("stderr")), []byte("splat: ")); want != 0 && lines != 1 {
		ts.Fatalf("%d error lines, expected 1", lines)
	}
}

// oneDocument: json FILE [KEY=JSON ...] checks that a file, or stdout, is exactly
// one JSON document with these values.
func oneDocument(ts *testscript.TestScript, neg bool, args []string) {
	d := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(args[0]))))
	var doc map[string]json.RawMessage
	if err := d.Decode(&doc); err != nil {
		ts.Fatalf("%s is no JSON document: %v", args[0], err)
	}
	if _, err := d.Token(); err != io.EOF {
		ts.Fatalf("%s holds more than one JSON document", args[0])
	}
	for _, arg := range args[1:] {
		key, want, _ := bytes.Cut([]byte(arg), []byte("="))
		if got := doc[string(key)]; !bytes.Equal(got, want) {
			ts.Fatalf("%s: %s is %s, expected %s", args[0], key, got, want)
		}
	}
}

// writeColmap: colmap DIR N writes a binary COLMAP model of one camera, one point
// and N images of 16 x 12 pixels, and the pictures.
func writeColmap(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[0])
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	le := binary.LittleEndian
	cameras := le.AppendUint32(le.AppendUint32(le.AppendUint64(nil, 1), 1), 1) // one camera, id 1, PINHOLE
	cameras = le.AppendUint64(le.AppendUint64(cameras, 16), 12)
	for _, v := range []float64{20, 20, 8, 6} {
		cameras = le.AppendUint64(cameras, math.Float64bits(v))
	}
	images := le.AppendUint64(nil, uint64(n))
	for i := range n {
		images = le.AppendUint32(images, uint32(i+1))
		for _, v := range []float64{1, 0, 0, 0, float64(i), 0, 0} {
			images = le.AppendUint64(images, math.Float64bits(v))
		}
		images = le.AppendUint32(images, 1)
		images = append(images, fmt.Sprintf("%02d.png\x00", i)...)
		images = le.AppendUint64(images, 0)
		writePicture(ts, filepath.Join(dir, "images", fmt.Sprintf("%02d.png", i)))
	}
	points := le.AppendUint64(le.AppendUint64(nil, 1), 1) // one point, id 1
	for _, v := range []float64{0, 0, 4} {
		points = le.AppendUint64(points, math.Float64bits(v))
	}
	points = le.AppendUint64(append(points, 200, 100, 50), math.Float64bits(-1))
	points = le.AppendUint64(points, 0)
	for name, data := range map[string][]byte{"cameras.bin": cameras, "images.bin": images, "points3D.bin": points} {
		ts.Check(os.MkdirAll(filepath.Join(dir, "sparse", "0"), 0o755))
		ts.Check(os.WriteFile(filepath.Join(dir, "sparse", "0", name), data, 0o644))
	}
}

func writePicture(ts *testscript.TestScript, path string) {
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.Create(path)
	ts.Check(err)
	defer f.Close()
	ts.Check(png.Encode(f, image.NewGray(image.Rect(0, 0, 16, 12))))
}

// cutFile: cut FILE N keeps the first N bytes of a file.
func cutFile(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// flipBit: flip FILE N changes a bit of the N-th byte; below 0 it counts from the
// end.
func flipBit(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := []byte(ts.ReadFile(args[0]))
	if n < 0 {
		n += len(text)
	}
	text[n] ^= 4
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o644))
}

// copyDir: copydir FROM TO copies a folder.
func copyDir(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// writeSplats: splats FILE VALUE ... writes an ASCII PLY of degree 0 with a splat
// for each value, its x coordinate.
func writeSplats(ts *testscript.TestScript, neg bool, args []string) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "ply\nformat ascii 1.0\nelement vertex %d\n", len(args)-1)
	for _, name := range []string{"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"} {
		fmt.Fprintf(&b, "property float %s\n", name)
	}
	b.WriteString("end_header\n")
	for _, x := range args[1:] {
		fmt.Fprintf(&b, "%s 0 4 1 0 -1 2 -1 -1 -1 1 0 0 0\n", x)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644))
}

// sameScore: samescore FILE FILE compares psnr and ssim of two documents.
func sameScore(ts *testscript.TestScript, neg bool, args []string) {
	var scores [2]struct{ PSNR, SSIM float64 }
	for i, file := range args {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &scores[i]))
	}
	if d := math.Abs(scores[0].PSNR - scores[1].PSNR); !(d < 0.01) || scores[0].PSNR == 0 || !(math.Abs(scores[0].SSIM-scores[1].SSIM) < 1e-3) {
		ts.Fatalf("the scores differ: %v", scores)
	}
}

// waitFor: waitfor FILE waits until a background command has written a file.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	for range 1000 {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s did not appear within 10 seconds", args[0])
}

// installedDrivers lists the manifests of this machine's Vulkan drivers.
func installedDrivers() string {
	var paths []string
	for _, d := range sysinfo.ReadVulkan().Drivers {
		paths = append(paths, d.Manifest)
	}
	return strings.Join(paths, string(os.PathListSeparator))
}
