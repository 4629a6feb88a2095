package kernel

import (
	"slices"
	"strings"
	"testing"
)

// panics runs f and returns what it panicked with, as text; empty if it did not.
func panics(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text, _ = r.(string)
			if text == "" {
				text = "panic without text"
			}
		}
	}()
	f()
	return ""
}

// trial defines a kernel and takes the definition back.
func trial(name, bindings, constants string) (c *Contract, text string) {
	before := slices.Clone(registry)
	defer func() { registry = before }()
	text = panics(func() { c = define(name, 64, bindings, constants) })
	return c, text
}

func TestDefine(t *testing.T) {
	c, text := trial("trial", "a:u32:r b:real:w c:Step:rw", "x y")
	if text != "" {
		t.Fatal(text)
	}
	want := []Binding{{"a", U32, Read}, {"b", Real, Write}, {"c", "Step", ReadWrite}}
	if !slices.Equal(c.Bindings, want) || !slices.Equal(c.Constants, []string{"x", "y"}) || c.Group != 64 {
		t.Errorf("read %+v", c)
	}
	if c.Index("b") != 1 || c.Index("z") != -1 {
		t.Errorf("b is binding %d, z is %d", c.Index("b"), c.Index("z"))
	}
	if Lookup("trial") != nil {
		t.Error("the trial is still registered")
	}
}

func TestDefineRefusesMalformedContracts(t *testing.T) {
	for name, c := range map[string]struct{ kernel, bindings, say string }{
		"two parts":      {"trial", "a:u32", `"a:u32" is not name:element:access`},
		"four parts":     {"trial", "a:u32:r:w", "is not name:element:access"},
		"unknown access": {"trial", "a:u32:x", "unknown access"},
		"no access":      {"trial", "a:u32:", "unknown access"},
		"too many":       {"trial", strings.Repeat("a:u32:r ", MaxBindings+1), "13 bindings, at most 12"},
		"twice":          {"begin", "a:u32:r", "defined twice"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, text := trial(c.kernel, c.bindings, ""); !strings.Contains(text, c.say) || !strings.Contains(text, c.kernel) {
				t.Errorf("said %q, want %q with the kernel's name", text, c.say)
			}
		})
	}
}

// TestContractsAreSound checks what define cannot see: element types exist, names
// are unique, and something is written.
func TestContractsAreSound(t *testing.T) {
	if len(Contracts()) < 30 {
		t.Fatalf("only %d kernels", len(Contracts()))
	}
	for _, c := range Contracts() {
		if Lookup(c.Name) != c {
			t.Errorf("%s: not found by name", c.Name)
		}
		if c.Group < 1 || c.Group > 256 {
			t.Errorf("%s: workgroups of %d; every device allows 1..256", c.Name, c.Group)
		}
		names, writes := map[string]bool{}, false
		for _, b := range c.Bindings {
			if b.Elem.Size() == 0 {
				t.Errorf("%s: %s has the unknown element %q", c.Name, b.Name, b.Elem)
			}
			if names[b.Name] {
				t.Errorf("%s: two bindings are called %s", c.Name, b.Name)
			}
			names[b.Name], writes = true, writes || b.Access.Writes()
		}
		if !writes {
			t.Errorf("%s writes nothing", c.Name)
		}
	}
}

func TestContractsAreACopy(t *testing.T) {
	Contracts()[0] = nil
	if Contracts()[0] == nil {
		t.Error("a caller can change the registry")
	}
}

func TestAccess(t *testing.T) {
	for a, want := range map[Access][2]bool{Read: {true, false}, Write: {false, true}, ReadWrite: {true, true}} {
		if got := [2]bool{a.Reads(), a.Writes()}; got != want {
			t.Errorf("access %d reads and writes: %v, want %v", a, got, want)
		}
	}
}

// TestElementSizes holds the layout that shaders are generated from: all fields 4
// bytes wide, no padding.
func TestElementSizes(t *testing.T) {
	for elem, want := range map[Elem]int{
		U32: 4, Real: 4, "Control": 48, "Refine": 64, "Stats": 32, "View": 4 * 22, "Unknown": 0,
	} {
		if got := elem.Size(); got != want {
			t.Errorf("%s takes %d bytes, want %d", elem, got, want)
		}
	}
	for elem, size := range recordSizes {
		if size%4 != 0 {
			t.Errorf("%s takes %d bytes", elem, size)
		}
	}
}

// TestBytesAreWide is the arithmetic of 12 million splats of degree 3 (2.3 GB) and
// of more pairs than 32 bits count.
func TestBytesAreWide(t *testing.T) {
	for _, c := range []struct {
		n    int
		elem Elem
		want int64
	}{
		{12_000_000 * 48, Real, 2_304_000_000},
		{3_000_000_000, U32, 12_000_000_000},
		{3_000_000_000 * SlotRow, Real, 144_000_000_000},
	} {
		if got := (&Buffer{Elem: c.elem, Len: c.n}).Bytes(); got != c.want {
			t.Errorf("%d x %s: %d bytes, want %d", c.n, c.elem, got, c.want)
		}
	}
}
