package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/lab"
	"splat/internal/splatio"
)

// model is a splat file that was read, with the run it belongs to.
type model struct {
	path   string
	cloud  *gaussian.Cloud
	info   *splatio.Info
	record *lab.Record // nil where it is no run's
}

// openModel reads a splat file, or that of a run folder.
func openModel(path string) (*model, error) {
	path, err := localSplats(path)
	if err != nil {
		return nil, err
	}
	m := &model{path: path}
	dir := lab.Owner(path)
	if lab.Is(path) {
		dir = path
	}
	if dir != "" {
		record, err := lab.Open(dir)
		if err != nil {
			return nil, err
		}
		m.record, m.path = record, record.Model
	}
	m.cloud, m.info, err = splatio.Read(m.path)
	return m, err
}

// openSplats is openModel for commands to which the run means nothing: they read
// its splats also where its configuration cannot be read, or is another version's.
func openSplats(path string) (*model, error) {
	path, err := splatsOf(path)
	if err != nil {
		return nil, err
	}
	m := &model{path: path}
	m.cloud, m.info, err = splatio.Read(path)
	return m, err
}

// splatsOf is the splat file that a path means: of a run folder its splats, else
// the path itself.
func splatsOf(path string) (string, error) {
	if path == "" || !lab.Is(path) {
		return localSplats(path)
	}
	file := filepath.Join(path, lab.ModelFile)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return "", fault.Dataf("%s: the run has no %s", path, lab.ModelFile)
	}
	return file, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// settings returns, as --set arguments, what belongs to the splats rather than to
// how they are looked at.
func (m *model) settings() []string {
	if m.record == nil {
		return []string{"model.antialiased=" + strconv.FormatBool(m.cloud.Antialiased)}
	}
	cfg := m.record.Config
	return []string{
		"model.antialiased=" + strconv.FormatBool(cfg.Model.Antialiased),
		"model.near=" + strconv.FormatFloat(cfg.Model.Near, 'g', -1, 64),
		"train.background=" + cfg.Train.Background,
	}
}

// lines says what is measured or drawn, and on what.
func (m *model) lines(cfg config.Run) []string {
	mode := ""
	if cfg.Model.Antialiased {
		mode = ", antialiased"
	}
	out := []string{fmt.Sprintf("splats: %s (%d, SH degree %d%s), background %s", m.path, m.cloud.Len(), m.cloud.SHDegree, mode, cfg.Train.Background)}
	for _, w := range m.info.Warnings {
		out = append(out, "warning: "+w)
	}
	return out
}
