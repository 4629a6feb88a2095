package nerfstudio

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
		"angle":            {`"camera_angle_x": 0.8`, ``, geom.Camera{Width: 800, Height: 600, Fx: f, Fy: f, Cx: 400, Cy: 300}},
		"two angles":       {`"camera_angle_x": 0.8, "camera_angle_y": 0.5`, ``, geom.Camera{Width: 800, Height: 600, Fx: f, Fy: 300 / math.Tan(.25), Cx: 400, Cy: 300}},
		"focal":            {`"fl_x": 700`, ``, geom.Camera{Width: 800, Height: 600, Fx: 700, Fy: 700, Cx: 400, Cy: 300}},
		"full":             {`"camera_angle_x": 0.8, "fl_x": 700, "fl_y": 710, "cx": 0, "cy": 310.5, "w": 1600.0, "h": 1200`, ``, geom.Camera{Width: 1600, Height: 1200, Fx: 700, Fy: 710, Cx: 0, Cy: 310.5}},
		"frame's own":      {`"fl_x": 700, "cx": 390`, `, "fl_x": 650, "fl_y": 651`, geom.Camera{Width: 800, Height: 600, Fx: 650, Fy: 651, Cx: 390, Cy: 300}},
		"zero lens":        {`"fl_x": 700, "k1": 0, "k2": 0.0, "p1": -0.0, "camera_model": "OPENCV"`, ``, geom.Camera{Width: 800, Height: 600, Fx: 700, Fy: 700, Cx: 400, Cy: 300}},
		"frame's angle":    {`"fl_x": 700, "fl_y": 710`, `, "camera_angle_x": 0.8`, geom.Camera{Width: 800, Height: 600, Fx: f, Fy: f, Cx: 400, Cy: 300}},
		"frame's fl_x":     {`"fl_x": 700, "fl_y": 710`, `, "fl_x": 650`, geom.Camera{Width: 800, Height: 600, Fx: 650, Fy: 650, Cx: 400, Cy: 300}},
		"fl_x beats angle": {`"fl_x": 700, "camera_angle_x": 0.8, "camera_angle_y": 99`, ``, geom.Camera{Width: 800, Height: 600, Fx: 700, Fy: 700, Cx: 400, Cy: 300}},
		"only fl_y":        {`"fl_y": 710`, ``, geom.Camera{Width: 800, Height: 600, Fx: 710, Fy: 710, Cx: 400, Cy: 300}},
		"only angle_y":     {`"camera_angle_y": 0.5`, ``, geom.Camera{Width: 800, Height: 600, Fx: 300 / math.Tan(.25), Fy: 300 / math.Tan(.25), Cx: 400, Cy: 300}},
		"frame's size":     {`"fl_x": 700, "w": 800, "h": 600`, `, "w": 640, "h": 480`, geom.Camera{Width: 640, Height: 480, Fx: 700, Fy: 700, Cx: 320, Cy: 240}},
		"only a frame":     {`"aabb_scale": 4`, `, "fl_x": 650`, geom.Camera{Width: 800, Height: 600, Fx: 650, Fy: 650, Cx: 400, Cy: 300}},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Model = geom.Pinhole
			data := fmt.Sprintf(`{%s, "frames": [{"file_path": "a", "transform_matrix": %s%s}]}`, c.root, eye, c.frame)
			f := parse(t, []byte(data))
			if len(f.Frames) != 1 {
				t.Fatalf("skipped: %v", f.Skipped)
			}
			if d := cmp.Diff(c.want, f.Frames[0].Lens.At(800, 600), cmpopts.EquateApprox(1e-12, 0)); d != "" {
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
		"far away":       {frame("r", `[[1,0,0,0],[0,1,0,-2e15],[0,0,1,0]]`), "transform_matrix places the camera beyond 1e+15"},
		"a string":       {frame("r", `[["1",0,0,0],[0,1,0,0],[0,0,1,0]]`), `row 0 of transform_matrix: found text "1", expected a number`},
		"no frame":       {`17`, "frame 1: found a number, expected an object with file_path and transform_matrix"},
		"no rows":        {frame("r", `[1,0,0,0]`), "transform_matrix: found a number, expected 3 or 4 lists of 4 numbers"},
		"path of number": {`{"file_path": 1.5, "transform_matrix": ` + eye + `}`, "frame 1: file_path: found a number, expected text"},
		"mask of list":   {`{"file_path": "r", "mask_path": [], "transform_matrix": ` + eye + `}`, "mask_path: found a list, expected text"},
		"focal of text":  {`{"file_path": "r", "fl_x": "700", "transform_matrix": ` + eye + `}`, `fl_x: found text "700", expected a number`},
		"its own focal":  {`{"file_path": "r", "fl_x": -3, "transform_matrix": ` + eye + `}`, "fl_x is -3"},
		"NaN distortion": {`{"file_path": "r", "k1": NaN, "transform_matrix": ` + eye + `}`, "k1 is not a finite number"},
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
		"k1":           {`{"fl_x": 10, "k1": -Infinity, "frames": []}`, []string{"k1 is not a finite number"}},
		"model":        {`{"fl_x": 10, "camera_model": 3, "frames": []}`, []string{"line 1", "camera_model"}},
		"split":        {"{\"frames\": [],\n\"train_filenames\": \"a\"}", []string{"line 2", "train_filenames"}},
		"a list":       {`[{"frames": []}]`, []string{`line 1: found a list, expected an object with "frames"`}},
		"a text":       {"\n\"frames\"", []string{`line 2: found text, expected an object`}},
		"frames list":  {"{\"frames\":\n {}}", []string{"line 2: frames: found an object, expected a list of frames"}},
		"fisheye":      {`{"fl_x": 10, "is_fisheye": "no", "frames": []}`, []string{"is_fisheye: found text, expected true or false"}},
		"filenames":    {"{\"frames\": [],\n\"test_filenames\": [1]}", []string{"line 2: test_filenames: found a number, expected a list of texts"}},
		"ply":          {`{"ply_file_path": {}, "frames": []}`, []string{"ply_file_path: found an object, expected text"}},
		"size":         {`{"fl_x": 10, "w": [640], "frames": []}`, []string{"w: found a list, expected a number"}},
		"centre":       {`{"fl_x": 10, "cx": true, "frames": []}`, []string{"cx: found true, expected a number"}},
		"UTF-16":       {"\xff\xfe{\x00", []string{"found UTF-16 text, expected UTF-8"}},
		"no size":      {`{"fl_x": 10, "w": 0.4, "frames": []}`, []string{"w is 0.4, expected 1 to 1048576 pixels"}},
		"large size":   {`{"fl_x": 10, "h": 1e8, "frames": []}`, []string{"h is 1e+08, expected 1 to"}},
		"far centre":   {`{"fl_x": 10, "cy": -1e10, "frames": []}`, []string{"cy is -1e+10, expected at most 1e+09 pixels"}},
		"two files":    {"{\"frames\": []}\n{}", []string{"line 2"}},
		"not a number": {`{"camera_angle_x": "wide", "frames": []}`, []string{`camera_angle_x: found text "wide", expected a number`}},
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
			if strings.Contains(err.Error(), "unmarshal") || strings.Contains(err.Error(), "Go ") {
				t.Errorf("message %q speaks of Go", err)
			}
			if fault.ExitCode(err) != 3 || strings.Contains(err.Error(), "\n") {
				t.Errorf("exit code %d, message %q", fault.ExitCode(err), err)
			}
		})
	}
}

