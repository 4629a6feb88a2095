package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"splat/internal/ab"
	"splat/internal/config"
	"splat/internal/fault"
)

// resumeAB goes on with an experiment, with the plan and the configurations in its folder.
func (a *app) resumeAB(ctx context.Context, o abFlags, args []string) (err error) {
	if len(args) > 0 || o.vary != "" || o.out != "" || o.from.file != "" || o.from.preset != "" || len(o.from.set) > 0 || len(a.flags) > 0 {
		return fault.Usagef("--resume takes everything from %s, where the plan is fixed; leave out all other settings", o.resume)
	}
	x := &experiment{app: a, dir: o.resume}
	if x.journal, x.plan, x.origin, x.run.Done, err = ab.Reopen(o.resume); err != nil {
		return err
	}
	x.run.Plan = x.plan
	if x.run.Whole() {
		if doc, err := ab.Read(x.dir); err == nil && doc.Complete {
			return x.abandon(a.alreadyDone(doc, x.dir))
		}
	}
	var configs [2]config.Run
	for i, name := range []string{ab.ConfigA, ab.ConfigB} {
		if configs[i], err = config.Resolve(config.Source{File: filepath.Join(o.resume, name)}); err != nil {
			return x.abandon(err)
		}
	}
	a.log.notef("gate: B must save %.2f %% of A; fixed before the first run", x.plan.Gate)
	if err := x.validate(configs); err != nil {
		return x.abandon(err)
	}
	if err := x.sameConditions(configs[0]); err != nil {
		return x.abandon(err)
	}
	x.note(fmt.Sprintf("goes on with %s of an earlier session", plural(len(x.run.Samples()), "run")))
	return x.execute(ctx)
}

// alreadyDone prints the record of an experiment of which nothing is left to do.
func (a *app) alreadyDone(doc *ab.Document, dir string) error {
	a.log.notef("nothing to do, the experiment in %s is complete", dir)
	a.printAB(doc, dir)
	return a.document(doc)
}

// abandon closes the journal.
func (x *experiment) abandon(err error) error {
	x.journal.Close()
	return err
}

// sameConditions refuses to go on with another program, device or data: the runs before
// and after would not be runs of one experiment.
func (x *experiment) sameConditions(cfg config.Run) error {
	now := originOf(cfg, x.arms[0].capture, 0, x.app.start)
	if len(x.origin.Sessions) == 0 {
		return nil
	}
	before, session := x.origin.Sessions[0], now.Sessions[0]
	differs := func(what string, was, is any) error {
		return fault.Usagef("%s: was begun with %s %v, found %v; begin a new experiment", x.dir, what, was, is)
	}
	switch {
	case fmt.Sprint(before.Build) != fmt.Sprint(session.Build):
		return differs("the program", before.Build, session.Build)
	case before.Device != session.Device:
		return differs("device", before.Device.Name, session.Device.Name)
	case x.origin.Capture.SHA256 != now.Capture.SHA256:
		return differs("a capture of fingerprint", x.origin.Capture.SHA256, now.Capture.SHA256)
	}
	x.origin.Sessions = append(x.origin.Sessions, session)
	return nil
}
