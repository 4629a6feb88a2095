package sweep

import (
	"fmt"
	"strings"

	"splat/internal/config"
)

// maxName is the length from which a name is cut: file systems take 255 bytes, and
// logs and temporary files add to it.
const maxName = 150

// nameCases gives every case a name that says what it sets, as short as is clear.
func nameCases(cases []Case, axes []Axis) {
	labels := Labels(cases)
	taken := map[string]bool{}
	for i := range cases {
		c := &cases[i]
		var parts []string
		named := c.Name != ""
		if named {
			parts = append(parts, c.Name)
		}
		for _, v := range c.Values {
			if named && !varies(axes, v.Key) {
				continue // the list's name stands for it
			}
			parts = append(parts, labels[v.Key]+"="+v.Text)
		}
		c.Name = unique(folderName(strings.Join(parts, ",")), taken)
	}
}

func varies(axes []Axis, key string) bool {
	for _, a := range axes {
		if a.Key == key {
			return true
		}
	}
	return false
}

// Labels returns a short name for every key that a case sets: that of its flag, else
// its last part where that is clear, else the key.
func Labels(cases []Case) map[string]string {
	labels, owners := map[string]string{}, map[string]string{}
	for _, c := range cases {
		for _, v := range c.Values {
			short := shortName(v.Key)
			if other, ok := owners[short]; ok && other != v.Key {
				labels[v.Key], labels[other] = v.Key, other
				continue
			}
			owners[short] = v.Key
			if labels[v.Key] == "" {
				labels[v.Key] = short
			}
		}
	}
	return labels
}

func shortName(key string) string {
	if f, ok := config.Lookup(key); ok && f.Flag != "" {
		return f.Flag
	}
	return key[strings.LastIndexByte(key, '.')+1:]
}

// folderName replaces what is awkward in a folder's name or on a command line.
func folderName(s string) string {
	name := strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f && !strings.ContainsRune(`/\:*?"'<>|$&;!()[]{}~#%^`+"`", r) {
			return r
		}
		return '_'
	}, s)
	if len(name) > maxName {
		name = name[:maxName]
	}
	name = strings.Trim(name, ". ")
	if name == "" {
		return "run"
	}
	return name
}

// unique adds a number to a name that is taken. Upper and lower case are the same to
// some file systems.
func unique(name string, taken map[string]bool) string {
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try = fmt.Sprintf("%s-%d", name, n)
		}
		if key := strings.ToLower(try); !taken[key] {
			taken[key] = true
			return try
		}
	}
}

// nameCaptures returns a name for each capture.
func nameCaptures(captures []Capture) (names []string) {
	taken := map[string]bool{}
	for _, c := range captures {
		names = append(names, unique(folderName(c.Name), taken))
	}
	return names
}
