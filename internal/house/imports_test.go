package house

import "testing"

func TestImports(t *testing.T) {
	tree := repository(t)
	none(t, tree.BreachedLayers(Layers), nil)
	none(t, tree.BreachedOwners(Owners), nil)
	none(t, tree.BreachedWalls(Walls), nil)
	none(t, tree.UnknownNames(Layers, Walls, Planned), nil)
}

func TestEveryRuleHasAReason(t *testing.T) {
	for _, l := range Layers {
		if l.Of == "" || l.Why == "" {
			t.Errorf("%+v: a rule without subject or reason", l)
		}
	}
	for _, o := range Owners {
		if o.What == "" || o.Why == "" {
			t.Errorf("%+v: a rule without subject or reason", o)
		}
	}
	for _, w := range Walls {
		if w.From == "" || w.To == "" || w.Why == "" {
			t.Errorf("%+v: a rule without subject or reason", w)
		}
	}
}

// The real rules, on a tree that breaks them.
func TestPlantedImports(t *testing.T) {
	tree := plant(t, map[string]string{
		"cmd/splat/main.go":                    `package main; import _ "splat/internal/cli"`,
		"internal/cli/cli.go":                  `package cli; import (_ "github.com/spf13/cobra"; _ "splat/internal/train")`,
		"internal/train/train.go":              `package train; import (_ "github.com/spf13/cobra"; _ "splat/internal/cli"; _ "splat/internal/pipeline")`,
		"internal/train/train_test.go":         `package train; import (_ "testing"; _ "splat/internal/house")`,
		"internal/pipeline/p.go":               `package pipeline; import _ "splat/internal/kernel"`,
		"internal/kernel/k.go":                 `package kernel; import (_ "C"; _ "unsafe")`,
		"internal/kernel/vulkan/v.go":          `package vulkan; import (_ "splat/internal/kernel"; _ "splat/internal/vk")`,
		"internal/vk/vk.go":                    `package vk; import _ "github.com/ebitengine/purego"`,
		"internal/geom/g_windows.go":           `package geom; import _ "splat/internal/fault"`,
		"internal/fault/f.go":                  `package fault; import _ "testing"`,
		"internal/dataset/colmap/c.go":         `package colmap; import _ "splat/internal/splatio/ply"`,
		"internal/splatio/ply/p.go":            `package ply; import _ "splat/internal/gaussian"`,
		"internal/gaussian/g.go":               `package gaussian; import _ "splat/internal/metrics/fast"`,
		"internal/metrics/fast/f.go":           `package fast; import _ "splat/internal/kernel"`,
		"internal/house/h.go":                  `package house`,
		"internal/house/testdata/src/x/x.go":   `package x; import _ "splat/internal/cli"`,
		"internal/kernel/kerneltest/k_test.go": `package kerneltest; import _ "splat/internal/cli"`,
	})
	some(t, tree.BreachedLayers(Layers), nil,
		"internal/train imports internal/cli",
		"internal/geom imports internal/fault",
		"internal/dataset/colmap imports internal/splatio/ply",
		"internal/gaussian imports internal/metrics/fast",
		"internal/metrics/fast has no place",
	)
	some(t, tree.BreachedOwners(Owners), nil,
		"internal/train imports github.com/spf13/cobra",
		"internal/kernel imports C",
		"internal/fault imports testing",
	)
	some(t, tree.BreachedWalls(Walls), nil,
		"internal/train -> internal/cli:",
		"internal/gaussian -> internal/metrics/fast -> internal/kernel:",
		"internal/splatio/ply -> internal/gaussian -> internal/metrics/fast -> internal/kernel:",
		"internal/dataset/colmap -> internal/splatio/ply -> internal/gaussian -> internal/metrics/fast -> internal/kernel:",
	)
}

func TestWallsFindCircles(t *testing.T) {
	tree := plant(t, map[string]string{
		"a/a.go": `package a; import _ "splat/b"`,
		"b/b.go": `package b; import _ "splat/a"`,
		"c/c.go": `package c`,
	})
	none(t, tree.BreachedWalls([]Wall{{"a", "c", "no way there"}}), nil)
	some(t, tree.BreachedWalls([]Wall{{"a", "a", "no way back"}}), nil, "a -> b -> a: no way back")
}

func TestRulesAboutNothing(t *testing.T) {
	tree := plant(t, map[string]string{"internal/a/a.go": "package a"})
	layers := []Layer{{"internal/a internal/gone", "internal/later/...", "order"}}
	some(t, tree.UnknownNames(layers, []Wall{{"internal/...", "cmd/gone", "order"}}, "internal/later"), nil,
		"names internal/gone", "names cmd/gone")
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		patterns, path string
		want           bool
	}{
		{"a b/...", "a", true},
		{"a b/...", "a/c", false},
		{"a b/...", "b", true},
		{"a b/...", "b/c/d", true},
		{"a b/...", "bc", false},
		{"", "a", false},
	} {
		if got := matches(c.patterns, c.path); got != c.want {
			t.Errorf("%q matches %q: %v, expected %v", c.patterns, c.path, got, c.want)
		}
	}
}
