// Package gaussian holds the splat model: a cloud of 3D Gaussians as structure
// of arrays, its activations, spherical harmonics and initialisation.
package gaussian

// Cloud is a set of n splats in stored (pre-activation) form, one array a
// parameter, in the world frame of the capture. All arrays describe the same n
// splats in the same order.
type Cloud struct {
	SHDegree    int       // 0..3 in training, up to 4 on import
	Antialiased bool      // trained with opacity compensation (+0.1 px^2 instead of +0.3)
	Means       []float32 // 3n: world position
	Quats       []float32 // 4n: rotation w x y z, not necessarily of unit length
	LogScales   []float32 // 3n: natural logarithm of the standard deviation along each axis
	Opacities   []float32 // n: logit of the opacity
	SH          []float32 // 3*(SHDegree+1)^2*n: coefficient-major, RGB inner, INRIA signs
}

// Coefficients returns the number of SH coefficients a channel, (degree+1)^2.
func Coefficients(degree int) int { return (degree + 1) * (degree + 1) }

// New returns a cloud of n zero splats.
func New(n, degree int) *Cloud {
	return &Cloud{
		SHDegree:  degree,
		Means:     make([]float32, 3*n),
		Quats:     make([]float32, 4*n),
		LogScales: make([]float32, 3*n),
		Opacities: make([]float32, n),
		SH:        make([]float32, 3*Coefficients(degree)*n),
	}
}

// Len returns the number of splats.
func (c *Cloud) Len() int { return len(c.Opacities) }
