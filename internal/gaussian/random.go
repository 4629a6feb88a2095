package gaussian

import (
	"math"
	"math/rand/v2"

	"splat/internal/geom"
)

// ViewCone is what RandomInView needs to know of a view. Lens distortion is
// ignored.
type ViewCone struct {
	Pose   geom.Pose
	Camera geom.Camera
}

const (
	// nearly is the fraction of the best count of cameras that a random splat
	// must reach. 1 would let one odd camera empty the volume.
	nearly = 0.9
	// countCameras is the largest number of cameras that are asked whether they
	// see a candidate; of more, so many are taken at even distances.
	countCameras = 64
	// pilotTries is the number of candidates that find a camera's best count.
	pilotTries = 128
	// patience is the number of candidates after which the requirement is
	// relaxed if fewer than one in a hundred was kept.
	patience = 4096
)

// RandomInView makes n splats (at most o.Max) of random colour at random places
// in the cameras' common view volume:
//
//   - Each camera gets a guess of the distance of what it looks at, D: the depth
//     of the point closest to all optical axes where there is such a point in
//     front of the cameras, else a multiple of the cameras' spread, else 1.
//   - A candidate is uniform in the volume that a random camera sees between the
//     depths D/2 and 2D.
//   - It is kept if the number of cameras that have it in front and inside the
//     picture is at least 0.9 of the largest such number found for the camera it
//     was drawn from. That is nearly all cameras for an object seen from around
//     and for a forward-facing capture, where the splats fill the volume common
//     to all; where cameras look outwards and no point is seen by many, each
//     camera still gets its share, where its neighbours overlap most.
//   - Where that volume is too thin to be hit, the requirement is relaxed step
//     by step, at last to the one camera. So this always ends.
//
// Cameras that are useless (non-finite pose, empty picture) are left out, and
// those more than ten D away from that closest point give no candidates; without
// any camera left the splats fill the cube [-1, 1]^3. Sizes follow from the
// neighbours as in FromPoints; n is usually 100 000 or less: about 5 us a splat.
func RandomInView(cams []ViewCone, n int, o InitOptions) *Cloud {
	if o.Max > 0 {
		n = min(n, o.Max)
	}
	rng := rand.New(rand.NewPCG(o.Seed, streamPositions))
	c := fromPositions(randomPositions(usable(cams), max(n, 0), rng), o)
	rng = rand.New(rand.NewPCG(o.Seed, streamColors))
	stride := 3 * Coefficients(o.SHDegree)
	for i := range c.Len() {
		for k := range 3 {
			c.SH[i*stride+k] = float32(RGBToSH0(rng.Float64()))
		}
	}
	return c
}

func randomPositions(cams []ViewCone, n int, rng *rand.Rand) []float32 {
	xyz := make([]float32, 0, 3*n)
	if len(cams) == 0 {
		for range 3 * n {
			xyz = append(xyz, float32(2*rng.Float64()-1))
		}
		return xyz
	}
	return newSampler(cams, rng).fill(xyz, n)
}

// sampler draws candidates and judges them.
type sampler struct {
	rng     *rand.Rand
	sources []source
	counted []projection // the cameras whose views are counted
	part    float64      // required part of a source's best count
}

// source is a camera that candidates are drawn from.
type source struct {
	ViewCone
	depth float64 // the guess D
	best  int     // the largest number of counted cameras that saw one candidate
}

func newSampler(cams []ViewCone, rng *rand.Rand) *sampler {
	s := &sampler{rng: rng, part: nearly, sources: sourcesOf(cams)}
	count := min(len(cams), countCameras)
	for i := range count {
		s.counted = append(s.counted, cams[i*len(cams)/count].projection())
	}
	// Neighbours agree: in random order a candidate is given up sooner.
	rng.Shuffle(count, func(i, j int) { s.counted[i], s.counted[j] = s.counted[j], s.counted[i] })
	for i := range s.sources {
		src := &s.sources[i]
		for range pilotTries {
			src.best = max(src.best, s.count(s.candidate(src), 0))
		}
	}
	return s
}

