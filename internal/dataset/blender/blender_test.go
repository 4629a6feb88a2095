package blender

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"splat/internal/fault"
	"splat/internal/geom"
)

const eye = `[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]`

// file wraps frames into a camera file with a field of view.
func file(frames string) []byte {
	return []byte(`{"camera_angle_x": 0.8, "frames": [` + frames + `]}`)
}

func frame(path, matrix string) string {
	return fmt.Sprintf(`{"file_path": %q, "rotation": 0.1, "transform_matrix": %s}`, path, matrix)
}

func parse(t *testing.T, data []byte) *File {
	t.Helper()
	f, err := Parse(data, "transforms_train.json")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A camera at (1,2,3) that is not turned looks along -z in OpenGL, its y is up.
func TestPoseConvention(t *testing.T) {
	for name, m := range map[string]string{
		"4x4":           `[[1,0,0,1],[0,1,0,2],[0,0,1,3],[0,0,0,1]]`,
		"3x4":           `[[1,0,0,1],[0,1,0,2],[0,0,1,3]]`,
		"scaled":        `[[2,0,0,1],[0,2,0,2],[0,0,2,3],[0,0,0,1]]`,
		"rounded a bit": `[[1.0004,0.0003,0,1],[0,0.9998,0,2],[0,0,1,3]]`,
	} {
		pose := parse(t, file(frame("a", m))).Frames[0].Pose
		approx := cmpopts.EquateApprox(0, 1e-3)
		if d := cmp.Diff(geom.Vec3{1, 2, 3}, pose.Center(), approx); d != "" {
			t.Errorf("%s: centre (-want +got)\n%s", name, d)
		}
		if d := cmp.Diff(geom.Vec3{0, 0, -1}, pose.Forward(), approx); d != "" {
			t.Errorf("%s: forward (-want +got)\n%s", name, d)
		}
		// A point above and to the right of the axis, 5 ahead: x right, y down.
		if d := cmp.Diff(geom.Vec3{1, -1, 5}, pose.Apply(geom.Vec3{2, 3, -2}), cmpopts.EquateApprox(0, 5e-3)); d != "" {
			t.Errorf("%s: point (-want +got)\n%s", name, d)
		}
		if e := deviation(pose.R); e > 1e-14 {
			t.Errorf("%s: rotation is off orthonormal by %g", name, e)
		}
	}
}

func TestIntrinsics(t *testing.T) {
	f := 400 / math.Tan(0.4)
	for name, c := range map[string]struct {
		root, frame string
		want        geom.Camera
	}{
		"angle":        {`"camera_angle_x": 0.8`, ``, geom.Camera{Width: 800, Height: 600, Fx: f, Fy: f, Cx: 400, Cy: 300}},
		"two angles":   {`"camera_angle_x": 0.8, "camera_angle_y": 0.5`, ``, geom.Camera{Width: 800, Height: 600, Fx: f, Fy: 300 / math.Tan(.25), Cx: 400, Cy: 300}},
		"focal":        {`"fl_x": 700`, ``, geom.Camera{Width: 800, Height: 600, Fx: 700, Fy: 700, Cx: 400, Cy: 300}},
		"full":         {`"camera_angle_x": 0.8, "fl_x": 700, "fl_y": 710, "cx": 0, "cy": 310.5, "w": 1600.0, "h": 1200`, ``, geom.Camera{Width: 1600, Height: 1200, Fx: 700, Fy: 710, Cx: 0, Cy: 310.5}},
		"frame's own":  {`"fl_x": 700, "cx": 390`, `, "fl_x": 650, "fl_y": 651`, geom.Camera{Width: 800, Height: 600, Fx: 650, Fy: 651, Cx: 390, Cy: 300}},
		"zero lens":    {`"fl_x": 700, "k1": 0, "k2": 0.0, "p1": -0.0, "camera_model": "OPENCV"`, ``, geom.Camera{Width: 800, Height: 600, Fx: 700, Fy: 700, Cx: 400, Cy: 300}},
		"only a frame": {`"aabb_scale": 4`, `, "fl_x": 650`, geom.Camera{Width: 800, Height: 600, Fx: 650, Fy: 650, Cx: 400, Cy: 300}},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Model = geom.Pinhole
			data := fmt.Sprintf(`{%s, "frames": [{"file_path": "a", "transform_matrix": %s%s}]}`, c.root, eye, c.frame)
			f := parse(t, []byte(data))
			if len(f.Frames) != 1 {
				t.Fatalf("skipped: %v", f.Skipped)
			}
			if d := cmp.Diff(c.want, f.Frames[0].Intrinsics.At(800, 600), cmpopts.EquateApprox(1e-12, 0)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// A19, A20: a bad frame is named and left out, the others stay.
func TestSkippedFrames(t *testing.T) {
	for name, c := range map[string]struct{ bad, want string }{
		"no matrix":      {`{"file_path": "./train/r_1"}`, "frame 1 (./train/r_1): no transform_matrix"},
		"no path":        {`{"transform_matrix": ` + eye + `}`, "frame 1: no file_path"},
		"NaN":            {frame("r", `[[NaN,0,0,0],[0,1,0,0],[0,0,1,0]]`), "not finite"},
		"-Infinity":      {frame("r", `[[1,0,0,0],[0,1,0,-Infinity],[0,0,1,0]]`), "not finite"},
		"too big":        {frame("r", `[[1,0,0,1e999],[0,1,0,0],[0,0,1,0]]`), "not finite"},
		"null":           {frame("r", `[[1,0,0,null],[0,1,0,0],[0,0,1,0]]`), "not finite"},
		"two rows":       {frame("r", `[[1,0,0,0],[0,1,0,0]]`), "2 rows, expected 3 or 4"},
		"short row":      {frame("r", `[[1,0,0],[0,1,0,0],[0,0,1,0]]`), "row 0 of transform_matrix has 3 numbers"},
		"transposed":     {frame("r", `[[1,0,0,0],[0,1,0,0],[0,0,1,0],[1,2,3,1]]`), "last row"},
		"mirrored":       {frame("r", `[[-1,0,0,0],[0,1,0,0],[0,0,1,0]]`), "determinant is -1"},
		"zero":           {frame("r", `[[0,0,0,0],[0,0,0,0],[0,0,0,0]]`), "determinant is 0"},
		"sheared":        {frame("r", `[[1,0.3,0,0],[0,1,0,0],[0,0,1,0]]`), "not a rotation"},
		"a string":       {frame("r", `[["1",0,0,0],[0,1,0,0],[0,0,1,0]]`), "not a frame"},
		"no frame":       {`17`, "frame 1: not a frame"},
		"its own focal":  {`{"file_path": "r", "fl_x": -3, "transform_matrix": ` + eye + `}`, "fl_x is -3"},
		"its own NaN cx": {`{"file_path": "r", "cx": NaN, "transform_matrix": ` + eye + `}`, "cx is not a finite number"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, file(frame("a", eye)+","+c.bad+","+frame("b", eye)))
			if len(f.Frames) != 2 || f.Frames[1].FilePath != "b" || f.Frames[1].Index != 2 || f.Total != 3 || len(f.Skipped) != 1 {
				t.Fatalf("frames %+v, skipped %v", f.Frames, f.Skipped)
			}
			if got := f.Skipped[0].String(); !strings.Contains(got, c.want) || f.Skipped[0].Index != 1 {
				t.Errorf("skipped because %q, want %q", got, c.want)
			}
		})
	}
}

func TestFileErrors(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		want []string
	}{
		"syntax":       {"{\n\"camera_angle_x\": 1,\n\"frames\": [,]}", []string{"line 3"}},
		"cut":          {"{\n\"frames\": [{", []string{"line 2", "unexpected end"}},
		"empty":        {"", []string{"line 1"}},
		"no frames":    {`{"camera_angle_x": 1}`, []string{`no "frames"`}},
		"frames null":  {`{"camera_angle_x": 1, "frames": null}`, []string{`no "frames"`}},
		"frames type":  {"{\"camera_angle_x\": 1,\n \"frames\": 5}", []string{"line 2", "frames"}},
		"angle NaN":    {`{"camera_angle_x": NaN, "frames": []}`, []string{"camera_angle_x is not a finite number"}},
		"angle wide":   {`{"camera_angle_x": 40, "frames": []}`, []string{"camera_angle_x is 40", "radians"}},
		"focal":        {`{"fl_x": 0, "frames": []}`, []string{"fl_x is 0"}},
		"k1":           {`{"fl_x": 10, "k1": -0.125, "frames": []}`, []string{"k1 is -0.125", "not supported yet"}},
		"model":        {`{"fl_x": 10, "camera_model": "OPENCV_FISHEYE", "frames": []}`, []string{"OPENCV_FISHEYE", "not supported yet"}},
		"fisheye":      {`{"fl_x": 10, "is_fisheye": true, "frames": []}`, []string{"is_fisheye"}},
		"frame's lens": {`{"fl_x": 10, "frames": [{"file_path": "a", "k2": 1, "transform_matrix": ` + eye + `}]}`, []string{"frame 0 (a)", "k2 is 1"}},
		"not a number": {`{"camera_angle_x": "wide", "frames": []}`, []string{`expected a number, found "wide"`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(c.data), "some/transforms_train.json")
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range append(c.want, "some/transforms_train.json") {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("message %q does not say %q", err, w)
				}
			}
			if fault.ExitCode(err) != 3 || strings.Contains(err.Error(), "\n") {
				t.Errorf("exit code %d, message %q", fault.ExitCode(err), err)
			}
		})
	}
}

