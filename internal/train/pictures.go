package train

import (
	"context"
	"sync"

	"splat/internal/dataset"
	"splat/internal/imageio"
)

// Pictures keeps decoded pictures from one run for the next, where several runs with the
// same data settings follow each other. Those that do not fit in its share of the host's
// memory are decoded again. nil keeps none.
type Pictures struct {
	mu     sync.Mutex
	images map[string]*imageio.Image // by the view's name; nobody writes to their pixels
	bytes  int64
	limit  int64
}

// NewPictures returns an empty store that may take a quarter of the host's memory.
func NewPictures() *Pictures {
	return &Pictures{images: map[string]*imageio.Image{}, limit: hostBytes()}
}

// each is dataset.Each that decodes only what is not there.
func (p *Pictures) each(ctx context.Context, views []dataset.View, o dataset.LoadOptions, use func(i int, m *imageio.Image)) error {
	if p == nil {
		return dataset.Each(ctx, views, o, use)
	}
	var missing []dataset.View
	var at []int
	for i, v := range views {
		if m := p.get(v); m != nil {
			use(i, m)
			continue
		}
		missing, at = append(missing, v), append(at, i)
	}
	if len(missing) == 0 {
		return ctx.Err()
	}
	return dataset.Each(ctx, missing, o, func(k int, m *imageio.Image) {
		p.put(missing[k], m)
		use(at[k], m)
	})
}

func (p *Pictures) get(v dataset.View) *imageio.Image {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.images[v.Name]
}

func (p *Pictures) put(v dataset.View, m *imageio.Image) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := int64(len(m.Pix)); p.bytes+n <= p.limit {
		p.images[v.Name] = m
		p.bytes += n
	}
}
