package kernel

import (
	"errors"
	"fmt"
	"unsafe"
)

// Backend executes recordings. Its methods are called from one goroutine.
//
// Submit may return before the work is done; Wait ends all of it. Reading and writing
// are ordered after what was submitted before. Writing returns once the data are taken
// over; reading waits, and is for set-up, drains and reports, never for the inside of a
// step. Submit itself waits only while too much is in flight.
type Backend interface {
	// Name is the backend's word on the command line: "cpu", "vulkan", "null".
	Name() string
	// Device names the hardware for people.
	Device() string
	// Alloc gives b storage filled with zeros. An error says what was asked for.
	Alloc(b *Buffer) error
	// Free releases b's storage; freeing what was never allocated does nothing.
	Free(b *Buffer)
	// WriteBytes copies raw little-endian elements to b, starting at element at.
	WriteBytes(b *Buffer, at int, data []byte) error
	// ReadBytes copies elements of b, starting at element at, to data.
	ReadBytes(b *Buffer, at int, data []byte) error
	// Peek copies elements of a watched buffer as the last completed submission left
	// them, and does not wait; zeros where none has completed.
	Peek(b *Buffer, at int, data []byte) error
	// Copy copies as many elements as both hold, from the start, on the device.
	Copy(to, from *Buffer) error
	// Compile prepares a recording; all its buffers must be allocated.
	Compile(r *Recording) (Program, error)
	// Submit runs p the given number of times, one after the other.
	Submit(p Program, times int) error
	// Wait returns when everything submitted has been done.
	Wait() error
	// Timelines shows what was measured since the last call, oldest first; nothing when
	// measuring is off. It does not wait, so the newest runs may come with a later call.
	Timelines(visit func(Timeline))
	// Close releases everything.
	Close()
}

// ErrLost says that a device is gone, with everything on it: its driver was reset, it
// crashed, or work took too long for it. Errors of a backend match it then.
var ErrLost = errors.New("the device was lost")

// Program is a compiled recording, good for the backend that made it.
type Program interface{ Recording() *Recording }

// Record is the set of types shared with the device.
type Record interface {
	Control | Schedule | View | Step | Refine | Stats
}

// Scalar is what buffers of numbers hold on the host's side.
type Scalar interface{ float32 | uint32 }

// WriteSlice copies numbers to b from element at on. Real buffers take float32,
// u32 buffers uint32.
func WriteSlice[T Scalar](be Backend, b *Buffer, at int, data []T) error {
	if err := fits(b, at, len(data)); err != nil {
		return err
	}
	return be.WriteBytes(b, at, bytesOf(data))
}

// ReadSlice copies len(data) numbers of b from element at on.
func ReadSlice[T Scalar](be Backend, b *Buffer, at int, data []T) error {
	if err := fits(b, at, len(data)); err != nil {
		return err
	}
	return be.ReadBytes(b, at, bytesOf(data))
}

// WriteRecord stores one record at element at.
func WriteRecord[T Record](be Backend, b *Buffer, at int, rec T) error {
	return be.WriteBytes(b, at, bytesOf([]T{rec}))
}

// ReadRecord fetches the record at element at.
func ReadRecord[T Record](be Backend, b *Buffer, at int) (T, error) {
	var rec [1]T
	err := be.ReadBytes(b, at, bytesOf(rec[:]))
	return rec[0], err
}

// ReadRecords fetches len(out) records from element at on.
func ReadRecords[T Record](be Backend, b *Buffer, at int, out []T) error {
	if err := fits(b, at, len(out)); err != nil {
		return err
	}
	return be.ReadBytes(b, at, bytesOf(out))
}

// PeekRecord is ReadRecord of a watched buffer, without waiting: see Backend.Peek.
func PeekRecord[T Record](be Backend, b *Buffer, at int) (T, error) {
	var rec [1]T
	err := be.Peek(b, at, bytesOf(rec[:]))
	return rec[0], err
}

// PeekRecords is ReadRecords of a watched buffer, without waiting.
func PeekRecords[T Record](be Backend, b *Buffer, at int, out []T) error {
	if err := fits(b, at, len(out)); err != nil {
		return err
	}
	return be.Peek(b, at, bytesOf(out))
}

func fits(b *Buffer, at, n int) error {
	if at < 0 || at+n > b.Len {
		return fmt.Errorf("kernel: buffer %s has %d elements, asked for %d..%d", b.Name, b.Len, at, at+n)
	}
	return nil
}

func bytesOf[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
