package vec

//go:generate go run ./gen -out avx2_amd64.s

// blendAVX2 is blendGo in AVX2.
//
//go:noescape
func blendAVX2(tile *BlendTile, run *Run, live int) int

// unblendAVX2 is unblendGo in AVX2, without the sums of absolute gradients.
//
//go:noescape
func unblendAVX2(tile *UnblendTile, run *Run, slots *float32, deepest int)

// unblendAbsAVX2 is unblendGo in AVX2, with the sums of absolute gradients.
//
//go:noescape
func unblendAbsAVX2(tile *UnblendTile, run *Run, slots *float32, deepest int)

// adamGeomAVX2 is StepGeom in AVX2.
//
//go:noescape
func adamGeomAVX2(a *Adam, p, m, v *float32, grad *[12]float32)

// adamSHAVX2 is StepSH in AVX2, for rows of whole blocks of 24 values.
//
//go:noescape
func adamSHAVX2(a *Adam, p, m, v *float32, blocks int, basis *[16]float32, color *[3]float32)

//go:noescape
func projectAVX2(s *Splats, c *Camera) int

//go:noescape
func tileRowsAVX2(s *Splats, c *Camera) int

//go:noescape
func tileSpanAVX2(s *Splats, c *Camera) int

//go:noescape
func color0AVX2(s *Splats, c *Camera) int

//go:noescape
func color1AVX2(s *Splats, c *Camera) int

//go:noescape
func color2AVX2(s *Splats, c *Camera) int

//go:noescape
func color3AVX2(s *Splats, c *Camera) int

//go:noescape
func colorBackward0AVX2(s *Splats, c *Camera) int

//go:noescape
func colorBackward1AVX2(s *Splats, c *Camera) int

//go:noescape
func colorBackward2AVX2(s *Splats, c *Camera) int

//go:noescape
func colorBackward3AVX2(s *Splats, c *Camera) int

//go:noescape
func backwardAVX2(s *Splats, c *Camera) int

//go:noescape
func regulariseAVX2(s *Splats, c *Camera) int

//go:noescape
func noiseAVX2(s *Splats, c *Camera) int

//go:noescape
func gatherAVX2(lanes *Lanes, rows *float32, offsets *[8]int, quads int)

//go:noescape
func scatterAVX2(rows *float32, lanes *Lanes, offsets *[8]int, quads int)

//go:noescape
func sumRowsAVX2(sum *[12]float32, rows *float32, count int)

//go:noescape
func prefetchAVX2(p *float32, bytes int)

//go:noescape
func loadPixelsAVX2(t *LossTile, at int, image *float32, target *uint32, n int)

//go:noescape
func momentsAVX2(t *LossTile, channel int)

//go:noescape
func ssimAVX2(t *LossTile, channel int, maps *float32, pitch, plane int)

//go:noescape
func blurAVX2(t *LossTile, back int, from *float32, pitch int)

//go:noescape
func lossGradientAVX2(t *LossTile, channel int)

// multiplyAddAVX2 makes turns of independent x = x/2 + 1, eight lanes in each of 12
// registers that start as *sum; it adds them up there.
//
//go:noescape
func multiplyAddAVX2(sum *Lanes, turns int)

// readAVX2 adds up blocks of 32 values.
//
//go:noescape
func readAVX2(sum *Lanes, from *float32, blocks int)