// A lens that is no pinhole keeps its name and says why; the rest of the file is
// read all the same.
func TestLenses(t *testing.T) {
	for name, c := range map[string]struct{ root, frame, model, refusal string }{
		"none":              {``, ``, "PINHOLE", ""},
		"zeros":             {`"k1": 0, "p1": 0, "k6": -0.0`, ``, "PINHOLE", ""},
		"OPENCV of zeros":   {`"camera_model": "OPENCV", "k1": 0`, ``, "OPENCV", ""},
		"SIMPLE_PINHOLE":    {`"camera_model": "simple_pinhole"`, ``, "SIMPLE_PINHOLE", ""},
		"PERSPECTIVE":       {`"camera_model": "PERSPECTIVE"`, ``, "PINHOLE", ""},
		"k1":                {`"k1": 0.0578421`, ``, "OPENCV", "camera model OPENCV with lens distortion (k1 is 0.05784) is not supported yet"},
		"p2 in the frame":   {`"camera_model": "OPENCV"`, `"p2": -1e-5`, "OPENCV", "(p2 is -1e-05)"},
		"k6":                {`"k6": 1`, ``, "OPENCV", "k6 is 1"},
		"named":             {`"camera_model": "SIMPLE_RADIAL", "k1": 0.1`, ``, "SIMPLE_RADIAL", "SIMPLE_RADIAL with lens distortion"},
		"frame's own 0":     {`"k1": 0.1`, `"k1": 0`, "PINHOLE", ""},
		"frame's own model": {`"camera_model": "PINHOLE"`, `"camera_model": "OPENCV", "k2": 2`, "OPENCV", "k2 is 2"},
		"fisheye":           {`"is_fisheye": true`, ``, "OPENCV_FISHEYE", "camera model OPENCV_FISHEYE is not supported yet"},
		"fisheye of OPENCV": {`"camera_model": "OPENCV", "is_fisheye": true`, ``, "OPENCV_FISHEYE", "OPENCV_FISHEYE"},
		"OPENCV_FISHEYE":    {`"camera_model": "OPENCV_FISHEYE"`, ``, "OPENCV_FISHEYE", "OPENCV_FISHEYE"},
		"not this frame":    {`"is_fisheye": true`, `"is_fisheye": false`, "PINHOLE", ""},
		"sphere":            {`"camera_model": "EQUIRECTANGULAR"`, ``, "EQUIRECTANGULAR", "EQUIRECTANGULAR is not supported yet"},
	} {
		t.Run(name, func(t *testing.T) {
			list := func(s string) string {
				if s == "" {
					return ""
				}
				return ", " + s
			}
			f := parse(t, fmt.Appendf(nil, `{"fl_x": 10%s, "frames": [{"file_path": "a", "transform_matrix": %s%s}]}`, list(c.root), eye, list(c.frame)))
			l := f.Frames[0].Lens
			err := l.Refusal()
			if string(l.Declared()) != c.model || (err == nil) != (c.refusal == "") || err != nil && !strings.Contains(err.Error(), c.refusal) {
				t.Errorf("model %s, %v; want %s, %q", l.Declared(), err, c.model, c.refusal)
			}
			if got := l.At(8, 6).Model; err == nil && got != geom.Pinhole || err != nil && got != l.Declared() {
				t.Errorf("the camera is a %s", got)
			}
		})
	}
}

