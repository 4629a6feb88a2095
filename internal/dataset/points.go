package dataset

import (
	"errors"

	"splat/internal/dataset/colmap"
	"splat/internal/geom"
)

// readModelPoints reads a model's points: points3D of its own kind, else a PLY,
// else the other kind.
func (d *draft) readModelPoints(loc colmap.Location) error {
	if loc.Points == "" && loc.PLY == "" {
		d.notef("%s holds no points3D", loc.Dir)
		return nil
	}
	if loc.Points == "" {
		return d.readPLY(loc.PLY)
	}
	if loc.PLY != "" {
		d.notef("points from %s, not from %s", loc.Points, loc.PLY)
	}
	pts, err := colmap.ReadPoints(loc.Points, loc.PointsBinary)
	if err != nil {
		return err
	}
	d.setPoints(loc.Points, pts.XYZ, pts.RGB, pts.Dropped)
	return nil
}

// readPLY reads points through the injected reader and says so.
func (d *draft) readPLY(path string) error {
	if ReadPLY == nil {
		return errors.New("dataset: ReadPLY is not set")
	}
	xyz, rgb, err := ReadPLY(path)
	if err != nil {
		return err
	}
	dropped := 0
	xyz, rgb, dropped = finitePoints(xyz, rgb)
	d.notef("points from %s", path)
	d.setPoints(path, xyz, rgb, dropped)
	return nil
}

func (d *draft) setPoints(path string, xyz []float32, rgb []uint8, dropped int) {
	if dropped > 0 {
		d.warnf("%s: %s left out: coordinates that are not finite or beyond %g", path, plural(dropped, "point"), geom.MaxCoordinate)
	}
	if len(xyz) == 0 {
		d.warnf("%s: holds no points", path)
		return
	}
	d.points = &Points{XYZ: xyz, RGB: rgb}
}

// finitePoints drops points with a coordinate that is not finite or out of reach,
// in place.
func finitePoints(xyz []float32, rgb []uint8) ([]float32, []uint8, int) {
	kept := 0
	n := len(xyz) / 3
	for i := range n {
		p := xyz[3*i : 3*i+3]
		if !(geom.Vec3{float64(p[0]), float64(p[1]), float64(p[2])}).InReach() {
			continue
		}
		copy(xyz[3*kept:], xyz[3*i:3*i+3])
		if rgb != nil {
			copy(rgb[3*kept:], rgb[3*i:3*i+3])
		}
		kept++
	}
	if rgb != nil {
		rgb = rgb[:3*kept]
	}
	return xyz[:3*kept], rgb, n - kept
}
