//go:build unix && !linux

package process

import "syscall"

// endWithParent does nothing: these systems cannot be asked for it.
func endWithParent(*syscall.SysProcAttr) {}
