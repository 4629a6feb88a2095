package vk

import (
	"fmt"
	"slices"
	"sync"
)

// Severity of a message.
type Severity int

// Severities.
const (
	Warning Severity = iota
	Failure
)

// String returns "warning" or "error".
func (s Severity) String() string {
	if s == Failure {
		return "error"
	}
	return "warning"
}

// Message is a complaint of the validation layer.
type Message struct {
	Severity Severity
	ID       string // its VUID or hazard name
	Text     string
}

// String returns severity, ID and text.
func (m Message) String() string { return fmt.Sprintf("%s: %s: %s", m.Severity, m.ID, m.Text) }

// keptMessages bounds the list: one mistake in a loop repeats for ever.
const keptMessages = 1000

// messages collects what the layer reports for one instance.
type messages struct {
	id   uintptr
	mu   sync.Mutex
	list []Message
	// messenger is the handle of the VkDebugUtilsMessengerEXT.
	messenger uint64
}

// receivers finds the messages of an instance by the number that the callback gets:
// C must not hold Go pointers.
var receivers struct {
	sync.Mutex
	last uintptr
	byID map[uintptr]*messages
}

func newMessages() *messages {
	receivers.Lock()
	defer receivers.Unlock()
	if receivers.byID == nil {
		receivers.byID = map[uintptr]*messages{}
	}
	receivers.last++
	m := &messages{id: receivers.last}
	receivers.byID[m.id] = m
	return m
}

// retire ends reception.
func (m *messages) retire() {
	if m == nil {
		return
	}
	receivers.Lock()
	defer receivers.Unlock()
	delete(receivers.byID, m.id)
}

func (m *messages) add(msg Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.list) < keptMessages {
		m.list = append(m.list, msg)
	}
}

// callback is made once: callbacks are never released.
var callback = sync.OnceValue(func() uintptr { return newCallback(receive) })

// receive is PFN_vkDebugUtilsMessengerCallbackEXT. It may be called on any thread
// that is in a Vulkan call.
func receive(severity, kinds uintptr, data *debugUtilsMessengerCallbackDataEXT, id uintptr) uintptr {
	receivers.Lock()
	m := receivers.byID[id]
	receivers.Unlock()
	if m != nil {
		m.add(Message{severityOf(uint32(severity)), goString(data.pMessageIdName), goString(data.pMessage)})
	}
	return 0
}

func severityOf(bits uint32) Severity {
	if bits&debugUtilsMessageSeverityErrorBitExt != 0 {
		return Failure
	}
	return Warning
}

// Messages returns what validation has found so far, at most the first 1000. It is
// empty without Options.Validate.
func (i *Instance) Messages() []Message {
	if i.log == nil {
		return nil
	}
	i.log.mu.Lock()
	defer i.log.mu.Unlock()
	return slices.Clone(i.log.list)
}

// validate adds layer, features and messenger to info and returns the extensions
// that they need.
func (i *Instance) validate(a *arena, info *instanceCreateInfo, loaderHas []string) ([]string, error) {
	layers, err := i.loader.layers(a)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(layers, validationLayer) {
		return nil, fmt.Errorf("validation needs the layer %s, which is not installed", validationLayer)
	}
	has, err := i.loader.extensions(a, validationLayer)
	if err != nil {
		return nil, err
	}
	has = append(has, loaderHas...)
	for _, e := range []string{extValidation, extDebugUtils} {
		if !slices.Contains(has, e) {
			return nil, fmt.Errorf("validation needs the extension %s, which %s does not have", e, validationLayer)
		}
	}
	info.enabledLayerCount = 1
	info.ppEnabledLayerNames = first(a.cstrings([]string{validationLayer}))
	i.log = newMessages()
	// With the messenger in this list too, creation and destruction of the instance
	// itself are heard.
	messenger := i.messengerInfo(a)
	messenger.pNext = address(validationChoice(a))
	info.pNext = address(messenger)
	return []string{extValidation, extDebugUtils}, nil
}

func validationChoice(a *arena) *validationFeaturesEXT {
	enable := copied(a, []uint32{validationFeatureEnableSynchronizationValidationExt})
	f := a.validationFeaturesEXT()
	f.enabledValidationFeatureCount = uint32(len(enable))
	f.pEnabledValidationFeatures = first(enable)
	return f
}

func (i *Instance) messengerInfo(a *arena) *debugUtilsMessengerCreateInfoEXT {
	m := a.debugUtilsMessengerCreateInfoEXT()
	m.messageSeverity = debugUtilsMessageSeverityWarningBitExt | debugUtilsMessageSeverityErrorBitExt
	m.messageType = debugUtilsMessageTypeValidationBitExt
	m.pfnUserCallback = callback()
	m.pUserData = i.log.id
	return m
}

func (i *Instance) openMessenger(a *arena) error {
	if i.log == nil {
		return nil
	}
	out := put[uint64](a)
	result := i.createDebugUtilsMessengerEXT(i.handle, i.messengerInfo(a), out)
	i.log.messenger = *out
	return check("vkCreateDebugUtilsMessengerEXT", result)
}

func (i *Instance) closeMessenger() {
	if i.log != nil && i.log.messenger != 0 {
		i.destroyDebugUtilsMessengerEXT(i.handle, i.log.messenger)
	}
}

// label tells validation an object's name, so that its messages say it.
func (d *Device) label(kind uint32, handle uint64, name string) {
	if d.physical.instance.log == nil || d.vkSetDebugUtilsObjectNameEXT == 0 {
		return
	}
	a := borrow()
	defer a.release()
	info := a.debugUtilsObjectNameInfoEXT()
	info.objectType = kind
	info.objectHandle = handle
	info.pObjectName = address(a.cstring(name))
	d.setDebugUtilsObjectNameEXT(d.handle, info)
}
