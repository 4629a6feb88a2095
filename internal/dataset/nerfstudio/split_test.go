package nerfstudio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	type roles map[string]Role
	for name, c := range map[string]struct {
		split          Split
		want           roles
		held, unused   string
		unmatched, two []string
	}{
		"none":        {Split{}, roles{"a": Train, "b": Train}, "", "", nil, nil},
		"empty lists": {Split{Train: []string{}, Val: []string{}}, roles{"a": Train}, "", "", nil, nil},
		"train and test": {Split{Train: []string{"./images/a.jpg", `images\b.jpg`}, Test: []string{"images/c.jpg"}},
			roles{"images/a.jpg": Train, "./images/b.jpg": Train, "images/c.jpg": Test, "images/d.jpg": Unlisted}, "test_filenames", "", nil, nil},
		"train and val":     {Split{Train: []string{"a"}, Val: []string{"b"}}, roles{"a": Train, "b": Test, "c": Unlisted}, "val_filenames", "", nil, nil},
		"all three":         {Split{Train: []string{"a"}, Val: []string{"b", "c"}, Test: []string{"c"}}, roles{"a": Train, "b": Unused, "c": Test}, "test_filenames", "val_filenames", nil, nil},
		"only train":        {Split{Train: []string{"a"}}, roles{"a": Train, "b": Test}, "the frames that train_filenames leaves", "", nil, nil},
		"only test":         {Split{Test: []string{"a"}}, roles{"a": Test, "b": Train}, "test_filenames", "", nil, nil},
		"val that trains":   {Split{Train: []string{"a", "b"}, Val: []string{"a"}, Test: []string{"c"}}, roles{"a": Train, "b": Train, "c": Test}, "test_filenames", "val_filenames", nil, nil},
		"both":              {Split{Train: []string{"a", "b"}, Test: []string{"b"}}, roles{"a": Train, "b": Test}, "test_filenames", "", nil, []string{"b"}},
		"names of no frame": {Split{Train: []string{"a", "z"}, Test: []string{"./y", "b"}}, roles{"a": Train, "b": Test}, "test_filenames", "", []string{"z", "./y"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.split.Roles()
			got := roles{}
			for path := range c.want {
				got[path] = r.Of(path)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("roles (-want +got)\n%s", d)
			}
			if r.Held != c.held || r.Unused != c.unused {
				t.Errorf("held %q, unused %q", r.Held, r.Unused)
			}
			if d := cmp.Diff(c.unmatched, r.Unmatched(c.split)); d != "" {
				t.Errorf("names of no frame (-want +got)\n%s", d)
			}
			if d := cmp.Diff(c.two, r.Both(c.split)); d != "" {
				t.Errorf("in both (-want +got)\n%s", d)
			}
		})
	}
}
