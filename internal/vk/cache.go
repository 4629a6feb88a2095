package vk

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"
)

// cacheHeader is the bytes in front of every pipeline cache: their number, a version,
// vendor, device, and the driver's UUID.
const cacheHeader = 16 + 16

// openCache makes the pipeline cache, empty if the blob is another driver's or the
// driver refuses it.
func (d *Device) openCache(blob []byte) error {
	if !d.physical.accepts(blob) {
		blob = nil
	}
	err := d.createCache(blob)
	if err != nil && blob != nil {
		err = d.createCache(nil)
	}
	return err
}

// accepts compares the header, because not all drivers do.
func (p *Physical) accepts(blob []byte) bool {
	if len(blob) < cacheHeader {
		return false
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(blob[4*i:]) }
	return word(0) >= cacheHeader && word(1) == pipelineCacheHeaderVersionOne && word(2) == p.info.VendorID &&
		word(3) == p.info.DeviceID && bytes.Equal(blob[16:cacheHeader], p.uuid[:])
}

func (d *Device) createCache(blob []byte) error {
	a := borrow()
	defer a.release()
	info := a.pipelineCacheCreateInfo()
	info.initialDataSize = uint64(len(blob))
	info.pInitialData = first(copied(a, blob))
	out := put[uint64](a)
	result := d.createPipelineCache(d.handle, info, out)
	d.cache = *out
	return d.check("vkCreatePipelineCache", result)
}

// CacheData returns the compiled pipelines in the driver's form, for
// DeviceOptions.Cache of a later run.
func (d *Device) CacheData() ([]byte, error) {
	const name = "vkGetPipelineCacheData"
	a := borrow()
	defer a.release()
	n := put[uint64](a)
	for range deviceListAttempts {
		if err := d.check(name, d.getPipelineCacheData(d.handle, d.cache, n, nil)); err != nil || *n == 0 {
			return nil, err
		}
		data := array[byte](a, int(*n))
		result := d.getPipelineCacheData(d.handle, d.cache, n, unsafe.Pointer(&data[0]))
		if result != incomplete {
			return slices.Clone(data[:*n]), d.check(name, result)
		}
	}
	return nil, fmt.Errorf("%s: the cache keeps growing", name)
}
