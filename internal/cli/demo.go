package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/demo"
	"splat/internal/fault"
	"splat/internal/geom"
	"splat/internal/imageio"
	"splat/internal/lab"
	"splat/internal/train"
)

// What the demo makes in its folder beside the run: the capture and the report.
const (
	demoCapture = "capture"
	demoReport  = "index.html"
)

// demoSettings make the demo a matter of half a minute on two cores: with so few splats and
// steps, adc comes farther than mcmc.
var demoSettings = []string{
	"strategy.name=adc", "strategy.refine_every=50", "train.steps=1200", "train.log_every=25",
	"model.max_splats=4000", "model.init_splats=3000", "model.init_scale=0.5",
}

// demoResult is the JSON document of demo: that of the run, and what is beside
// it. Without training there is only the capture.
type demoResult struct {
	*lab.Result
	ForegroundPSNR *float64 `json:"foreground_psnr,omitempty"` // over the pixels that show the object
	Out            string   `json:"out"`
	Capture        string   `json:"capture"`
	Report         string   `json:"report,omitempty"`
}

func (a *app) demoCommand() *cobra.Command {
	var o demo.Options
	var noTrain bool
	var camera string
	cmd := a.command(&cobra.Command{
		Use:   "demo [flags]",
		Short: "make a small capture, train on it and write a report",
		Long: "Makes a small capture without any download - a still life, ray-traced from exactly known\n" +
			"cameras -, trains on it, evaluates, and writes the run with a report page that any browser\n" +
			"shows. The same seed gives the same capture.",
		Example: "  splat demo\n  splat demo --out demo --steps 3000\n  splat demo --no-train --out demo",
		Args:    arguments(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkDemoCamera(camera); err != nil {
				return err
			}
			cfg, err := a.resolve(config.Source{Set: demoSettings})
			if err != nil {
				return err
			}
			o.Seed, o.Threads = uint64(cfg.Train.Seed), cfg.Backend.Threads
			return a.demo(cmd.Context(), cfg, o, !noTrain)
		},
	})
	fs := cmd.Flags()
	fs.SortFlags = false
	o.Size, o.Train, o.Test = demo.DefaultSize, demo.DefaultTrain, demo.DefaultTest
	intFlag(fs, &o.Size, "size", demo.MinSize, demo.MaxSize, groupCommand, "width and height of the pictures in pixels")
	intFlag(fs, &o.Train, "train-views", 1, demo.MaxViews, groupCommand, "number of pictures to train on")
	intFlag(fs, &o.Test, "test-views", 1, demo.MaxViews, groupCommand, "number of pictures to measure on")
	stringFlag(fs, &camera, "camera", "MODEL", groupCommand, "camera model of the pictures: "+strings.Join(demoCameras, " or ")+" (default PINHOLE)")
	boolFlag(fs, &noTrain, "no-train", "", groupCommand, "make the capture only")
	a.fieldFlags(fs, "output", "train.steps", "train.background", "train.time_limit", "model.max_splats", "strategy")
	ownDefaults(fs, demoSettings)
	return cmd
}

// demoCameras are the camera models that training supports; with square pixels
// and the principal point in the middle they are the same camera.
var demoCameras = []string{string(geom.Pinhole), string(geom.SimplePinhole)}

func checkDemoCamera(name string) error {
	if name == "" || slices.Contains(demoCameras, strings.ToUpper(name)) {
		return nil
	}
	return fault.Usagef("--camera %s: expected %s", name, strings.Join(demoCameras, " or "))
}

func (a *app) demo(ctx context.Context, cfg config.Run, o demo.Options, trains bool) error {
	device, err := chooseDevice(cfg)
	if err != nil {
		return err
	}
	if err := checkDemoFolder(cfg.Output); err != nil {
		return err
	}
	run, err := demoRun(cfg)
	if err != nil {
		return err
	}
	defer run.Close()
	path := run.Path(demoCapture)
	a.log.notef("making a capture of %d pictures of %d x %d pixels in %s", o.Train+o.Test, o.Size, o.Size, path)
	if err := demo.WriteCapture(ctx, path, o); err != nil {
		if ctx.Err() != nil {
			return &fault.Error{Kind: fault.Interrupted, Err: errors.New("interrupted while the capture was made; nothing was trained")}
		}
		return err
	}
	doc := demoResult{Out: run.Path(""), Capture: path}
	if !trains {
		a.print("capture in %s\n\n  splat train %s", path, path)
		return a.document(doc)
	}
	cfg.Data.Path = path
	return a.demoTrain(ctx, run, cfg, device, doc)
}

