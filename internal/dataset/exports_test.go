package dataset

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"splat/internal/geom"
)

// exporters write the same three cameras each: at (i, 2, 5), looking along -z with y up,
// of 80x60 pixels and a focal length of 90.
var exporters = map[string]func(t *testing.T, root string){
	"polycam": func(t *testing.T, root string) {
		for i := range 3 {
			put(t, filepath.Join(root, "keyframes", "corrected_cameras", fmt.Sprintf("%d.json", 100+i)), fmt.Sprintf(
				`{"fx": 90, "fy": 90, "cx": 40, "cy": 30, "width": 80, "height": 60, "blur_score": NaN,
				"t_00": 1, "t_01": 0, "t_02": 0, "t_03": %d, "t_10": 0, "t_11": 1, "t_12": 0, "t_13": 2, "t_20": 0, "t_21": 0, "t_22": 1, "t_23": 5}`, i))
			put(t, filepath.Join(root, "keyframes", "cameras", fmt.Sprintf("%d.json", 100+i)), `{}`)
			pictureAt(t, filepath.Join(root, "keyframes", "corrected_images", fmt.Sprintf("%d.jpg", 100+i)))
		}
	},
	"record3d": func(t *testing.T, root string) {
		put(t, filepath.Join(root, "metadata.json"), `{"w": 80, "h": 60, "K": [90, 0, 0, 0, 90, 0, 40, 30, 1], "fps": 60,
			"poses": [[0, 0, 0, 1, 0, 2, 5], [0, 0, 0, 1, 1, 2, 5], [0, 0, 0, -2, 2, 2, 5]]}`)
		for i := range 3 {
			pictureAt(t, filepath.Join(root, "rgb", fmt.Sprintf("%d.jpg", i)))
		}
	},
	"realitycapture": func(t *testing.T, root string) {
		csv := "#cameras 3\n#name,x,y,alt,heading,pitch,roll,f,px,py,k1,k2,k3,k4,t1,t2\n"
		for i := range 3 {
			csv += fmt.Sprintf("A view (%d).jpg,%d,2,5,0,0,0,40.5,0,0,0,0,0,0,0,0\r\n", i, i)
			pictureAt(t, filepath.Join(root, "images", fmt.Sprintf("A view (%d).jpg", i)))
		}
		put(t, filepath.Join(root, "poses.csv"), csv)
	},
	"metashape": func(t *testing.T, root string) {
		cameras := ""
		for i := range 3 {
			cameras += fmt.Sprintf(`<camera id="%d" sensor_id="4" component_id="0" label="DJI_%d"><transform>1 0 0 %d 0 -1 0 2 0 0 -1 5 0 0 0 1</transform></camera>`, i, i, i)
			pictureAt(t, filepath.Join(root, "images", fmt.Sprintf("DJI_%d.JPG", i)))
		}
		put(t, filepath.Join(root, "cameras.xml"), `<?xml version="1.0" encoding="UTF-8"?><document version="2.0.0"><chunk label="Chunk 1"><sensors>
			<sensor id="4" label="FC" type="frame"><resolution width="80" height="60"/><calibration type="frame" class="adjusted"><resolution width="80" height="60"/><f>90</f><cx>0</cx><cy>0</cy></calibration></sensor>
			</sensors><cameras><group id="0" label="g">`+cameras+`</group></cameras></chunk></document>`)
	},
}

func pictureAt(t *testing.T, path string) {
	t.Helper()
	put(t, path, "")
	picture(t, path, 80, 60)
}

// The exports of all programs say the same of the same cameras.
func TestExports(t *testing.T) {
	for format, write := range exporters {
		t.Run(format, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "scan")
			write(t, root)
			c := open(t, root, Options{})
			if c.Format != format || len(c.Views) != 3 || len(c.Cameras) != 1 {
				t.Fatalf("format %q, %d views, %d cameras: %v", c.Format, len(c.Views), len(c.Cameras), c.Warnings)
			}
			want := geom.Camera{Model: geom.Pinhole, Width: 80, Height: 60, Fx: 90, Fy: 90, Cx: 40, Cy: 30}
			for i, v := range c.Views {
				if v.Camera != want {
					t.Errorf("%s: camera %+v", v.Name, v.Camera)
				}
				if at := v.Pose.Center(); at.Sub(geom.Vec3{float64(i), 2, 5}).Norm() > 1e-9 {
					t.Errorf("%s lies at %v", v.Name, at)
				}
				// what is before the camera, and what is above
				for axis, p := range map[int]geom.Vec3{2: {float64(i), 2, 4}, 1: {float64(i), 1, 5}} {
					if q := v.Pose.R.MulVec(p).Add(v.Pose.T); math.Abs(q[axis]-1) > 1e-9 {
						t.Errorf("%s: %v is at %v", v.Name, p, q)
					}
				}
			}
			if len(c.Warnings) > 0 {
				t.Errorf("warnings: %q", c.Warnings)
			}
			sameViews(t, c, open(t, zipFolder(t, root, "scan/"), Options{}))
		})
	}
}

// A file that is named is read by itself.
func TestExportByName(t *testing.T) {
	root := filepath.Join(t.TempDir(), "scan")
	for format, file := range map[string]string{"record3d": "metadata.json", "realitycapture": "poses.csv", "metashape": "cameras.xml"} {
		exporters[format](t, root)
		if c := open(t, filepath.Join(root, file), Options{}); c.Format != format || len(c.Views) != 3 {
			t.Errorf("%s: format %q, %d views", file, c.Format, len(c.Views))
		}
	}
}

