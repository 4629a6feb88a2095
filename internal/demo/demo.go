// Package demo makes a small capture that needs no download - a still life,
// ray-traced from exactly known cameras - and the report page of a run on it.
//
// The capture has the layout of the NeRF-synthetic scenes: transforms_train.json
// and transforms_test.json beside the folders of RGBA pictures. The scene lies in
// a ball of radius 1.2 around the origin, z up; the cameras look at the origin
// from the upper hemisphere of radius 4.
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"splat/internal/atomicfile"
	"splat/internal/fault"
)

// The values that stand in for zero fields of Options.
const (
	DefaultSize  = 160
	DefaultTrain = 24
	DefaultTest  = 6
)

// Limits of Options, far beyond what a demo needs.
const (
	MinSize, MaxSize = 8, 4096
	MaxViews         = 10000 // of each of the two sets
)

// Options shapes a capture. A zero field takes its default; the same Options
// give the same bytes for every Threads.
type Options struct {
	Size    int    // width and height of a picture in pixels, 8..4096; default 160
	Train   int    // number of training views; default 24
	Test    int    // number of test views, placed between the training views; default 6
	Seed    uint64 // turns the ring of cameras and varies the noise textures
	Threads int    // goroutines that trace; default one a processor
}

// withDefaults returns o with its zero fields filled in, or says which field is
// out of range.
func (o Options) withDefaults() (Options, error) {
	for _, f := range []struct {
		name        string
		value       *int
		def, lo, hi int
	}{
		{"size", &o.Size, DefaultSize, MinSize, MaxSize},
		{"train views", &o.Train, DefaultTrain, 1, MaxViews},
		{"test views", &o.Test, DefaultTest, 1, MaxViews},
		{"threads", &o.Threads, runtime.GOMAXPROCS(0), 1, math.MaxInt32},
	} {
		if *f.value == 0 {
			*f.value = f.def
		}
		if *f.value < f.lo || *f.value > f.hi {
			return o, fault.Usagef("demo: %s is %d, expected %d to %d", f.name, *f.value, f.lo, f.hi)
		}
	}
	return o, nil
}

// WriteCapture traces the scene and writes the capture into dir, which is
// created where it is missing; pictures and transforms that are there already
// are replaced. The transforms are written last, so a folder that was left half
// done is not taken for a capture. Once ctx is done it ends within a few rows of
// pixels, with ctx's error.
func WriteCapture(ctx context.Context, dir string, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	return writeCapture(ctx, dir, o, stillLife(o.Seed))
}

// split is one of the two sets of views of a capture.
type split struct {
	name    string
	cameras []camera
}

func writeCapture(ctx context.Context, dir string, o Options, s *scene) error {
	splits := []split{
		{"train", trainCameras(o)},
		{"test", testCameras(o)},
	}
	if err := writePictures(ctx, dir, o, s, splits); err != nil {
		return err
	}
	for _, sp := range splits {
		if err := writeTransforms(dir, sp); err != nil {
			return err
		}
	}
	return nil
}

// writePictures traces one view after the other, rows in parallel, and encodes
// and writes behind.
func writePictures(ctx context.Context, dir string, o Options, s *scene, splits []split) error {
	var writers errgroup.Group
	writers.SetLimit(2)
	for _, sp := range splits {
		for i, cam := range sp.cameras {
			img := s.render(ctx, cam, o.Threads)
			if ctx.Err() != nil {
				return errors.Join(ctx.Err(), writers.Wait())
			}
			path := filepath.Join(dir, sp.name, viewName(i)+".png")
			writers.Go(func() error {
				return atomicfile.Write(path, func(w io.Writer) error { return png.Encode(w, img) })
			})
		}
	}
	return writers.Wait()
}

func viewName(i int) string { return fmt.Sprintf("r_%d", i) }

// transforms is the document of a transforms_*.json file.
type transforms struct {
	CameraAngleX float64     `json:"camera_angle_x"` // horizontal field of view in radians
	Frames       []viewEntry `json:"frames"`
}

// viewEntry is one view: its picture without the ending and its camera-to-world
// matrix, camera axes x right, y up, z towards the viewer.
type viewEntry struct {
	FilePath        string        `json:"file_path"`
	TransformMatrix [4][4]float64 `json:"transform_matrix"`
}

func writeTransforms(dir string, sp split) error {
	doc := transforms{CameraAngleX: fieldOfView}
	for i, cam := range sp.cameras {
		doc.Frames = append(doc.Frames, viewEntry{"./" + sp.name + "/" + viewName(i), cam.toWorld})
	}
	data, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(dir, "transforms_"+sp.name+".json"), append(data, '\n'))
}
