package vec

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// The variable that turns instructions off must work: it is how users and tests
// get the plain path.
func TestInstructionsCanBeTurnedOff(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("only amd64 has a choice")
	}
	if os.Getenv("VEC_PATH") != "" {
		t.Log("path " + Path())
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestInstructionsCanBeTurnedOff$", "-test.v")
	cmd.Env = append(os.Environ(), "VEC_PATH=1", "GODEBUG=cpu.avx2=off")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "path "+PathGo+"\n") {
		t.Errorf("%v: %s", err, out)
	}
}
