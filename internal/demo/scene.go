package demo

import "splat/internal/geom"

// material is how a surface answers light.
type material struct {
	albedo    texture
	specular  float64 // strength of the light's highlight
	doublings int     // the highlight's exponent is 2 to this power
	mirror    float64 // share of the surroundings reflected straight on, 0..1; up to threefold at grazing angles
}

// object is a shape with its material.
type object struct {
	shape
	material
	frame            // of the texture
	bound   sphere   // holds the object
	proxies []sphere // balls that stand in for the object where it darkens its neighbours
}

// scene is a number of objects, at most maxObjects, inside a ball of radius 1.2.
type scene struct{ objects []*object }

const maxObjects = 16

// The stage is the plate that everything stands on.
const (
	stageTop    = -0.40
	stageBottom = -0.50
	stageRadius = 1.05
)

var upright = geom.Identity3

// ball returns a sphere whose texture is turned by axes.
func ball(x, y, z, radius float64, axes geom.Mat3, m material) *object {
	s := sphere{geom.Vec3{x, y, z}, radius}
	return &object{&s, m, frame{s.centre, axes}, s, []sphere{s}}
}

// marbleBall is a small ball that lies on the stage.
func marbleBall(x, y float64, colour uint32) *object {
	const radius = 0.085
	return ball(x, y, stageTop+radius, radius, upright, material{plain(hex(colour)), 0.4, 6, 0.02})
}

// body returns a solid at the given place; proxies are in its own frame.
func body(x, y, z float64, axes geom.Mat3, bound float64, d distance, m material, proxies ...sphere) *object {
	f := frame{geom.Vec3{x, y, z}, axes}
	for i := range proxies {
		proxies[i].centre = f.origin.Add(axes.MulVec(proxies[i].centre))
	}
	b := sphere{f.origin, bound}
	return &object{&solid{f, b, d}, m, f, b, proxies}
}

// stillLife is the scene of the demo. The noise of its textures depends on seed.
func stillLife(seed uint64) *scene {
	s := &scene{}
	s.objects = append(s.objects, stage(seed), glossyBall())
	s.objects = append(s.objects, boxAndBall(seed)...)
	s.objects = append(s.objects, poleAndRing()...)
	s.objects = append(s.objects, drum(),
		marbleBall(0.82, -0.05, 0x2f9e62),
		marbleBall(-0.08, -0.20, 0xf08c2e),
		marbleBall(-0.12, 0.74, 0x3d6fd1),
		marbleBall(-0.86, -0.22, 0xd64580),
	)
	return s
}

func stage(seed uint64) *object {
	squares := checker(hex(0xf1e9da), hex(0x86a3a8), 0.21)
	wood := marble(hex(0x6d4630), hex(0x83573b), hex(0x96684a), 0.22, seed+40)
	line := hex(0xe9c46a)
	albedo := func(p geom.Vec3) geom.Vec3 {
		rho := geom.Vec3{p[0], p[1], 0}.Norm()
		switch { // three zones with narrow transitions
		case rho < 0.88:
			return squares(p)
		case rho < 0.92:
			return lerp(squares(p), line, edge(rho-0.885, 0.01))
		}
		return lerp(line, wood(p), edge(rho-0.925, 0.01))
	}
	return &object{
		shape:    puck{stageRadius, stageBottom, stageTop, 0.035},
		material: material{albedo, 0.06, 4, 0},
		frame:    frame{axes: upright},
		bound:    sphere{radius: 1.17},
	}
}

// glossyBall is the one object that shows its surroundings.
func glossyBall() *object {
	return ball(0.30, -0.42, stageTop+0.33, 0.33, upright, material{plain(hex(0xb82d37)), 0.5, 6, 0.04})
}

// boxAndBall is a box of marble with a striped ball on top.
func boxAndBall(seed uint64) []*object {
	const half, r = 0.26, 0.20
	stone := material{marble(hex(0x16425b), hex(0x3a86a8), hex(0xbfe0ea), 0.17, seed+7), 0.14, 5, 0}
	stripes := material{bands(hex(0xf7f3ea), hex(0xee7b30), 0.1), 0.22, 5, 0}
	tilt := geom.Quat{0.88, 0.38, -0.22, 0.15}.Matrix()
	return []*object{
		body(-0.43, 0.12, stageTop+half, yaw(28), 0.46, roundedBox(geom.Vec3{half, half, half}, 0.035), stone,
			sphere{geom.Vec3{}, 0.30}),
		ball(-0.43, 0.12, stageTop+2*half+r, r, tilt, stripes),
	}
}

// poleAndRing is a twisted pole with a gold knob in a ring.
func poleAndRing() []*object {
	const x, y = 0.40, 0.42
	const half, radius = 0.41, 0.095
	const ring, tube = 0.27, 0.10
	twist := material{sectors(hex(0xf6eee3), hex(0x7a4fb0), 2, 1.1), 0.14, 5, 0}
	candy := material{sectors(hex(0x2a9d8f), hex(0xf4f1de), 7, 0), 0.22, 5, 0}
	gold := material{plain(hex(0xdca32f)), 0.5, 6, 0.03}
	return []*object{
		body(x, y, stageTop+half, upright, 0.43, roundedCylinder(radius, half, 0.02), twist,
			sphere{geom.Vec3{0, 0, -0.31}, radius}, sphere{geom.Vec3{0, 0, -0.1}, radius},
			sphere{geom.Vec3{0, 0, 0.1}, radius}, sphere{geom.Vec3{0, 0, 0.31}, radius}),
		ball(x, y, stageTop+2*half+0.11, 0.125, upright, gold),
		body(x, y, stageTop+tube, upright, ring+tube+0.01, torus(ring, tube), candy, beads(ring, tube, 8)...),
	}
}

// beads are n balls of the given radius on a circle.
func beads(circle, radius float64, n int) []sphere {
	list := make([]sphere, n)
	for i := range list {
		at := yaw(360 * float64(i) / float64(n)).MulVec(geom.Vec3{circle, 0, 0})
		list[i] = sphere{at, radius}
	}
	return list
}

// drum is a low cylinder with dots.
func drum() *object {
	const r, half = 0.19, 0.15
	m := material{dots(hex(0xf2c230), hex(0x2b3a67), r, half, 8, 2, 0.05), 0.14, 5, 0}
	return body(-0.36, -0.56, stageTop+half, yaw(10), 0.26, roundedCylinder(r, half, 0.03), m,
		sphere{geom.Vec3{0, 0, -0.02}, 0.18})
}
