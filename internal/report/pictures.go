package report

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"strconv"

	"splat/internal/imageio"
	"splat/internal/metrics"
)

// View is a view as it was photographed and as it was rendered: 3 sRGB values 0..1 a
// pixel, row by row.
type View struct {
	Name          string
	Width, Height int
	Truth, Render []float32
	Used          []bool // pixels that count, nil: all
}

// pictureRow is a view on a page.
type pictureRow struct {
	Name                 string
	Width, Height        int // of the files
	Truth, Render, Error string
	PSNR                 *float64
}

// longestSide bounds the pictures of a page, in pixels.
const longestSide = 560

// pictures writes the views of a run; note says why there are none, or not all.
func (b *builder) pictures(r *Run, folder string) (rows []pictureRow, note string, err error) {
	if b.site.Views == nil {
		return nil, "", nil
	}
	note, err = b.site.Views(b.ctx, r, func(v View) error {
		row, err := b.picture(v, "pictures/"+folder+"/"+strconv.Itoa(len(rows)+1))
		rows = append(rows, row)
		return err
	})
	b.done.Pictures += len(rows)
	return rows, note, err
}

func (b *builder) picture(v View, name string) (pictureRow, error) {
	metrics.Quantize(v.Render)
	row := pictureRow{Name: v.Name, Truth: name + "-photograph.jpg", Render: name + "-render.jpg", Error: name + "-error.png"}
	if p := metrics.PSNR(v.Render, v.Truth, v.Used); !math.IsNaN(p) && !math.IsInf(p, 0) {
		row.PSNR = &p
	}
	row.Width, row.Height = fit(v.Width, v.Height)
	for file, rgb := range map[string][]float32{row.Truth: v.Truth, row.Render: v.Render} {
		small := imageio.Reduce(toImage(rgb, v.Width, v.Height), row.Width, row.Height)
		var out bytes.Buffer
		if err := jpeg.Encode(&out, &image.NRGBA{Pix: small.Pix, Stride: 4 * row.Width, Rect: image.Rect(0, 0, row.Width, row.Height)}, &jpeg.Options{Quality: 88}); err != nil {
			return row, err
		}
		if err := b.write(file, out.Bytes()); err != nil {
			return row, err
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, errorMap(v, row.Width, row.Height)); err != nil {
		return row, err
	}
	return row, b.write(row.Error, out.Bytes())
}

// fit scales a size down to the longest side of a page's pictures.
func fit(w, h int) (int, int) {
	if long := max(w, h); long > longestSide {
		return max(w*longestSide/long, 1), max(h*longestSide/long, 1)
	}
	return w, h
}

// toImage rounds values 0..1 to 8 bits.
func toImage(rgb []float32, w, h int) *imageio.Image {
	img := imageio.New(w, h)
	for i := range w * h {
		for c := range 3 {
			img.Pix[4*i+c] = uint8(min(max(rgb[3*i+c], 0), 1)*255 + 0.5)
		}
		img.Pix[4*i+3] = 255
	}
	return img
}

// fullError is the error that is shown brightest: a fifth of the full range, mean of
// the three channels.
const fullError = 0.2

// errorMap shows the mean error of the channels, black where there is none. The error
// is that of the full picture, averaged over the pixels of the small one. Pixels that
// do not count are black.
func errorMap(v View, w, h int) *image.Paletted {
	sum, count := make([]float64, w*h), make([]int, w*h)
	for y := range v.Height {
		for x := range v.Width {
			i, at := y*v.Width+x, (y*h/v.Height)*w+x*w/v.Width
			count[at]++
			if v.Used != nil && !v.Used[i] {
				continue
			}
			for c := range 3 {
				sum[at] += math.Abs(float64(v.Render[3*i+c]) - float64(v.Truth[3*i+c]))
			}
		}
	}
	m := image.NewPaletted(image.Rect(0, 0, w, h), heat)
	for i := range sum {
		m.Pix[i] = uint8(min(sum[i]/float64(3*max(count[i], 1))/fullError, 1)*63 + 0.5)
	}
	return m
}

// heat goes from black over violet and orange to pale yellow, each step brighter.
var heat = ramp([][3]float64{{0, 0, 4}, {51, 12, 88}, {136, 34, 106}, {212, 72, 66}, {251, 158, 7}, {252, 255, 164}}, 64)

func ramp(stops [][3]float64, n int) (p color.Palette) {
	for i := range n {
		at := float64(i) / float64(n-1) * float64(len(stops)-1)
		k := min(int(at), len(stops)-2)
		mix := func(c int) uint8 { return uint8(stops[k][c] + (at-float64(k))*(stops[k+1][c]-stops[k][c]) + 0.5) }
		p = append(p, color.NRGBA{mix(0), mix(1), mix(2), 255})
	}
	return p
}
