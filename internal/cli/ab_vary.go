package cli

import (
	"fmt"
	"slices"
	"strings"

	"splat/internal/config"
	"splat/internal/fault"
)

// presetKey stands for the preset among the keys that ab varies.
const presetKey = "preset"

// vary is the argument of --vary.
type vary struct {
	key      string
	values   [2]string // as typed
	settings [2]config.Setting
}

// parseVary reads KEY=A,B, or KEY=A;B where values hold commas.
func parseVary(arg string) (vary, error) {
	if arg == "" {
		return vary{}, fault.Usagef("nothing to compare: name a setting and its two values, --vary KEY=A,B")
	}
	key, text, ok := strings.Cut(arg, "=")
	v := vary{key: strings.TrimSpace(key)}
	if !ok || v.key == "" {
		return v, fault.Usagef("--vary %s: expected KEY=A,B", arg)
	}
	if strings.HasPrefix(v.key, "output.") {
		return v, fault.Usagef("--vary %s: %s is no setting of a run; --out names the folder of the record", arg, v.key)
	}
	separator := ","
	if strings.Contains(text, ";") {
		separator = ";"
	}
	values := strings.Split(text, separator)
	if len(values) != 2 {
		return v, fault.Usagef("--vary %s: found %s, expected two, A%sB; where values hold commas, A;B", arg, plural(len(values), "value"), separator)
	}
	for i, value := range values {
		v.values[i] = strings.TrimSpace(value)
		if v.key == presetKey {
			continue
		}
		s, err := config.ParseSet(v.key + "=" + v.values[i])
		if err != nil {
			return v, fault.Usagef("%s", strings.Replace(err.Error(), "--set "+v.key+"="+v.values[i], "--vary "+arg, 1))
		}
		s.Origin = "--vary " + arg
		v.settings[i] = s
	}
	return v, nil
}

// abConfigs resolves the configurations of both arms.
func (a *app) abConfigs(from configFlags, v vary, args []string) (out [2]config.Run, err error) {
	if err := a.checkVaried(from, v, args); err != nil {
		return out, err
	}
	for i := range out {
		src := config.Source{Preset: from.preset, File: from.file, Set: from.set}
		if len(args) > 0 {
			src.Flags = append(src.Flags, config.Setting{Key: "data.path", Value: args[0], Origin: "DATA"})
		}
		if v.key == presetKey {
			src.Preset = v.values[i]
		} else {
			src.Flags = append(src.Flags, v.settings[i])
		}
		if src.Preset == "" && src.File == "" {
			src.Set = append([]string{fmt.Sprintf("train.steps=%d", abSteps)}, src.Set...)
		}
		if out[i], err = a.resolve(src); err != nil {
			return out, err
		}
		out[i].Output, out[i].Parent = config.Output{}, ""
	}
	return out, nil
}

// checkVaried refuses a key that is varied and also set for both arms.
func (a *app) checkVaried(from configFlags, v vary, args []string) error {
	given := given(from.set, a.flags)
	given["data.path"] = given["data.path"] || len(args) > 0
	given[presetKey] = from.preset != ""
	if given[v.key] {
		return fault.Usagef("--vary %s=%s,%s: %s is also set for both; leave that out", v.key, v.values[0], v.values[1], v.key)
	}
	if v.key == presetKey {
		for _, name := range v.values {
			if !slices.Contains(config.Presets(), name) {
				return fault.Usagef("--vary preset=%s,%s: found preset %q, expected one of %s", v.values[0], v.values[1], name, join(config.Presets(), ", "))
			}
		}
	}
	return nil
}

// keepsBytes reports whether a setting must not change the splats, whatever its value.
func keepsBytes(key string) bool {
	switch key {
	case "backend.variants.raster": // a precision
		return false
	case "backend.in_flight", "backend.sync", "backend.record", "backend.targets", "backend.image_budget",
		"backend.threads", "backend.profile", "backend.check",
		"eval.every", "eval.limit_test", "eval.skip", "train.log_every", "train.save_every":
		return true
	}
	return strings.HasPrefix(key, "backend.variants.")
}
