package config

import "testing"

// The example configuration says the same as the preset, but for what belongs to the
// capture.
func TestBrushConfigurationIsThePreset(t *testing.T) {
	preset, err := Resolve(Source{Preset: "brush"})
	if err != nil {
		t.Fatal(err)
	}
	file, err := Resolve(Source{File: "../../configs/lego-brush-30k.toml"})
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{"data.path": true, "train.background": true, "eval.every": true, "model.max_splats": true}
	for _, c := range Compare(Values(preset), file) {
		if !own[c.Key] {
			t.Errorf("preset -> file: %s", c)
		}
	}
	if preset.Strategy.Name != "adc" || preset.Strategy.OpacityDecay != 0.004 || preset.Optim.LROpacities != 0.012 || preset.Loss.OpacityReg != 0 {
		t.Errorf("the preset is not Brush's: %+v, %+v", preset.Strategy, preset.Optim)
	}
}
