package cli

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"time"

	"splat/internal/backend"
	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/lab"
	"splat/internal/vec"
)

// originOf is what repeats a run: data, program and device. The capture's files that
// cannot be read are the training's to report; the record then has no fingerprint.
func originOf(cfg config.Run, capture *dataset.Capture, from int, now time.Time) lab.Origin {
	print, err := lab.FingerprintOf(capture)
	if err != nil {
		print.SHA256 = ""
	}
	return lab.Origin{Capture: lab.Capture{Path: absolute(capture.Path), Format: capture.Format, Fingerprint: print}, Sessions: []lab.Session{{
		From: from, Began: now.Format(time.RFC3339), Build: originBuild(), Device: originDevice(cfg), Args: os.Args[1:],
	}}}
}

func originBuild() lab.Build {
	b := build()
	return lab.Build{
		Version: version(), Commit: cmp.Or(b.Revision, "unknown"), Modified: b.Modified,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Settings: b.Settings,
	}
}

// originDevice is the device that the configuration means, as it is before the run
// opens it.
func originDevice(cfg config.Run) lab.Device {
	d := lab.Device{Path: vec.Path(), Threads: threadsOf(cfg)}
	choice, err := backend.Choose(cfg.Backend)
	if err != nil { // the run will say so
		return d
	}
	d.Word, d.Backend, d.Name = wordOf(choice), choice.Kind, choice.Name
	if choice.Kind == "cpu" {
		d.Name = processorName()
		return d
	}
	if devices, err := backend.Devices(); err == nil && choice.Index < len(devices) {
		info := devices[choice.Index]
		d.Driver, d.DriverVersion, d.API = info.Driver, info.DriverVersion, fmt.Sprint(info.API)
	}
	return d
}
