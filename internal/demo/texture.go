package demo

import (
	"math"

	"splat/internal/geom"
)

// texture gives the albedo, linear RGB, at a point of an object's own frame.
type texture func(p geom.Vec3) geom.Vec3

// hex returns the linear colour of an sRGB colour 0xRRGGBB.
func hex(rgb uint32) geom.Vec3 {
	var c geom.Vec3
	for i := range 3 {
		c[i] = linear(float64(rgb>>(16-8*i)&0xff) / 255)
	}
	return c
}

func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func clamp01(v float64) float64 { return min(max(v, 0), 1) }

// lerp blends from a to b.
func lerp(a, b geom.Vec3, t float64) geom.Vec3 { return a.Add(b.Sub(a).Scale(t)) }

// edge rises smoothly from 0 to 1 as v crosses 0, over the given width.
func edge(v, width float64) float64 {
	t := clamp01(v/width + 0.5)
	return t * t * (3 - 2*t)
}

// wave is a square wave of period 2 pi with softened edges, 0 to 1.
func wave(phase, softness float64) float64 { return edge(math.Sin(phase), softness) }

func plain(c geom.Vec3) texture { return func(geom.Vec3) geom.Vec3 { return c } }

// checker alternates a and b over squares of the given side in x and y.
func checker(a, b geom.Vec3, side float64) texture {
	k := math.Pi / side
	return func(p geom.Vec3) geom.Vec3 {
		return lerp(a, b, edge(math.Sin(k*p[0])*math.Sin(k*p[1]), 0.15))
	}
}

// bands alternates a and b along z, each band of the given height.
func bands(a, b geom.Vec3, height float64) texture {
	return func(p geom.Vec3) geom.Vec3 {
		return lerp(a, b, wave(math.Pi*(p[2]/height+0.5), 0.3))
	}
}

// sectors alternates a and b n times around the z axis, turning by twist
// revolutions per unit of z.
func sectors(a, b geom.Vec3, n int, twist float64) texture {
	return func(p geom.Vec3) geom.Vec3 {
		turn := math.Atan2(p[1], p[0]) + 2*math.Pi*twist*p[2]
		return lerp(a, b, wave(float64(n)*turn, 0.3))
	}
}

// dots puts n x rows round dots of the given radius on the wall of an upright
// cylinder of radius r and half height h; its ends are plain.
func dots(ground, dot geom.Vec3, r, h float64, n, rows int, radius float64) texture {
	return func(p geom.Vec3) geom.Vec3 {
		row := math.Floor((p[2] + h) / (2 * h) * float64(rows))
		z := (row+0.5)/float64(rows)*2*h - h
		turn := math.Atan2(p[1], p[0])/(2*math.Pi)*float64(n) + 0.5*row
		along := (turn - math.Round(turn)) / float64(n) * 2 * math.Pi * r
		return lerp(ground, dot, edge(radius-math.Hypot(along, p[2]-z), 0.015))
	}
}

// marble blends three colours by layered noise of the given feature size.
func marble(a, b, c geom.Vec3, size float64, seed uint64) texture {
	return func(p geom.Vec3) geom.Vec3 {
		q := p.Scale(1 / size)
		v := noise(q, seed) + 0.5*noise(q.Scale(2), seed+1)
		t := clamp01(v / 1.5)
		if t < 0.5 {
			return lerp(a, b, edge(t-0.35, 0.3))
		}
		return lerp(b, c, edge(t-0.65, 0.3))
	}
}

// noise is smooth value noise in 0..1 with a lattice of side 1.
func noise(p geom.Vec3, seed uint64) float64 {
	var cell [3]int64
	var w geom.Vec3
	for i, v := range p {
		f := math.Floor(v)
		cell[i] = int64(f)
		w[i] = edge(v-f-0.5, 1)
	}
	var sum float64
	for corner := range 8 {
		weight, key := 1.0, seed
		for i := range 3 {
			bit := int64(corner >> i & 1)
			weight *= 1 - w[i] + float64(bit)*(2*w[i]-1)
			key = mix(key ^ uint64(cell[i]+bit))
		}
		sum += weight * unitFloat(key)
	}
	return sum
}

// mix scrambles 64 bits (the finaliser of SplitMix64 after one increment).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unitFloat maps 64 random bits to [0, 1).
func unitFloat(x uint64) float64 { return float64(x>>11) / (1 << 53) }
