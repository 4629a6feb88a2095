package process

import "syscall"

// endWithParent makes the system terminate the command where this process is killed.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGTERM }
