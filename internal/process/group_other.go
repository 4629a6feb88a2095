//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// isolate does nothing: a console's interrupt reaches the command by itself.
func isolate(*exec.Cmd) {}

func interrupt(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may have ended just now

func signalOf(*os.ProcessState) string { return "" }
