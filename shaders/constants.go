package shaders

import (
	"slices"
	"strings"

	"splat/internal/kernel"
)

// specialised names the constants that the shader compiler sees: they size loops
// or choose code, and have few values. The others are pushed, so that a capacity or
// a shift does not make another pipeline.
var specialised = strings.Fields("coefficients smooth absgrad window flags round")

// Constants splits a contract's constants into those that specialise the pipeline
// (their constant_id is their place in the contract) and those that are pushed, in
// order.
func Constants(c *kernel.Contract) (special, pushed []int) {
	for i, name := range c.Constants {
		if slices.Contains(specialised, name) {
			special = append(special, i)
		} else {
			pushed = append(pushed, i)
		}
	}
	return special, pushed
}