func TestNullNonFinite(t *testing.T) {
	for in, want := range map[string]string{
		`[NaN,-Infinity , Infinity,1e5,nan,-inf]`: `[null,null , null,1e5,null,null]`,
		`{"NaN": "Infinity \" NaN", "a\\": NaN}`:  `{"NaN": "Infinity \" NaN", "a\\": null}`,
		`[true,false,null,-1,-2.5E-3]`:            `[true,false,null,-1,-2.5E-3]`,
		`{"name": "unfinished NaN`:                `{"name": "unfinished NaN`,
		"[\n NaN,\n 1\n]":                         "[\n null,\n 1\n]",
		`[Infinitely, NaNo]`:                      `[Infinitely, NaNo]`,
		"\"\u753b\u50cf NaN\": +NaN, \"tail\\":    "\"\u753b\u50cf NaN\": null, \"tail\\",
	} {
		if got := string(nullNonFinite([]byte(in))); got != want {
			t.Errorf("%s\n gave %s\n want %s", in, got, want)
		}
	}
}

func TestByteOrderMark(t *testing.T) {
	if f := parse(t, append([]byte("\xef\xbb\xbf"), file(frame("a", eye))...)); len(f.Frames) != 1 {
		t.Errorf("got %+v", f)
	}
}

func TestFindAndCandidates(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"Transforms_Train.JSON", "transforms_val.json", "transform_test.json", "._transforms_test.json", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Find(dir)
	if d := cmp.Diff(Files{Dir: dir, Train: "Transforms_Train.JSON", Val: "transforms_val.json"}, got); err != nil || d != "" {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
	for n, content := range map[string]string{"transform_test.json": ` {"frames": []}`, "notes.json": `{"text": "no frames"}`, "b.JSON": `{"camera_angle_x": 1, "frames"`} {
		if err := os.WriteFile(filepath.Join(dir, n), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"b.JSON", "transform_test.json"}, Candidates(dir)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if _, err := Find(filepath.Join(dir, "none")); fault.ExitCode(err) != 3 {
		t.Errorf("missing folder: %v", err)
	}
}

func TestReadLego(t *testing.T) {
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set")
	}
	f, err := Read(filepath.Join(root, "lego", "transforms_train.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Frames) != 100 || len(f.Skipped) != 0 {
		t.Fatalf("%d frames, %d skipped", len(f.Frames), len(f.Skipped))
	}
	for _, fr := range f.Frames {
		// Every camera looks at the origin from 4.03 away.
		o := fr.Pose.Apply(geom.Vec3{})
		if math.Hypot(o[0], o[1]) > 1e-3 || math.Abs(o[2]-4.031) > 1e-3 {
			t.Errorf("%s: the origin is at %v in the camera", fr.FilePath, o)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(file(frame("a", eye) + "," + frame("b", `[[NaN,0,0,0]]`)))
	f.Add([]byte(`{"fl_x": 1, "w": 1e400, "k1": null, "frames": [{"file_path": "\ud800", "transform_matrix": [[1e300,0,0,0],[0,1e300,0,0],[0,0,1e300,0]]}, null]}`))
	f.Add([]byte(`{"frames": -Infinity`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Parse(data, "x")
		if err != nil {
			return
		}
		if len(got.Frames)+len(got.Skipped) != got.Total {
			t.Errorf("%d used and %d skipped of %d", len(got.Frames), len(got.Skipped), got.Total)
		}
		for _, fr := range got.Frames {
			cam := fr.Intrinsics.At(10, 10)
			if !fr.Pose.Center().IsFinite() || !(deviation(fr.Pose.R) < 1e-6) || !(cam.Fx > 0) || !(cam.Fy > 0) {
				t.Errorf("frame %d: pose %v, camera %+v", fr.Index, fr.Pose, cam)
			}
		}
	})
}
