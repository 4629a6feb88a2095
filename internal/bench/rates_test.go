package bench

import (
	"testing"

	"splat/internal/kernel/cpu"
)

func TestRates(t *testing.T) {
	be := cpu.New(cpu.Options{Threads: 2})
	defer be.Close()
	bytes, err := Bandwidth(be)
	if err != nil || bytes < 1e8 || bytes > 1e13 {
		t.Errorf("%g bytes a second, %v", bytes, err)
	}
	one, err := Arithmetic(1)
	if err != nil || one < 1e8 || one > 1e13 {
		t.Errorf("%g operations a second, %v", one, err)
	}
	small := cpu.New(cpu.Options{Threads: 1, MaxBytes: rateBytes})
	defer small.Close()
	if _, err := Bandwidth(small); err == nil {
		t.Error("twice the memory there is")
	}
}