// Equal lenses are one camera, whoever says so.
func TestLensesCompare(t *testing.T) {
	f := parse(t, []byte(`{"fl_x": 10, "k1": 0.5, "frames": [
		{"file_path": "a", "transform_matrix": `+eye+`},
		{"file_path": "b", "fl_x": 10, "camera_angle_x": 0.3, "k1": 0.5, "transform_matrix": `+eye+`},
		{"file_path": "c", "k1": 0.6, "transform_matrix": `+eye+`}]}`))
	if a, b, c := f.Frames[0].Lens, f.Frames[1].Lens, f.Frames[2].Lens; a != b || a == c {
		t.Errorf("lenses %+v, %+v, %+v", a, b, c)
	}
}

func TestRootKeys(t *testing.T) {
	f := parse(t, []byte(`{"camera_angle_x": 1, "ply_file_path": "a/b.ply", "aabb_scale": 4, "applied_scale": 0.5,
		"applied_transform": [[1,0,0,0],[0,0,1,0],[0,-1,0,0]], "train_filenames": ["a", "b"], "test_filenames": ["c"],
		"frames": [{"file_path": "a", "mask_path": "m.png", "depth_file_path": "d.png", "sharpness": 3, "colmap_im_id": 7, "transform_matrix": `+eye+`}, {"mask_path": "n.png"}]}`))
	if f.PLY != "a/b.ply" || f.Frames[0].Mask != "m.png" || f.Split.Empty() || len(f.Frames) != 1 {
		t.Errorf("%+v", f)
	}
	if d := cmp.Diff([]string{"applied_transform", "applied_scale"}, f.World); d != "" {
		t.Errorf("world (-want +got)\n%s", d)
	}
	if d := cmp.Diff(geom.Vec3{}, f.Frames[0].Pose.Center()); d != "" {
		t.Errorf("applied_transform was applied: centre (-want +got)\n%s", d)
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
	f.Add([]byte(`{"camera_angle_y": 1, "is_fisheye": null, "applied_scale": NaN, "test_filenames": ["a", "./a"], "frames": [{"file_path": "a", "mask_path": "m", "camera_model": "x", "transform_matrix": ` + eye + `}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Parse(data, "x")
		if err != nil {
			return
		}
		if len(got.Frames)+len(got.Skipped) != got.Total {
			t.Errorf("%d used and %d skipped of %d", len(got.Frames), len(got.Skipped), got.Total)
		}
		roles := got.Split.Roles()
		for _, fr := range got.Frames {
			if r := roles.Of(fr.FilePath); r == Test && got.Split.Empty() {
				t.Errorf("frame %d is held out by nothing", fr.Index)
			}
			cam := fr.Lens.At(10, 10)
			if !fr.Pose.Center().IsFinite() || !(deviation(fr.Pose.R) < 1e-6) || !(cam.Fx > 0) || !(cam.Fy > 0) {
				t.Errorf("frame %d: pose %v, camera %+v", fr.Index, fr.Pose, cam)
			}
		}
	})
}
