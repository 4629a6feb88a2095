package vulkan

import (
	"fmt"

	"golang.org/x/sync/errgroup"

	"splat/internal/kernel"
)

// Describe implements kernel.Describer: what the driver tells of the kernels of all
// programs. It compiles them once more, so that those in use stay as they are.
func (b *Backend) Describe() ([]kernel.Compiled, error) {
	if !b.info.Features.PipelineExecutable || !b.opts.Profile {
		return nil, nil
	}
	var list []*kernel.Dispatch
	seen := map[string]bool{}
	for _, p := range b.order {
		for i := range p.rec.Dispatches {
			d := &p.rec.Dispatches[i]
			if key := b.pipelines.key(d); !seen[key] {
				seen[key] = true
				list = append(list, d)
			}
		}
	}
	out := make([]kernel.Compiled, len(list))
	var group errgroup.Group
	for i, d := range list {
		group.Go(func() (err error) {
			out[i], err = b.describe(d)
			return err
		})
	}
	return out, group.Wait()
}

func (b *Backend) describe(d *kernel.Dispatch) (kernel.Compiled, error) {
	out := kernel.Compiled{Kernel: b.pipelines.key(d)}
	spec, err := b.pipelines.spec(d)
	if err != nil {
		return out, err
	}
	spec.Describe = true
	p, err := b.device.NewPipeline(spec)
	if err != nil {
		return out, err
	}
	defer p.Free()
	about, err := p.Describe()
	if err != nil {
		return out, fmt.Errorf("kernel %s: %w", d.Kernel.Name, err)
	}
	out.Subgroup = about.SubgroupSize
	for _, s := range about.Statistics {
		out.Facts = append(out.Facts, kernel.Fact{Name: s.Name, Value: s.Value})
	}
	return out, nil
}
