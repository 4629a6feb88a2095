package vulkan

import (
	"errors"

	"splat/internal/vk"
)

// Info is what is known of a device before it is opened.
type Info = vk.Info

// Kinds of devices.
const (
	Discrete   = vk.Discrete
	Integrated = vk.Integrated
	Virtual    = vk.Virtual
	Software   = vk.Software
)

// Reasons why there is no device, for errors.Is.
var (
	ErrNoLoader = vk.ErrNoLoader
	ErrNotBuilt = vk.ErrNotBuilt
	ErrNoDevice = vk.ErrNoDevice
)

// Machine is the Vulkan devices of this machine.
type Machine struct {
	instance *vk.Instance
	devices  []*vk.Physical
}

// Probe loads Vulkan and lists the devices. validate turns on the validation layer,
// whose complaints then fail Wait.
func Probe(validate bool) (*Machine, error) {
	instance, err := vk.Open(vk.Options{Validate: validate})
	if err != nil {
		return nil, err
	}
	return &Machine{instance: instance, devices: instance.Devices()}, nil
}

// Devices tells of all devices, also those that cannot be used.
func (m *Machine) Devices() []Info {
	list := make([]Info, len(m.devices))
	for i, d := range m.devices {
		list[i] = d.Info()
	}
	return list
}

// FreeBytes is the device memory that is free by the driver's budget.
func (m *Machine) FreeBytes(device int) (free uint64) {
	for _, h := range m.devices[device].Heaps() {
		if h.DeviceLocal && h.Budget > h.Used {
			free = max(free, h.Budget-h.Used)
		}
	}
	return free
}

// Open opens device number i of Devices.
func (m *Machine) Open(i int, o Options) (*Backend, error) {
	b, err := Open(m.devices[i], o)
	if err == nil {
		b.messages = m.instance.Messages
		b.heard = len(m.instance.Messages())
	}
	return b, err
}

// Close releases everything; devices must be closed.
func (m *Machine) Close() { m.instance.Close() }

// complaints returns what the validation layer has said since the last time.
func (b *Backend) complaints() error {
	if b.messages == nil {
		return nil
	}
	all := b.messages()
	var list []error
	for _, m := range all[b.heard:] {
		list = append(list, errors.New("vulkan validation: "+m.ID+": "+m.Text))
	}
	b.heard = len(all)
	return errors.Join(list...)
}
