package vulkan

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"splat/internal/atomicfile"
	"splat/internal/kernel"
	"splat/internal/vk"
	"splat/shaders"
)

// widthConstant is the specialisation constant that holds an emulated subgroup's width.
const widthConstant = 100

// pipelines builds each pipeline once, whatever recordings use it.
type pipelines struct {
	device *vk.Device
	opts   Options
	cache  diskCache
	built  map[string]*vk.Pipeline
}

func newPipelines(d *vk.Device, o Options, c diskCache) pipelines {
	return pipelines{device: d, opts: o, cache: c, built: map[string]*vk.Pipeline{}}
}

// prepare builds the pipelines of a recording that are not there yet, in parallel.
func (p *pipelines) prepare(r *kernel.Recording) error {
	missing := map[string]*kernel.Dispatch{}
	for i := range r.Dispatches {
		d := &r.Dispatches[i]
		if key := p.key(d); p.built[key] == nil {
			missing[key] = d
		}
	}
	keys := make([]string, 0, len(missing))
	for k := range missing {
		keys = append(keys, k)
	}
	built := make([]*vk.Pipeline, len(keys))
	var group errgroup.Group
	for i, k := range keys {
		group.Go(func() (err error) {
			built[i], err = p.build(missing[k])
			return err
		})
	}
	err := group.Wait()
	for i, k := range keys {
		if built[i] != nil {
			p.built[k] = built[i]
		}
	}
	return err
}

// key tells pipelines apart: by kernel and the constants that specialise it.
func (p *pipelines) key(d *kernel.Dispatch) string {
	special, _ := shaders.Constants(d.Kernel)
	key := d.Kernel.Name
	for _, i := range special {
		key += fmt.Sprintf(" %d", d.Constants[i])
	}
	return key
}

// get returns the pipeline of a dispatch and the constants to push.
func (p *pipelines) get(d *kernel.Dispatch) (*vk.Pipeline, []uint32, error) {
	pipeline := p.built[p.key(d)]
	if pipeline == nil {
		return nil, nil, fmt.Errorf("its pipeline was not built")
	}
	_, pushed := shaders.Constants(d.Kernel)
	words := make([]uint32, len(pushed))
	for k, i := range pushed {
		words[k] = d.Constants[i]
	}
	return pipeline, words, nil
}

// build makes the pipeline of a dispatch.
func (p *pipelines) build(d *kernel.Dispatch) (*vk.Pipeline, error) {
	spec, err := p.spec(d)
	if err != nil {
		return nil, err
	}
	return p.device.NewPipeline(spec)
}

// spec describes the pipeline of a dispatch.
func (p *pipelines) spec(d *kernel.Dispatch) (vk.PipelineSpec, error) {
	k := d.Kernel
	special, pushed := shaders.Constants(k)
	spec := vk.PipelineSpec{Name: k.Name, Bindings: len(k.Bindings), PushBytes: 4 * len(pushed)}
	for _, i := range special {
		spec.Constants = append(spec.Constants, vk.Constant{ID: uint32(i), Value: d.Constants[i]})
	}
	variant := p.opts.Variants[k.Name]
	if shaders.UsesSubgroups(k.Name, variant) {
		variant = p.subgroups(&spec, variant)
	}
	code, err := shaders.Code(k.Name, variant)
	spec.Code = code
	return spec, err
}

// subgroups chooses between native and emulated subgroup operations and returns the
// variant's name.
func (p *pipelines) subgroups(spec *vk.PipelineSpec, variant string) string {
	if p.opts.Emulate == 0 {
		if pin, ok := nativeWidth(p.device.Info().Subgroup, spec.Name); ok {
			spec.SubgroupSize = pin
			spec.FullSubgroups = p.device.Info().Subgroup.FullGroups
			return variant
		}
	}
	width := uint32(32)
	if p.opts.Emulate != 0 {
		width = uint32(p.opts.Emulate)
	}
	spec.Constants = append(spec.Constants, vk.Constant{ID: widthConstant, Value: width})
	if variant == "" {
		return shaders.Emulated
	}
	return variant + "." + shaders.Emulated
}

// nativeWidth reports whether the device's own subgroup operations will do for a kernel,
// and the width to ask for, 0 for no wish.
func nativeWidth(s vk.Subgroup, kernel string) (pin int, ok bool) {
	if !s.Basic || !s.Ballot || !s.Shuffle || !s.ShuffleRelative {
		return 0, false
	}
	if s.Pin && s.Min <= 32 && 32 <= s.Max {
		return 32, true
	}
	least, most := shaders.Widths(kernel)
	if s.Min > 0 && s.Max > 0 { // the driver chooses among these
		return 0, least <= s.Min && s.Max <= most
	}
	return 0, least <= s.Size && s.Size <= most
}

// close releases the pipelines and keeps on disk what the driver compiled.
func (p *pipelines) close() {
	if data, err := p.device.CacheData(); err == nil {
		p.cache.store(data)
	}
	for _, pipeline := range p.built {
		pipeline.Free()
	}
}

// diskCache is the file of a device's compiled pipelines. It only saves time: whatever
// goes wrong with it is passed over.
type diskCache struct {
	path   string
	loaded []byte
}

func cacheFile(dir string, info vk.Info) diskCache {
	if dir == "" {
		return diskCache{}
	}
	c := diskCache{path: filepath.Join(dir, "pipelines-"+info.CacheID+".bin")}
	c.loaded, _ = os.ReadFile(c.path)
	return c
}

func (c diskCache) load() []byte { return slices.Clone(c.loaded) }

func (c diskCache) store(data []byte) {
	if c.path == "" || bytes.Equal(data, c.loaded) || os.MkdirAll(filepath.Dir(c.path), 0o755) != nil {
		return
	}
	_ = atomicfile.Write(c.path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
