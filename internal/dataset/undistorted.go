package dataset

import (
	"splat/internal/dataset/undistort"
	"splat/internal/fault"
	"splat/internal/geom"
)

// plainCameras are the pinhole cameras that stand for cameras with distortion.
type plainCameras map[bentCamera]geom.Camera

type bentCamera struct {
	lens   undistort.Lens
	camera geom.Camera
}

// of returns the camera of a view after its distortion is undone.
func (p plainCameras) of(v *draftView, cam geom.Camera) (geom.Camera, error) {
	if v.bend.Model == "" {
		return cam, nil
	}
	k := bentCamera{v.bend, cam}
	if known, ok := p[k]; ok {
		return known, nil
	}
	plain, err := undistort.Plain(v.bend, cam)
	if err != nil {
		return cam, fault.Dataf("%s: %w", v.picture, err)
	}
	p[k] = plain
	return plain, nil
}

// note says what is undone and how much the views lose.
func (p plainCameras) note(d *draft) {
	if len(p) == 0 {
		return
	}
	least, most, model := 1e9, 0.0, ""
	for k, plain := range p {
		f := plain.Fx / k.camera.Fx
		least, most, model = min(least, f), max(most, f), max(model, k.lens.Model)
	}
	d.notef("lens distortion (%s) of %s is undone in the pictures (--undistort): focal lengths times %.3f to %.3f",
		model, plural(len(p), "camera"), least, most)
}

// bentLens is a lens of one declared camera, to be undone.
type bentLens struct {
	camera geom.Camera
	bend   undistort.Lens
}

func (b bentLens) At(int, int) geom.Camera { return b.camera }

func (b bentLens) Declared() geom.Model { return b.camera.Model }

func bendOf(l lens) undistort.Lens {
	if b, ok := l.(bentLens); ok {
		return b.bend
	}
	return undistort.Lens{}
}
