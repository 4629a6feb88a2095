//go:build !amd64

package vec

// The assembly of other processors does not exist and is never called.

func blendAVX2(tile *BlendTile, run *Run, live int) int                       { panic("vec: no AVX2") }
func unblendAVX2(tile *UnblendTile, run *Run, slots *float32, deepest int)    { panic("vec: no AVX2") }
func unblendAbsAVX2(tile *UnblendTile, run *Run, slots *float32, deepest int) { panic("vec: no AVX2") }
func adamGeomAVX2(a *Adam, p, m, v *float32, grad *[12]float32)               { panic("vec: no AVX2") }
func adamSHAVX2(a *Adam, p, m, v *float32, blocks int, basis *[16]float32, color *[3]float32) {
	panic("vec: no AVX2")
}
func projectAVX2(s *Splats, c *Camera) int                                { panic("vec: no AVX2") }
func tileRowsAVX2(s *Splats, c *Camera) int                               { panic("vec: no AVX2") }
func tileSpanAVX2(s *Splats, c *Camera) int                               { panic("vec: no AVX2") }
func color0AVX2(s *Splats, c *Camera) int                                 { panic("vec: no AVX2") }
func color1AVX2(s *Splats, c *Camera) int                                 { panic("vec: no AVX2") }
func color2AVX2(s *Splats, c *Camera) int                                 { panic("vec: no AVX2") }
func color3AVX2(s *Splats, c *Camera) int                                 { panic("vec: no AVX2") }
func colorBackward0AVX2(s *Splats, c *Camera) int                         { panic("vec: no AVX2") }
func colorBackward1AVX2(s *Splats, c *Camera) int                         { panic("vec: no AVX2") }
func colorBackward2AVX2(s *Splats, c *Camera) int                         { panic("vec: no AVX2") }
func colorBackward3AVX2(s *Splats, c *Camera) int                         { panic("vec: no AVX2") }
func backwardAVX2(s *Splats, c *Camera) int                               { panic("vec: no AVX2") }
func regulariseAVX2(s *Splats, c *Camera) int                             { panic("vec: no AVX2") }
func noiseAVX2(s *Splats, c *Camera) int                                  { panic("vec: no AVX2") }
func gatherAVX2(lanes *Lanes, rows *float32, offsets *[8]int, quads int)  { panic("vec: no AVX2") }
func scatterAVX2(rows *float32, lanes *Lanes, offsets *[8]int, quads int) { panic("vec: no AVX2") }
func sumRowsAVX2(sum *[12]float32, rows *float32, count int)              { panic("vec: no AVX2") }
func prefetchAVX2(p *float32, bytes int)                                  { panic("vec: no AVX2") }
func loadPixelsAVX2(t *LossTile, at int, image *float32, target *uint32, n int) {
	panic("vec: no AVX2")
}
func momentsAVX2(t *LossTile, channel int)                               { panic("vec: no AVX2") }
func ssimAVX2(t *LossTile, channel int, maps *float32, pitch, plane int) { panic("vec: no AVX2") }
func blurAVX2(t *LossTile, back int, from *float32, pitch int)           { panic("vec: no AVX2") }
func lossGradientAVX2(t *LossTile, channel int)                          { panic("vec: no AVX2") }
func multiplyAddAVX2(sum *Lanes, turns int)                              { panic("vec: no AVX2") }
func readAVX2(sum *Lanes, from *float32, blocks int)                     { panic("vec: no AVX2") }
