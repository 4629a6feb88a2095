package house

import "testing"

func TestEverythingExportedIsExplained(t *testing.T) { none(t, repository(t).Undocumented(), nil) }

func TestPlantedComments(t *testing.T) {
	tree := plant(t, map[string]string{
		"a/a.go": `// Package a is good.
package a

// The limits.
const (
	Lo = 0
	Hi = 1
)

var Free int // has a comment behind it

// A Good is explained.
type Good[T any] struct{ Field T }

// Do is explained.
func (g *Good[T]) Do() {}

type hidden int

func (hidden) Exported() {}

func unexported() {}
`,
		"b/b.go": `package b

const Bare = 1

type (
	// Explained is.
	Explained int
	Forgotten int
)

func Func() {}

func (e Explained) Method() {}

// Says something about another name.
func Wrong() {}
`,
		"b/b_test.go":       "package b\n\nfunc Helper() {}\n",
		"c/one.go":          "// Package c is described here.\npackage c\n",
		"c/two.go":          "// Package c is described here too.\npackage c\n",
		"cmd/x/main.go":     "// Command x does.\npackage main\n",
		"only/only_test.go": "package only\n",
	})
	some(t, tree.Undocumented(), nil,
		"b: 0 package comments", "c: 2 package comments",
		"Bare has no comment", "Forgotten has no comment", "Func has no comment", "Method has no comment",
		`the comment of Wrong begins with "Says"`,
	)
}
