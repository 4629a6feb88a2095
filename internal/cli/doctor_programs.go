package cli

import (
	"context"
	"os/exec"
	"regexp"
	"time"
)

// programInfo is another program that work around a capture needs.
type programInfo struct {
	Name    string `json:"name"`
	For     string `json:"for"`
	Path    string `json:"path,omitempty"` // absent: not installed
	Version string `json:"version,omitempty"`
}

// programs looks for other programs and asks for their version.
func programs() []programInfo {
	list := []programInfo{
		{Name: "colmap", For: "finds the cameras of a folder of pictures"},
		{Name: "ffmpeg", For: "takes pictures from a video"},
	}
	for i, how := range []string{"help", "-version"} {
		p := &list[i]
		if path, err := exec.LookPath(p.Name); err == nil {
			p.Path = path
			p.Version = versionOf(path, how)
		}
	}
	return list
}

// patience is how long another program may take to tell its version.
const patience = 3 * time.Second

var versionPattern = regexp.MustCompile(`\d+(\.\d+)+[^\s,;)]*`)

// versionOf runs a program and returns the first version number that it prints, ""
// where there is none.
func versionOf(path, arg string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, arg)
	cmd.WaitDelay = patience
	text, _ := cmd.CombinedOutput() // some print their version and fail
	return versionPattern.FindString(string(text))
}