// Heading turns clockwise seen from above, pitch raises the view from straight down.
func TestRealityCaptureAngles(t *testing.T) {
	for angles, want := range map[string]geom.Vec3{"0,0,0": {0, 0, -1}, "0,90,0": {0, 1, 0}, "90,90,0": {1, 0, 0}, "0,0,90": {-1, 0, 0}, "180,45,0": {0, -math.Sqrt2 / 2, -math.Sqrt2 / 2}} {
		root := t.TempDir()
		put(t, filepath.Join(root, "c.csv"), "#name,x,y,alt,heading,pitch,roll,f\na.jpg,0,0,0,"+angles+",20\n")
		pictureAt(t, filepath.Join(root, "a.jpg"))
		v := open(t, root, Options{}).Views[0]
		if q := v.Pose.R.MulVec(want); q.Sub(geom.Vec3{0, 0, 1}).Norm() > 1e-9 {
			t.Errorf("%s: looks along another direction than %v: that is %v in the camera", angles, want, q)
		}
		if math.Abs(v.Camera.Fx-20*80/36.) > 1e-9 {
			t.Errorf("focal length %g pixels", v.Camera.Fx)
		}
	}
}

// Frames that cannot be used are left out and named; a file without any is refused.
func TestExportDamage(t *testing.T) {
	root := filepath.Join(t.TempDir(), "scan")
	exporters["record3d"](t, root)
	put(t, filepath.Join(root, "metadata.json"), `{"w": 80, "h": 60, "K": [90, 0, 0, 0, 90, 0, 40, 30, 1], "poses": [[0, 0, 0, 1, 0, 2, 5], [0, 0, 0, 0, 1, 2, 5], [0, 0, 0, 1, NaN, 2, 5], [1]]}`)
	says(t, open(t, root, Options{}).Warnings, "3 of 4 frames left out", "frame 1 (rgb/1): its quaternion is zero", "frame 2 (rgb/2): transform_matrix holds a number that is not finite", "frame 3 (rgb/3): its pose has 1 numbers")
	for name, c := range map[string]struct {
		file, content string
		words         []string
	}{
		"no K":        {"metadata.json", `{"poses": [[0,0,0,1,0,0,0]]}`, []string{"K has 0 numbers"}},
		"no JSON":     {"metadata.json", `{"poses": [`, []string{"metadata.json", "not metadata of Record3D"}},
		"no columns":  {"a.csv", "#name,x,y,alt\na.jpg,1,2,3\n", []string{"a.csv", "no column heading, pitch, roll, f", "internal and external"}},
		"bad number":  {"a.csv", "#name,x,y,alt,heading,pitch,roll,f\na.jpg,1,2,3,x,0,0,20\n", []string{"line 2: heading: found \"x\""}},
		"short line":  {"a.csv", "#name,x,y,alt,heading,pitch,roll,f\n\na.jpg,1,2,3\n", []string{"line 3: 4 fields, expected 8"}},
		"no chunk":    {"a.xml", "<document><chunk></chunk></document>", []string{"no cameras"}},
		"no XML":      {"a.xml", "<document><chunk>", []string{"not valid XML"}},
		"not aligned": {"a.xml", `<document><chunk><cameras><camera label="a"/></cameras></chunk></document>`, []string{"it was not aligned"}},
		"no t":        {"keyframes/cameras/1.json", `{"fx":1,"fy":1,"cx":1,"cy":1,"width":2,"height":2}`, []string{"1.json", "no t_00"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			put(t, filepath.Join(root, filepath.FromSlash(c.file)), c.content)
			pictureAt(t, filepath.Join(root, "a.jpg"))
			refuses(t, root, Options{}, c.words...)
		})
	}
}

// Of several components of a Metashape chunk the largest counts; distortion is told.
func TestMetashapeDetails(t *testing.T) {
	root := t.TempDir()
	camera := func(label, component string) string {
		pictureAt(t, filepath.Join(root, label+".png"))
		return `<camera sensor_id="0" component_id="` + component + `" label="` + label + `"><transform>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</transform></camera>`
	}
	xml := `<document><chunk><sensors><sensor id="0" type="frame"><resolution width="80" height="60"/><calibration class="initial"><f>1</f></calibration><calibration class="adjusted"><f>90</f><b1>2</b1><cx>3</cx><cy>-4</cy></calibration></sensor></sensors><cameras>` +
		camera("a", "7") + camera("b", "8") + camera("c", "8") + `</cameras></chunk></document>`
	put(t, filepath.Join(root, "m.xml"), xml)
	c := open(t, root, Options{})
	says(t, c.Warnings, "1 of 3 frames left out: frame 0 (a): it is in component 7")
	if got, want := c.Views[0].Camera, (geom.Camera{Model: geom.Pinhole, Width: 80, Height: 60, Fx: 92, Fy: 90, Cx: 43, Cy: 26}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	put(t, filepath.Join(root, "m.xml"), strings.ReplaceAll(xml, "<b1>2</b1>", "<b2>2</b2>"))
	refuses(t, root, Options{}, "skew (b2 is 2)")
}
