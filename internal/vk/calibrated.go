package vk

import "time"

// Moment is one moment on two clocks.
type Moment struct {
	Ticks  uint64        // the device's, as timestamps have them
	Host   time.Time     // the host's
	Within time.Duration // how far the two may be apart
}

// calibrations is how often the clocks are read for one Moment: the quickest counts.
const calibrations = 3

// Calibrate reads the device's clock and the host's at the same moment, in some
// microseconds and without waiting for work. ok is false where the driver cannot.
func (d *Device) Calibrate() (m Moment, ok bool, err error) {
	if d.vkGetCalibratedTimestampsEXT == 0 {
		return m, false, nil
	}
	a := borrow()
	defer a.release()
	info := a.calibratedTimestampInfoEXT()
	info.timeDomain = timeDomainDeviceExt
	ticks, deviation := put[uint64](a), put[uint64](a)
	for range calibrations {
		before := time.Now()
		result := d.getCalibratedTimestampsEXT(d.handle, 1, info, ticks, deviation)
		took := time.Since(before)
		if err := d.check("vkGetCalibratedTimestampsEXT", result); err != nil {
			return m, false, err
		}
		if !ok || took/2 < m.Within {
			m, ok = Moment{*ticks, before.Add(took / 2), took / 2}, true
		}
	}
	return m, ok, nil
}
