package shaders

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Manifest says what the files in spv/ were made of.
type Manifest struct {
	Compiler string   `json:"compiler"`
	Flags    []string `json:"flags"`
	Files    []Entry  `json:"files"`
}

// Entry is one file of spv/.
type Entry struct {
	File    string            `json:"file"` // without the extension
	Source  string            `json:"source"`
	Defines []string          `json:"defines,omitempty"`
	SHA256  string            `json:"sha256"`
	Sources map[string]string `json:"sources"` // path below shaders/ to SHA-256, includes too
}

//go:embed manifest.json
var manifest []byte

// ReadManifest returns the committed manifest.
func ReadManifest() (*Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, fmt.Errorf("shaders: manifest.json: %w", err)
	}
	return &m, nil
}
