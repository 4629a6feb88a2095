package cli

import (
	"context"

	"github.com/spf13/cobra"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/lab"
	"splat/internal/train"
)

// score is the JSON document of eval.
type score struct {
	Views   int         `json:"views"`
	PSNR    *float64    `json:"psnr"`
	SSIM    *float64    `json:"ssim"`
	Split   string      `json:"split"`
	PerView []viewScore `json:"per_view"`
}

type viewScore struct {
	Name string   `json:"name"`
	PSNR *float64 `json:"psnr"`
	SSIM *float64 `json:"ssim"`
}

// pictureFlags are the fields that say how a capture's pictures are read and what
// is behind them: the same words as for training.
var pictureFlags = []string{"data", "train.background", "model.antialiased"}

func (a *app) evalCommand() *cobra.Command {
	var modelPath, split string
	cmd := a.command(&cobra.Command{
		Use:   "eval DATA --model FILE|RUN [flags]",
		Short: "measure splats on a capture's views",
		Long: "Measures the quality of splats on a capture's views, without training: PSNR of each view\n" +
			"on 8-bit renders and SSIM over the valid region, then averaged.\n\n" +
			"--model names a splat file or a run folder; for a run, and for the splats.ply inside one,\n" +
			"background and antialiasing are those of the run.",
		Example: "  splat eval lego --model runs/lego --json\n" +
			"  splat eval garden --model garden.ply --split all --downscale 4",
		Args: arguments(1, 1, "one capture"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, cfg, err := a.modelAndConfig(modelPath, args[0])
			if err != nil {
				return err
			}
			return a.eval(cmd.Context(), m, cfg, split)
		},
	})
	fs := cmd.Flags()
	fs.SortFlags = false
	stringFlag(fs, &modelPath, "model", "FILE|RUN", groupCommand, "splat file or run folder to measure")
	stringFlag(fs, &split, "split", "all|train|test", groupCommand, "views to measure; default test where there are test views, else all")
	a.fieldFlags(fs, append(pictureFlags, "eval.limit_test", "backend")...)
	return cmd
}

// modelAndConfig opens the splats and resolves the configuration to look at them
// with: that of their run for what belongs to the splats, flags over it.
func (a *app) modelAndConfig(modelPath, data string) (*model, config.Run, error) {
	if modelPath == "" {
		return nil, config.Run{}, fault.Usagef("no splats: name them, --model FILE or --model RUN")
	}
	if data == "" {
		return nil, config.Run{}, fault.Usagef("no capture: name one")
	}
	flags, err := a.resolve(config.Source{})
	if err == nil {
		err = checkDevice(flags)
	}
	if err != nil {
		return nil, config.Run{}, err
	}
	m, err := openModel(modelPath)
	if err != nil {
		return nil, config.Run{}, err
	}
	cfg, err := a.resolve(config.Source{Set: m.settings(), Flags: []config.Setting{{Key: "data.path", Value: data, Origin: "DATA"}}})
	m.cloud.Antialiased = cfg.Model.Antialiased
	return m, cfg, err
}

func (a *app) eval(ctx context.Context, m *model, cfg config.Run, split string) error {
	device, err := chooseDevice(cfg)
	if err != nil {
		return err
	}
	capture, err := openCapture(cfg)
	if err != nil {
		return err
	}
	if split, err = chooseSplit(split, capture); err != nil {
		return err
	}
	a.announce(device, capture, m, cfg)
	watch := &watcher{console: a.log, progress: a.log.newProgress()}
	e, err := train.Evaluate(ctx, train.EvalOptions{
		Config: cfg, Capture: capture, Cloud: m.cloud, Split: split, LimitTest: cfg.Eval.LimitTest, Observer: watch,
	})
	watch.progress.stop()
	if err != nil {
		return err
	}
	a.printScores(e, split)
	return a.document(scoreDocument(e, split))
}

func (a *app) announce(device string, capture *dataset.Capture, m *model, cfg config.Run) {
	a.log.note(device)
	for _, line := range append(captureLines(capture), m.lines(cfg)...) {
		a.log.note(line)
	}
}

// chooseSplit returns the split to work on, by default the test views where there
// are some.
func chooseSplit(split string, capture *dataset.Capture) (string, error) {
	switch split {
	case "", "all", "train", "test":
	default:
		return "", fault.Usagef("--split: found %q, expected all, train or test", split)
	}
	if split == "" {
		if split = "test"; len(capture.TestViews()) == 0 {
			split = "all"
		}
	}
	if len(viewsOf(capture, split)) == 0 {
		return "", fault.Dataf("%s: found no %s views among %d; --test-every makes a split", capture.Path, split, len(capture.Views))
	}
	return split, nil
}

func viewsOf(capture *dataset.Capture, split string) []dataset.View {
	switch split {
	case "train":
		return capture.Train()
	case "test":
		return capture.TestViews()
	}
	return capture.Views
}

func (a *app) printScores(e *train.Evaluation, split string) {
	for _, v := range e.PerView {
		a.print("%-32s PSNR %6.2f  SSIM %.4f", v.Name, v.PSNR, v.SSIM)
	}
	noun := "view"
	if split != "all" {
		noun = split + " view"
	}
	a.print("PSNR %.2f dB, SSIM %.4f on %s", e.PSNR, e.SSIM, plural(e.Views, noun))
}

func scoreDocument(e *train.Evaluation, split string) score {
	doc := score{Views: e.Views, PSNR: lab.Score(e.PSNR), SSIM: lab.Score(e.SSIM), Split: split, PerView: []viewScore{}}
	for _, v := range e.PerView {
		doc.PerView = append(doc.PerView, viewScore{v.Name, lab.Score(v.PSNR), lab.Score(v.SSIM)})
	}
	return doc
}

// watcher shows the progress of work that keeps no record.
type watcher struct {
	console  *console
	progress progress
}

// Note prints a line.
func (w *watcher) Note(line string) { w.console.note(line) }

// Loading shows how many pictures are decoded.
func (w *watcher) Loading(done, total int) { w.progress.loading(done, total) }

// Progress shows how far the work is.
func (w *watcher) Progress(p train.Progress) { w.progress.step(p) }

// Metrics ignores training statistics.
func (w *watcher) Metrics(train.Metrics) {}

// Evaluated ignores intermediate scores; the caller prints the final ones.
func (w *watcher) Evaluated(train.Evaluation) {}