// fill appends n points to xyz.
func (s *sampler) fill(xyz []float32, n int) []float32 {
	for tries, kept := 0, 0; len(xyz) < 3*n; {
		if p, ok := s.draw(); ok {
			xyz = append(xyz, float32(p[0]), float32(p[1]), float32(p[2]))
			kept++
		}
		if tries++; tries == patience {
			if kept < patience/100 {
				s.part *= 0.8
			}
			tries, kept = 0, 0
		}
	}
	return xyz
}

// draw returns a candidate and whether enough cameras see it.
func (s *sampler) draw() (geom.Vec3, bool) {
	src := &s.sources[s.rng.IntN(len(s.sources))]
	p := s.candidate(src)
	need := int(math.Ceil(s.part * float64(src.best)))
	if need <= 1 {
		return p, true // its own camera sees it
	}
	return p, s.count(p, need) >= need
}

// candidate returns a point that is uniform in the part of the source's view
// between half and twice the guessed depth.
func (s *sampler) candidate(src *source) geom.Vec3 {
	near, far := 0.5*src.depth, 2*src.depth
	z := math.Cbrt(near*near*near + s.rng.Float64()*(far*far*far-near*near*near))
	cam := &src.Camera
	x := (s.rng.Float64()*float64(cam.Width) - cam.Cx) / cam.Fx * z
	y := (s.rng.Float64()*float64(cam.Height) - cam.Cy) / cam.Fy * z
	return src.Pose.R.T().MulVec(geom.Vec3{x, y, z}.Sub(src.Pose.T))
}

// count returns how many of the counted cameras see p. It gives up, and returns
// too little, as soon as need cannot be reached any more.
func (s *sampler) count(p geom.Vec3, need int) int {
	seen := 0
	for i := range s.counted {
		if seen+len(s.counted)-i < need {
			break
		}
		if s.counted[i].sees(&p) {
			seen++
		}
	}
	return seen
}

// projection maps a world point to (x*z, y*z, z) with x and y in units of the
// picture's width and height: three rows of a 3x4 matrix.
type projection [12]float64

func (v *ViewCone) projection() projection {
	r, t, k := v.Pose.R, v.Pose.T, v.Camera
	var m projection
	for c, e := range [4]geom.Vec3{{r[0], r[3], r[6]}, {r[1], r[4], r[7]}, {r[2], r[5], r[8]}, t} {
		m[c] = (k.Fx*e[0] + k.Cx*e[2]) / float64(k.Width)
		m[4+c] = (k.Fy*e[1] + k.Cy*e[2]) / float64(k.Height)
		m[8+c] = e[2]
	}
	return m
}

// sees reports whether p lies in front of the camera and inside its picture. With
// x between 0 and z, z cannot be negative.
func (m *projection) sees(p *geom.Vec3) bool {
	z := m[8]*p[0] + m[9]*p[1] + m[10]*p[2] + m[11]
	x := m[0]*p[0] + m[1]*p[1] + m[2]*p[2] + m[3]
	y := m[4]*p[0] + m[5]*p[1] + m[6]*p[2] + m[7]
	return x >= 0 && x <= z && y >= 0 && y <= z
}

// usable returns the cameras that can see anything.
func usable(cams []ViewCone) []ViewCone {
	var out []ViewCone
	for _, v := range cams {
		r := v.Pose.R
		rows := geom.Vec3{r[0], r[1], r[2]}.IsFinite() && geom.Vec3{r[3], r[4], r[5]}.IsFinite() &&
			v.Pose.Forward().IsFinite()
		k := v.Camera
		lens := geom.Vec3{k.Fx + k.Fy, k.Cx, k.Cy}.IsFinite() && k.Fx > 0 && k.Fy > 0
		if rows && v.Pose.T.IsFinite() && lens && k.Width > 0 && k.Height > 0 {
			out = append(out, v)
		}
	}
	return out
}
