package shaders

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// tool skips a test where a program is missing, unless it must be there.
func tool(t *testing.T, name, debian string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("SPLAT_REQUIRE_VULKAN") == "1" {
		t.Fatalf("SPLAT_REQUIRE_VULKAN=1 and no %s (Debian: apt-get install %s)", name, debian)
	}
	t.Skipf("no %s here (Debian: apt-get install %s)", name, debian)
}

func TestValidatorAccepts(t *testing.T) {
	tool(t, "spirv-val", "spirv-tools")
	for _, b := range Builds() {
		if out, err := exec.Command("spirv-val", "--target-env", "vulkan1.1", "spv/"+b.File()+".spv").CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", b.File(), err, out)
		}
	}
	damaged := t.TempDir() + "/damaged.spv"
	code := change(t, mustCode(t, "project", ""), opDecorate, []uint32{0, decorArrayStride}, 3, 2)
	if err := os.WriteFile(damaged, code, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("spirv-val", "--target-env", "vulkan1.1", damaged).Run(); err == nil {
		t.Error("spirv-val accepts arrays of overlapping elements")
	}
}

// Metal has atomics on memory of the device and of a threadgroup, nowhere else.
var (
	metalAtomic = regexp.MustCompile(`\batomic_\w+`)
	metalFirst  = regexp.MustCompile(`^\(\((?:volatile )?(?:device|threadgroup) atomic_\w+\*\)`)
	metalSpace  = regexp.MustCompile(`\b(?:device|threadgroup) $`)
)

// atomicsElsewhere lists atomics of a Metal source on other memory and counts the
// operations.
func atomicsElsewhere(source string) (wrong []string, operations int) {
	for n, line := range strings.Split(source, "\n") {
		for _, at := range metalAtomic.FindAllStringIndex(line, -1) {
			name, rest := line[at[0]:at[1]], line[at[1]:]
			if name == "atomic_thread_fence" {
				continue
			}
			ok := metalSpace.MatchString(line[:at[0]]) // a type
			if strings.HasPrefix(rest, "(") {
				operations++
				ok = metalFirst.MatchString(rest)
			}
			if !ok {
				wrong = append(wrong, fmt.Sprintf("line %d: %s", n+1, strings.TrimSpace(line)))
			}
		}
	}
	return wrong, operations
}

// Every shader has a translation for Metal 2.1, whose atomics are where Metal has them.
func TestMetalTranslation(t *testing.T) {
	tool(t, "spirv-cross", "spirv-cross")
	operations := 0
	for _, b := range Builds() {
		out, err := exec.Command("spirv-cross", "--msl", "--msl-version", "20100", "spv/"+b.File()+".spv").CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", b.File(), err, out)
			continue
		}
		wrong, n := atomicsElsewhere(string(out))
		operations += n
		for _, w := range wrong {
			t.Errorf("%s: an atomic operation on neither device nor threadgroup memory, %s", b.File(), w)
		}
	}
	if operations == 0 {
		t.Error("no shader has an atomic operation: the check is blind")
	}
}

func TestAtomicsElsewhereAreFound(t *testing.T) {
	for _, c := range []struct {
		text       string
		ok         bool
		operations int
	}{
		{"uint a = atomic_fetch_add_explicit((device atomic_uint*)&b._m0[i], 1u, memory_order_relaxed);", true, 1},
		{"uint a = atomic_load_explicit((volatile threadgroup atomic_uint*)&b, memory_order_relaxed);", true, 1},
		{"uint a = atomic_fetch_add_explicit((thread atomic_uint*)&b, 1u, memory_order_relaxed);", false, 1},
		{"uint a = atomic_fetch_add_explicit(&b, 1u, memory_order_relaxed);", false, 1},
		{"atomic_store_explicit((constant atomic_uint*)&b, atomic_load_explicit((device atomic_uint*)&c, x), x);", false, 2},
		{"thread atomic_uint a;", false, 0},
		{"device atomic_uint& a", true, 0},
		{"not_atomic_uint a;", true, 0},
		{"atomic_thread_fence(mem_flags::mem_device, memory_order_relaxed);", true, 0},
	} {
		wrong, n := atomicsElsewhere(c.text)
		if (len(wrong) == 0) != c.ok || n != c.operations {
			t.Errorf("%s: %q and %d operations, expected ok %t and %d", c.text, wrong, n, c.ok, c.operations)
		}
	}
}
