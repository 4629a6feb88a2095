package vk

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Options is how an instance is opened.
type Options struct {
	// Validate turns on the Khronos validation layer with synchronization
	// validation; see Messages. It costs a lot of time. It is an error if the layer
	// is not installed.
	Validate bool
}

const (
	validationLayer    = "VK_LAYER_KHRONOS_validation"
	extPortability     = "VK_KHR_portability_enumeration"
	extValidation      = "VK_EXT_validation_features"
	extDebugUtils      = "VK_EXT_debug_utils"
	applicationName    = "splat"
	deviceListAttempts = 3
)

// Instance is an open Vulkan library with its devices.
type Instance struct {
	loader  *loader
	handle  uint64
	version version
	instanceFuncs
	devices []*Physical
	log     *messages // nil unless validating

	mu   sync.Mutex
	open map[*Device]bool
}

// Open loads Vulkan and lists the devices, also those that cannot be used. Errors
// match ErrNoLoader or ErrNoDevice where that is the reason.
func Open(o Options) (*Instance, error) {
	l, err := openLoader()
	if err != nil {
		return nil, err
	}
	i := &Instance{loader: l, open: map[*Device]bool{}}
	if err = i.create(o.Validate); err == nil {
		err = i.list()
	}
	if err != nil {
		i.Close()
		return nil, err
	}
	return i, nil
}

// Devices returns all devices in the loader's order.
func (i *Instance) Devices() []*Physical { return slices.Clone(i.devices) }

// Loader returns the name of the library that was loaded.
func (i *Instance) Loader() string { return i.loader.path }

// Close closes all devices and the instance. Messages stay readable.
func (i *Instance) Close() {
	defer i.log.retire()
	if i.handle == 0 {
		return
	}
	for _, d := range i.opened() {
		d.Close()
	}
	i.closeMessenger()
	i.destroyInstance(i.handle)
	i.handle = 0
}

func (i *Instance) opened() (list []*Device) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for d := range i.open {
		list = append(list, d)
	}
	return list
}

func (i *Instance) create(validate bool) error {
	a := borrow()
	defer a.release()
	if err := i.chooseVersion(a); err != nil {
		return err
	}
	info := a.instanceCreateInfo()
	app := a.applicationInfo()
	app.pApplicationName = address(a.cstring(applicationName))
	app.apiVersion = uint32(i.version)
	info.pApplicationInfo = address(app)
	extensions, err := i.loader.extensions(a, "")
	if err != nil {
		return err
	}
	var use []string
	if slices.Contains(extensions, extPortability) {
		use = append(use, extPortability)
		info.flags = instanceCreateEnumeratePortabilityBitKhr
	}
	if validate {
		more, err := i.validate(a, info, extensions)
		if err != nil {
			return err
		}
		use = append(use, more...)
	}
	info.enabledExtensionCount = uint32(len(use))
	info.ppEnabledExtensionNames = first(a.cstrings(use))
	return i.createWith(a, info)
}

func (i *Instance) createWith(a *arena, info *instanceCreateInfo) error {
	handle := put[uint64](a)
	err := check("vkCreateInstance", i.loader.createInstance(info, handle))
	if err != nil {
		return noDriver(err)
	}
	i.handle = *handle
	if err := fill(i.entries(), func(name string) uintptr { return i.loader.find(i.handle, name) }); err != nil {
		i.handle = 0 // there may be no function to destroy it with
		return err
	}
	return i.openMessenger(a)
}

// noDriver adds ErrNoDevice to the errors with which loaders say that no driver was
// found.
func noDriver(err error) error {
	var e *Error
	if errors.As(err, &e) && (e.Result == errorIncompatibleDriver || e.Result == errorInitializationFailed) {
		return fmt.Errorf("%w: no driver is installed or none works: %w", ErrNoDevice, err)
	}
	return err
}

// chooseVersion takes the lower of the newest version known here and the loader's.
func (i *Instance) chooseVersion(a *arena) error {
	v := put[uint32](a)
	if err := check("vkEnumerateInstanceVersion", i.loader.enumerateInstanceVersion(v)); err != nil {
		return err
	}
	has := version(*v)
	if !has.atLeast(1, 2) {
		return fmt.Errorf("%w: %s has Vulkan %s, expected at least %s", ErrNoLoader, i.loader.path, has, oldest)
	}
	i.version = min(has, newest)
	return nil
}

// extensions lists the instance extensions of a layer, or of the loader when layer
// is "".
func (l *loader) extensions(a *arena, layer string) ([]string, error) {
	var name *byte
	if layer != "" {
		name = a.cstring(layer)
	}
	list, err := enumerate("vkEnumerateInstanceExtensionProperties", a, func(n *uint32, p *extensionProperties) int32 {
		return l.enumerateInstanceExtensionProperties(name, n, p)
	})
	return extensionNames(list), err
}

func (l *loader) layers(a *arena) (names []string, err error) {
	list, err := enumerate("vkEnumerateInstanceLayerProperties", a, l.enumerateInstanceLayerProperties)
	for _, p := range list {
		names = append(names, fixedString(p.layerName[:]))
	}
	return names, err
}

func extensionNames(list []extensionProperties) (names []string) {
	for _, p := range list {
		names = append(names, fixedString(p.extensionName[:]))
	}
	return names
}

// enumerate asks for the length of a list, then for the list, and again when it grew
// in between.
func enumerate[T any](name string, a *arena, ask func(n *uint32, list *T) int32) ([]T, error) {
	n := put[uint32](a)
	for range deviceListAttempts {
		if err := check(name, ask(n, nil)); err != nil || *n == 0 {
			return nil, err
		}
		list := array[T](a, int(*n))
		result := ask(n, &list[0])
		if result != incomplete {
			return list[:*n], check(name, result)
		}
	}
	return nil, fmt.Errorf("%s: the list keeps growing", name)
}

func (i *Instance) list() error {
	a := borrow()
	defer a.release()
	handles, err := enumerate("vkEnumeratePhysicalDevices", a, func(n *uint32, p *uint64) int32 {
		return i.enumeratePhysicalDevices(i.handle, n, p)
	})
	if err != nil {
		return noDriver(err)
	}
	if len(handles) == 0 {
		return fmt.Errorf("%w: the drivers found none", ErrNoDevice)
	}
	for n, h := range handles {
		p, err := probe(i, n, h)
		if err != nil {
			return err
		}
		i.devices = append(i.devices, p)
	}
	return nil
}
