package nerfstudio

import (
	"path"
	"strings"
)

// Split is a file's own division of its frames, as file paths; empty lists stand
// for absent ones.
type Split struct {
	Train []string `json:"train_filenames"`
	Val   []string `json:"val_filenames"`
	Test  []string `json:"test_filenames"`
}

// Empty reports whether the file divides nothing.
func (s Split) Empty() bool { return len(s.Train)+len(s.Val)+len(s.Test) == 0 }

// Role is what a frame is for.
type Role int

// The roles. Unused is a frame of a list that is not used, Unlisted one that the
// lists leave out.
const (
	Train Role = iota
	Test
	Unused
	Unlisted
)

// Roles answers what a frame is for, by its file_path.
type Roles struct {
	Held   string // the list that the test views are from, for a message; "" where there is none
	Unused string // a list that is not used, "" for none
	listed map[string]Role
	other  Role              // of the frames that no list names
	unseen map[string]string // names that no frame has had so far, as written
}

// Roles resolves the lists. Test views are those of test_filenames, else of
// val_filenames, else what train_filenames leaves. A frame that is in the training
// list too is for testing: what is scored must not have been trained on.
func (s Split) Roles() *Roles {
	r := &Roles{listed: map[string]Role{}, unseen: map[string]string{}, other: Train}
	held := s.Test
	switch {
	case len(s.Test) > 0:
		r.Held = "test_filenames"
		if len(s.Val) > 0 {
			r.Unused = "val_filenames"
		}
	case len(s.Val) > 0:
		r.Held, held = "val_filenames", s.Val
	case len(s.Train) > 0:
		r.Held, r.other = "the frames that train_filenames leaves", Test
	}
	if r.Unused != "" {
		r.add(s.Val, Unused)
	}
	r.add(s.Train, Train)
	r.add(held, Test)
	if len(s.Train) > 0 && len(held) > 0 {
		r.other = Unlisted
	}
	return r
}

// add gives the names of a list their role, over what earlier lists said.
func (r *Roles) add(names []string, role Role) {
	for _, n := range names {
		k := key(n)
		r.listed[k], r.unseen[k] = role, n
	}
}

// Of returns the role of the frame with that file_path.
func (r *Roles) Of(filePath string) Role {
	k := key(filePath)
	delete(r.unseen, k)
	if role, ok := r.listed[k]; ok {
		return role
	}
	return r.other
}

// Unmatched returns the listed names that Of was not asked for, in the order of
// the lists.
func (r *Roles) Unmatched(s Split) []string {
	var names []string
	for _, list := range [][]string{s.Train, s.Val, s.Test} {
		for _, n := range list {
			if r.unseen[key(n)] == n {
				names = append(names, n)
				delete(r.unseen, key(n))
			}
		}
	}
	return names
}

// Both returns the names that are listed for training and for testing.
func (r *Roles) Both(s Split) []string {
	var names []string
	for _, n := range s.Train {
		if r.listed[key(n)] == Test {
			names = append(names, n)
		}
	}
	return names
}

// key makes "./images/a.jpg", "images\a.jpg" and "images/a.jpg" one name.
func key(name string) string {
	return strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "/")
}
