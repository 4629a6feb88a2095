package demo

import (
	"bytes"
	"encoding/base64"
	"html/template"
	"image"
	"image/png"
	"math"

	"splat/internal/geom"
)

// heatRange is the error, 0..1, at which the heat map's scale ends: small errors
// are magnified five times.
const heatRange = 0.2

// heatStops is the scale of the heat map, sRGB 0..255, dark to bright. The page's
// legend shows the same colours.
var heatStops = []geom.Vec3{
	{8, 8, 16}, {60, 18, 92}, {150, 38, 110}, {222, 78, 66}, {250, 160, 50}, {252, 248, 190},
}

// heatMap colours each pixel by the root mean square of its three differences.
// Renders are compared as 8-bit pictures; NaN counts as black.
func heatMap(truth, render []float32) []float32 {
	out := make([]float32, len(truth))
	for i := 0; i < len(out); i += 3 {
		var sum float64
		for k := range 3 {
			d := float64(byteOf(float64(truth[i+k]))) - float64(byteOf(float64(render[i+k])))
			sum += d * d
		}
		c := heat(math.Sqrt(sum/3) / 255 / heatRange)
		for k := range 3 {
			out[i+k] = float32(c[k] / 255)
		}
	}
	return out
}

// heat returns the colour at v, 0..1, of the scale.
func heat(v float64) geom.Vec3 {
	last := len(heatStops) - 1
	at := clamp01(v) * float64(last)
	i := min(int(at), last-1)
	return lerp(heatStops[i], heatStops[i+1], at-float64(i))
}

// dataURI encodes RGB values 0..1 as a PNG inside a URI.
func dataURI(rgb []float32, width, height int) (template.URL, error) {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		for k := range 3 {
			img.Pix[4*i+k] = byteOf(float64(rgb[3*i+k]))
		}
		img.Pix[4*i+3] = 255
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return "", err
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(buf.Bytes())), nil
}
