package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/fetch"
	"splat/internal/imageio"
	"splat/internal/train"
)

// renderFlags are the flags of render that no configuration key stands behind.
type renderFlags struct {
	model, data, split, out string
	views                   []string
}

// pictures is the JSON document of render.
type pictures struct {
	Views    int       `json:"views"`
	Out      string    `json:"out"`
	Pictures []picture `json:"pictures"`
}

type picture struct {
	Name   string `json:"name"`
	File   string `json:"file"` // inside out
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

func (a *app) renderCommand() *cobra.Command {
	var o renderFlags
	cmd := a.command(&cobra.Command{
		Use:   "render --model FILE|RUN --data DATA --out DIR [flags]",
		Short: "draw splats from a capture's views",
		Long: "Draws splats from the views of a capture, one PNG a view, named like the view. Files of\n" +
			"the same name are replaced.\n\n" +
			"--model names a splat file or a run folder; for a run, and for the splats.ply inside one,\n" +
			"background and antialiasing are those of the run.",
		Example: "  splat render --model runs/lego --data lego --split test --out renders\n" +
			"  splat render --model garden.ply --data garden --view DSC08001.JPG --out renders",
		Args: arguments(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.render(cmd.Context(), o) },
	})
	fs := cmd.Flags()
	fs.SortFlags = false
	stringFlag(fs, &o.model, "model", "FILE|RUN", groupCommand, "splat file or run folder to draw")
	stringFlag(fs, &o.data, "data", "DATA", groupCommand, "capture whose views are drawn")
	stringFlag(fs, &o.out, "out", "DIR", groupCommand, "folder for the pictures; made where it is missing")
	listFlag(fs, &o.views, "view", "NAME", groupCommand, "draw this view; may be repeated")
	stringFlag(fs, &o.split, "split", "all|train|test", groupCommand, "views to draw where no --view is named; default test where there are test views, else all")
	a.fieldFlags(fs, append(pictureFlags, "backend")...)
	return cmd
}

func (a *app) render(ctx context.Context, o renderFlags) error {
	if o.out == "" {
		return fault.Usagef("no folder for the pictures: name one, --out DIR")
	}
	if err := checkFolder("--out "+o.out, o.out); err != nil {
		return err
	}
	m, cfg, err := a.modelAndConfig(o.model, o.data)
	if err != nil {
		return err
	}
	device, err := chooseDevice(cfg)
	if err != nil {
		return err
	}
	capture, err := openCapture(cfg)
	if err != nil {
		return err
	}
	views, err := chooseViews(capture, o)
	if err != nil {
		return err
	}
	files := pictureNames(views)
	for _, f := range files {
		if err := checkFile(filepath.Join(o.out, f)); err != nil {
			return err
		}
	}
	a.announce(device, capture, m, cfg)
	doc, err := a.draw(ctx, m, cfg, capture, views, files, o.out)
	if err != nil {
		return err
	}
	a.print("%s in %s", plural(doc.Views, "picture"), doc.Out)
	return a.document(doc)
}

// draw renders the views and writes a picture for each as soon as it is there.
func (a *app) draw(ctx context.Context, m *model, cfg config.Run, capture *dataset.Capture, views []dataset.View, files []string, out string) (pictures, error) {
	doc := pictures{Out: absolute(out), Pictures: []picture{}}
	watch := &watcher{console: a.log, progress: a.log.newProgress()}
	defer watch.progress.stop()
	err := train.RenderViews(ctx, train.RenderOptions{Config: cfg, Cloud: m.cloud, Capture: capture, Views: views, Observer: watch},
		func(i int, v dataset.View, rgb, _ []float32) error {
			w, h := v.Camera.Width, v.Camera.Height
			if err := imageio.WritePNG(filepath.Join(out, files[i]), toImage(rgb, w, h)); err != nil {
				return err
			}
			a.log.detail("%s -> %s", v.Label, files[i])
			doc.Pictures = append(doc.Pictures, picture{v.Label, filepath.ToSlash(files[i]), w, h})
			doc.Views++
			return nil
		})
	return doc, err
}

// toImage rounds a render, 3 floats a pixel, to 8 bits.
func toImage(rgb []float32, width, height int) *imageio.Image {
	img := imageio.New(width, height)
	for i := range width * height {
		for c := range 3 {
			img.Pix[4*i+c] = uint8(min(max(rgb[3*i+c], 0), 1)*255 + 0.5)
		}
		img.Pix[4*i+3] = 255
	}
	return img
}

// chooseViews returns the views that were named, or those of the split.
func chooseViews(capture *dataset.Capture, o renderFlags) ([]dataset.View, error) {
	split, err := chooseSplit(o.split, capture)
	if err != nil {
		return nil, err
	}
	if len(o.views) == 0 {
		return viewsOf(capture, split), nil
	}
	wanted := map[string]bool{}
	for _, name := range o.views {
		found := capture.Match(name)
		if len(found) == 0 {
			return nil, unknownView(name, capture)
		}
		for _, v := range ofSplit(found, split) {
			wanted[v.Name] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(capture.Views), func(v dataset.View) bool { return !wanted[v.Name] }), nil
}

// ofSplit narrows views of one label down to the split, where it has any.
func ofSplit(found []dataset.View, split string) []dataset.View {
	var views []dataset.View
	for _, v := range found {
		if split == "all" || v.Test == (split == "test") {
			views = append(views, v)
		}
	}
	if len(views) == 0 {
		return found
	}
	return views
}

func unknownView(name string, capture *dataset.Capture) error {
	var known []string
	for _, v := range capture.Views {
		known = append(known, v.Name, v.Label)
	}
	if near := config.Nearest(name, known); near != "" {
		return fault.Usagef("--view: the capture has no view %q; did you mean %s?", name, near)
	}
	return fault.Usagef("--view: the capture has no view %q; its %s run from %s to %s", name, plural(len(capture.Views), "view"), known[0], known[len(known)-2])
}

// pictureNames gives each view a file name below the output folder: its label, or
// its name where labels collide, with the ending .png instead of its own, or after
// it where that would collide.
func pictureNames(views []dataset.View) []string {
	label := func(v dataset.View) string { return v.Label }
	name := func(v dataset.View) string { return v.Name }
	for _, choice := range []func(v dataset.View) string{
		func(v dataset.View) string { return stem(v.Label) }, label, func(v dataset.View) string { return stem(v.Name) }, name,
	} {
		if names := fileNames(views, choice); distinct(names) {
			return names
		}
	}
	return fileNames(views, name)
}

func fileNames(views []dataset.View, of func(dataset.View) string) []string {
	var names []string
	for _, v := range views {
		names = append(names, inside(of(v))+".png")
	}
	return names
}

// distinct reports whether names differ, also where the system ignores case.
func distinct(names []string) bool {
	seen := map[string]bool{}
	for _, n := range names {
		n = strings.ToLower(n)
		if seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

func stem(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// inside makes a view's name a path that cannot leave the output folder.
func inside(name string) string {
	path := filepath.FromSlash(strings.ReplaceAll(name, `\`, "/"))
	return strings.TrimPrefix(filepath.Join(string(filepath.Separator), path), string(filepath.Separator))
}

func absolute(path string) string {
	if fetch.IsURL(path) {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
