package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommittedFilesAreCurrent(t *testing.T) {
	a, err := readFile("vulkan.txt")
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate(a)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Errorf("%s is not what the list says: run go generate ./internal/vk\n%s", name, d)
		}
	}
}

func TestRunWritesFiles(t *testing.T) {
	dir := t.TempDir()
	if err := run("vulkan.txt", dir, false); err != nil {
		t.Fatal(err)
	}
	got, err := filepath.Glob(filepath.Join(dir, "zz_*.go"))
	if err != nil || len(got) != 4 {
		t.Errorf("%v, %v", got, err)
	}
}

// Padding is written where C has it: between members and at the end.
func TestPadding(t *testing.T) {
	a, err := parse("struct VkA\n\tuint32_t a\n\tconst void* p\n\tuint8_t b[3]\n\tVkResult r\nstruct VkB\n\tVkA a[2]\n\tfloat type\n")
	if err != nil {
		t.Fatal(err)
	}
	text, err := structsFile(a)
	if err != nil {
		t.Fatal(err)
	}
	want := header + `// a is VkA.
type a struct {
	a uint32
	_ [4]byte
	p uintptr
	b [3]byte
	_ [1]byte
	r int32
}

// b is VkB.
type b struct {
	a   [2]a
	typ float32
	_   [4]byte
}
`
	if d := cmp.Diff(want, strings.TrimRight(string(text), "\n")+"\n"); d != "" {
		t.Error(d)
	}
}

func TestWrapper(t *testing.T) {
	a, err := parse("handle VkDevice\nnull VkAllocationCallbacks\n" +
		"func device VkResult vkDo(VkDevice device, const char* pName, size_t* n, void** data, const VkAllocationCallbacks* pAllocator, VkDevice* out)\n")
	if err != nil {
		t.Fatal(err)
	}
	text, err := functionsFile(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"func (f *deviceFuncs) do(device uint64, pName *byte, n *uint64, data *unsafe.Pointer, out *uint64) int32 {",
		"return int32(call(f.vkDo, uintptr(device), uintptr(unsafe.Pointer(pName)), uintptr(unsafe.Pointer(n)), uintptr(unsafe.Pointer(data)), 0, uintptr(unsafe.Pointer(out))))",
		`{"vkDo", &f.vkDo, false},`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestMistakesInTheList(t *testing.T) {
	params := strings.Repeat("uint32_t x, ", maxParams) + "uint32_t y"
	for list, want := range map[string]string{
		"\nconst VK_X seven":                        "2: constant VK_X",
		"struct VkA VK_TYPE_A":                      "1: struct",
		"struct VkA VK_TYPE_A x":                    "1: struct VkA",
		"struct VkA\nstruct VkA":                    "2: struct VkA appears twice",
		"\tuint32_t a":                              "1: field",
		"struct VkA\n\tuint32_t":                    "2: \"uint32_t\", expected",
		"union VkA":                                 "1: \"union\"",
		"func all void vkA(VkA a)":                  "1: func",
		"func device void vkA(" + params + ")":      "1: vkA: 13 parameters",
		"struct VkA\n\tVkNone a":                    "VkA.a: unknown type \"VkNone\"",
		"func device void vkA(const VkNone* pNone)": "vkA: pNone: unknown type \"VkNone\"",
	} {
		a, err := parse(list)
		if err == nil {
			_, err = generate(a)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", list, err, want)
		}
	}
}