// checkDemoFolder looks for what is in the way of the demo's own files in a folder
// that the user named, after lab has looked for what is in the way of the run's.
func checkDemoFolder(out config.Output) error {
	dir := out.Dir
	if dir == "" {
		return nil
	}
	if err := lab.Check(dir, out.Overwrite); err != nil {
		return err
	}
	for _, split := range []string{"train", "test"} {
		folder := filepath.Join(dir, demoCapture, split)
		if err := checkFolder(folder, folder); err != nil {
			return err
		}
	}
	return checkFile(filepath.Join(dir, demoReport))
}

func demoRun(cfg config.Run) (*lab.Run, error) {
	if cfg.Output.Dir == "" {
		return lab.CreateNew("demo", cfg)
	}
	return lab.Create(cfg.Output.Dir, cfg.Output.Overwrite, cfg)
}

func (a *app) demoTrain(ctx context.Context, run *lab.Run, cfg config.Run, device string, doc demoResult) error {
	capture, err := openCapture(cfg)
	if err != nil {
		return err
	}
	out, err := a.trainInto(ctx, run, cfg, capture, device)
	if out == nil {
		return err
	}
	doc.Result = &out.doc
	if err == nil {
		page := demoPage(doc, out)
		if page.Views, err = a.demoViews(ctx, cfg, capture, out, &page.ForegroundPSNR); err != nil {
			return err
		}
		doc.ForegroundPSNR = lab.Score(page.ForegroundPSNR)
		if err := demo.WriteReport(doc.Out, page); err != nil {
			return err
		}
		doc.Report = filepath.Join(doc.Out, demoReport)
	}
	a.summarise(run, out)
	if doc.Report != "" {
		a.print("report: open %s in a browser", doc.Report)
	}
	return errors.Join(a.document(doc), err)
}

func demoPage(doc demoResult, out *outcome) demo.Report {
	r := demo.Report{
		Capture: doc.Capture, Model: filepath.Join(doc.Out, lab.ModelFile),
		Device: doc.Device, Backend: doc.Backend, Steps: doc.Steps, Splats: doc.Splats,
		TrainSeconds: doc.TrainSeconds, WallSeconds: doc.WallSeconds,
		Commands: []demo.Command{
			{Does: "measure the splats again", Line: "splat eval " + doc.Capture + " --model " + doc.Out},
			{Does: "draw the test views", Line: "splat render --data " + doc.Capture + " --model " + doc.Out + " --out renders"},
			{Does: "train for longer", Line: "splat train " + doc.Capture + " --steps 7000"},
		},
	}
	if e := out.result.Final; e != nil {
		r.PSNR, r.SSIM = e.PSNR, e.SSIM
	}
	for _, m := range out.curve {
		r.LossCurve = append(r.LossCurve, demo.LossPoint{Step: m.Step, Loss: m.Loss})
	}
	return r
}

// demoViews draws the test views beside their pictures, and sets the mean PSNR
// over the pixels that show the object.
func (a *app) demoViews(ctx context.Context, cfg config.Run, capture *dataset.Capture, out *outcome, foreground *float64) ([]demo.ViewReport, error) {
	_, background, err := config.ParseBackground(cfg.Train.Background)
	if err != nil {
		return nil, err
	}
	views, err := chooseViews(capture, renderFlags{split: "test"})
	if err != nil {
		return nil, err
	}
	scores := scoresByName(out.result.Final)
	var pages []demo.ViewReport
	sum := 0.0
	err = train.RenderViews(ctx, train.RenderOptions{Config: cfg, Cloud: out.result.Cloud, Capture: capture, Views: views, Observer: &watcher{console: a.log, progress: silent{}}},
		func(_ int, v dataset.View, rgb, _ []float32) error {
			truth, err := imageio.Decode(v.Image)
			if err != nil {
				return err
			}
			psnr, err := demo.ForegroundPSNR(truth, rgb, background)
			if err != nil {
				return err
			}
			sum += psnr
			page := demo.ViewReport{Name: v.Label, Width: truth.Width, Height: truth.Height, Truth: onBackground(truth, background), Render: append([]float32(nil), rgb...)}
			page.PSNR, page.SSIM = scores[v.Label].PSNR, scores[v.Label].SSIM
			pages = append(pages, page)
			return nil
		})
	*foreground = sum / float64(max(len(pages), 1))
	return pages, err
}

func scoresByName(e *train.Evaluation) map[string]train.ViewScore {
	byName := map[string]train.ViewScore{}
	if e != nil {
		for _, v := range e.PerView {
			byName[v.Name] = v
		}
	}
	return byName
}

// onBackground composites a picture on a colour: 3 values a pixel, 0..1.
func onBackground(m *imageio.Image, background [3]float64) []float32 {
	m.Premultiply()
	out := make([]float32, 0, 3*m.Width*m.Height)
	for p := m.Pix; len(p) >= 4; p = p[4:] {
		clear := 1 - float64(p[3])/255
		for c := range 3 {
			out = append(out, float32(float64(p[c])/255+clear*background[c]))
		}
	}
	return out
}
