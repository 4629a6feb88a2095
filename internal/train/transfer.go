package train

import (
	"splat/internal/gaussian"
	"splat/internal/imageio"
	"splat/internal/kernel"
	"splat/internal/pipeline"
)

// rowsAtOnce is how many splats or pixels are converted between host and device
// layout at a time, so that neither direction needs a second full copy.
const rowsAtOnce = 1 << 16

// upload stores a cloud, already in the training frame and of the plan's degree,
// in the pipeline's buffers.
func upload(pl *pipeline.Pipeline, c *gaussian.Cloud) error {
	rows := make([]float32, rowsAtOnce*kernel.GeomRow)
	for from := 0; from < c.Len(); from += rowsAtOnce {
		to := min(from+rowsAtOnce, c.Len())
		for i := from; i < to; i++ {
			row := rows[(i-from)*kernel.GeomRow : (i-from+1)*kernel.GeomRow]
			copy(row[kernel.GeomMean:], c.Means[3*i:3*i+3])
			row[kernel.GeomOpacity] = c.Opacities[i]
			copy(row[kernel.GeomQuat:], c.Quats[4*i:4*i+4])
			copy(row[kernel.GeomScale:], c.LogScales[3*i:3*i+3])
		}
		if err := kernel.WriteSlice(pl.Backend, pl.Geom, from*kernel.GeomRow, rows[:(to-from)*kernel.GeomRow]); err != nil {
			return err
		}
	}
	return kernel.WriteSlice(pl.Backend, pl.SH, 0, c.SH)
}

// download fetches n splats, still in the training frame.
func download(pl *pipeline.Pipeline, n int) (*gaussian.Cloud, error) {
	c := gaussian.New(n, pl.Plan.SHDegree)
	rows := make([]float32, rowsAtOnce*kernel.GeomRow)
	for from := 0; from < n; from += rowsAtOnce {
		to := min(from+rowsAtOnce, n)
		if err := kernel.ReadSlice(pl.Backend, pl.Geom, from*kernel.GeomRow, rows[:(to-from)*kernel.GeomRow]); err != nil {
			return nil, err
		}
		for i := from; i < to; i++ {
			row := rows[(i-from)*kernel.GeomRow : (i-from+1)*kernel.GeomRow]
			copy(c.Means[3*i:3*i+3], row[kernel.GeomMean:])
			c.Opacities[i] = row[kernel.GeomOpacity]
			copy(c.Quats[4*i:4*i+4], row[kernel.GeomQuat:])
			copy(c.LogScales[3*i:3*i+3], row[kernel.GeomScale:])
		}
	}
	return c, kernel.ReadSlice(pl.Backend, pl.SH, 0, c.SH)
}

// uploadPicture stores a picture's pixels in the targets, from pixel at on. words is
// scratch of rowsAtOnce words.
func uploadPicture(pl *pipeline.Pipeline, at int, img *imageio.Image, words []uint32) error {
	for from := 0; from < len(img.Pix)/4; from += rowsAtOnce {
		to := min(from+rowsAtOnce, len(img.Pix)/4)
		for k := from; k < to; k++ {
			p := img.Pix[4*k : 4*k+4]
			words[k-from] = uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
		}
		if err := kernel.WriteSlice(pl.Backend, pl.Targets, at+from, words[:to-from]); err != nil {
			return err
		}
	}
	return nil
}

// used counts the pixels of a masked picture that count.
func used(img *imageio.Image) (n int) {
	for k := 3; k < len(img.Pix); k += 4 {
		if img.Pix[k] != 0 {
			n++
		}
	}
	return n
}
