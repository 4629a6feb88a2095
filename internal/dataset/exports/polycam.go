package exports

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"strings"

	"splat/internal/archive"
	"splat/internal/dataset/nerfstudio"
	"splat/internal/fault"
)

// polycamFolders are where Polycam's raw export has cameras; those that it has
// optimised come first.
var polycamFolders = []string{"keyframes/corrected_cameras", "corrected_cameras", "keyframes/cameras", "cameras"}

func findPolycam(dir string) string {
	for _, name := range polycamFolders {
		if len(cameraNames(filepath.Join(dir, filepath.FromSlash(name)))) > 0 {
			return name
		}
	}
	return ""
}

// cameraNames lists the JSON files of a folder.
func cameraNames(dir string) []string {
	entries, _ := archive.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if n := e.Name(); !e.IsDir() && !strings.HasPrefix(n, ".") && strings.EqualFold(filepath.Ext(n), ".json") {
			names = append(names, n)
		}
	}
	return names
}

// readPolycam reads a folder of cameras: a JSON file for each picture, which has the
// same name in the folder of images beside it.
func readPolycam(dir, name string) (*nerfstudio.File, error) {
	images := strings.TrimSuffix(name, "cameras") + "images"
	var frames []nerfstudio.Given
	for _, n := range cameraNames(dir) {
		data, err := readFile(filepath.Join(dir, n))
		if err != nil {
			return nil, err
		}
		g, err := polycamFrame(data)
		if err != nil {
			return nil, fault.Dataf("%s: %w", filepath.Join(dir, n), err)
		}
		g.FilePath = path.Join(images, strings.TrimSuffix(n, filepath.Ext(n)))
		frames = append(frames, g)
	}
	return nerfstudio.Build(dir, frames), nil
}

// polycamFrame reads one camera: fx fy cx cy width height and the rows t_00 to t_23 of
// a camera-to-world matrix, y up.
func polycamFrame(data []byte) (g nerfstudio.Given, err error) {
	var raw map[string]any
	if err := json.Unmarshal(nerfstudio.Tolerant(data), &raw); err != nil {
		return g, fmt.Errorf("not valid JSON: %w", err)
	}
	g.Values = map[string]float64{}
	for name, key := range map[string]string{"fx": "fl_x", "fy": "fl_y", "cx": "cx", "cy": "cy", "width": "w", "height": "h"} {
		v, ok := raw[name]
		if !ok {
			return g, fmt.Errorf("no %s, expected a camera of Polycam", name)
		}
		g.Values[key] = real(v)
	}
	for r := range 3 {
		for c := range 4 {
			name := fmt.Sprintf("t_%d%d", r, c)
			v, ok := raw[name]
			if !ok {
				return g, fmt.Errorf("no %s, expected t_00 to t_23", name)
			}
			g.Matrix[r][c] = real(v)
		}
	}
	return g, nil
}

// real is a JSON value as a number, NaN for others.
func real(v any) float64 {
	if x, ok := v.(float64); ok {
		return x
	}
	return math.NaN()
}
