package pack

import (
	"fmt"

	"splat/internal/gaussian"
)

// Flat tells what a cloud loses in a format that holds neither directions of view
// nor the antialiased mode.
func Flat(c *gaussian.Cloud, format string) []string {
	var lost []string
	if c.SHDegree > 0 {
		lost = append(lost, fmt.Sprintf("%s files hold the constant colour only: SH degree %d becomes 0", format, c.SHDegree))
	}
	return append(lost, Classic(c, format)...)
}

// Classic tells what a cloud loses in a format that does not hold the antialiased
// mode.
func Classic(c *gaussian.Cloud, format string) []string {
	if !c.Antialiased {
		return nil
	}
	return []string{format + " files do not say that the splats were trained antialiased: render them with the antialiased mode on"}
}
