package shaders

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/kernel"
)

// goRecords are the structs behind the element names of contracts.
var goRecords = map[kernel.Elem]reflect.Type{
	"Control": reflect.TypeFor[kernel.Control](), "Schedule": reflect.TypeFor[kernel.Schedule](),
	"View": reflect.TypeFor[kernel.View](), "Step": reflect.TypeFor[kernel.Step](),
	"Refine": reflect.TypeFor[kernel.Refine](), "Stats": reflect.TypeFor[kernel.Stats](),
}

// goShape is module.shape of a Go type, as Go lays it out.
func goShape(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Uint32:
		return "u32"
	case reflect.Float32:
		return "f32"
	case reflect.Array:
		return fmt.Sprintf("%s[%d] every %d", goShape(t.Elem()), t.Len(), t.Elem().Size())
	case reflect.Struct:
		var b strings.Builder
		for i := range t.NumField() {
			fmt.Fprintf(&b, "%d %s\n", t.Field(i).Offset, goShape(t.Field(i).Type))
		}
		return b.String()
	}
	return t.String() + " has no place in a record"
}

// blockShapes lists how a block that holds a buffer of e may look.
func blockShapes(e kernel.Elem) []string {
	switch e {
	case kernel.U32:
		return []string{"0 u32[] every 4\n"}
	case kernel.Real:
		return []string{"0 f32[] every 4\n", "0 f32x4[] every 16\n"}
	}
	t := goRecords[e]
	if t == nil {
		return nil
	}
	return []string{"0 " + goShape(t) + "\n", fmt.Sprintf("0 %s[] every %d\n", goShape(t), t.Size())}
}

// against lists where a build's module departs from its contract.
func against(b Build, code []byte) (wrong []string) {
	c := kernel.Lookup(b.Kernel)
	m, err := parse(code)
	if err != nil {
		return []string{err.Error()}
	}
	if fmt.Sprint(m.entries) != fmt.Sprint([]uint32{modelCompute}) {
		wrong = append(wrong, fmt.Sprintf("entry points of models %v, expected one for compute", m.entries))
	}
	if want := []uint32{uint32(c.Group), 1, 1}; fmt.Sprint(m.size) != fmt.Sprint(want) {
		wrong = append(wrong, fmt.Sprintf("workgroup %v, expected %v", m.size, want))
	}
	for _, v := range m.variables {
		switch v.storage {
		case storageBuffer, storageUniform:
			wrong = append(wrong, m.bindingAgainst(c, v)...)
		case storagePush:
			wrong = append(wrong, m.pushedAgainst(c, v)...)
		}
	}
	return append(wrong, m.specialsAgainst(b, c)...)
}

func (m *module) bindingAgainst(c *kernel.Contract, v variable) (wrong []string) {
	n, bound := m.decor[v.id][decorBinding]
	if !bound || int(n) >= len(c.Bindings) {
		return []string{fmt.Sprintf("binding %d, expected less than %d", n, len(c.Bindings))}
	}
	b := c.Bindings[n]
	bad := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("binding %d (%s): ", n, b.Name)+fmt.Sprintf(format, args...))
	}
	if s, ok := m.decor[v.id][decorSet]; !ok || s != 0 || v.storage != storageBuffer {
		bad("set %d, storage class %d; expected a storage buffer of set 0", s, v.storage)
	}
	if got, want := m.marked(v, decorNonWritable), b.Access == kernel.Read; got != want {
		bad("NonWritable %t, expected %t", got, want)
	}
	if got, want := m.marked(v, decorNonReadable), b.Access == kernel.Write; got != want {
		bad("NonReadable %t, expected %t", got, want)
	}
	got, want := m.shape(v.block), blockShapes(b.Elem)
	if !slices.Contains(want, got) {
		bad("layout of %s, - expected + found:\n%s", b.Elem, cmp.Diff(strings.Join(want, "or\n"), got))
	}
	return wrong
}

func (m *module) pushedAgainst(c *kernel.Contract, v variable) []string {
	_, pushed := Constants(c)
	var want strings.Builder
	for i := range pushed {
		fmt.Fprintf(&want, "%d u32\n", 4*i)
	}
	if got := m.shape(v.block); got != want.String() {
		return []string{fmt.Sprintf("pushed constants %q, expected %q", got, want.String())}
	}
	return nil
}

// emulatedLanes is the constant_id of the width of emulated subgroups, beyond the
// contract.
const emulatedLanes = 100

func (m *module) specialsAgainst(b Build, c *kernel.Contract) (wrong []string) {
	want, _ := Constants(c)
	if strings.HasSuffix(b.Variant, Emulated) {
		want = append(want, emulatedLanes)
	}
	for _, id := range m.specials {
		n, ok := m.decor[id][decorSpecID]
		if !ok || !slices.Contains(want, int(n)) {
			wrong = append(wrong, fmt.Sprintf("specialisation constant %d, expected one of %v", n, want))
		}
	}
	return wrong
}

func mustCode(t *testing.T, kernel, variant string) []byte {
	t.Helper()
	code, err := Code(kernel, variant)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestShadersKeepTheirContracts(t *testing.T) {
	for _, b := range Builds() {
		for _, w := range against(b, mustCode(t, b.Kernel, b.Variant)) {
			t.Errorf("%s: %s", b.File(), w)
		}
	}
}

// Some build reads each constant and each binding: one that none reads should not be
// in the contract, and would escape the checks above.
func TestEveryDeclarationSurvives(t *testing.T) {
	for _, c := range kernel.Contracts() {
		bindings, specials := map[uint32]bool{}, map[uint32]bool{}
		for _, b := range Builds() {
			if b.Kernel != c.Name {
				continue
			}
			m, err := parse(mustCode(t, b.Kernel, b.Variant))
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range m.variables {
				if v.storage == storageBuffer {
					bindings[m.decor[v.id][decorBinding]] = true
				}
			}
			for _, id := range m.specials {
				specials[m.decor[id][decorSpecID]] = true
			}
		}
		for i, b := range c.Bindings {
			if !bindings[uint32(i)] {
				t.Errorf("%s: no build has binding %d (%s)", c.Name, i, b.Name)
			}
		}
		special, _ := Constants(c)
		for _, i := range special {
			if !specials[uint32(i)] {
				t.Errorf("%s: no build has constant %d (%s)", c.Name, i, c.Constants[i])
			}
		}
	}
}

// Every record is met by some build, so that its layout was compared.
func TestEveryRecordIsBound(t *testing.T) {
	met := map[kernel.Elem]bool{}
	for _, c := range kernel.Contracts() {
		for _, b := range c.Bindings {
			met[b.Elem] = true
		}
	}
	for e := range goRecords {
		if !met[e] {
			t.Errorf("no contract has a binding of %s", e)
		}
		delete(met, e)
	}
	delete(met, kernel.U32)
	delete(met, kernel.Real)
	if len(met) > 0 {
		t.Errorf("records that no test compares: %v", met)
	}
}
