package shaders

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Numbers of the SPIR-V specification, as far as the tests read modules.
const (
	spirvMagic = 0x07230203

	opEntryPoint       = 15
	opExecutionMode    = 16
	opTypeInt          = 21
	opTypeFloat        = 22
	opTypeVector       = 23
	opTypeArray        = 28
	opTypeRuntimeArray = 29
	opTypeStruct       = 30
	opTypePointer      = 32
	opConstant         = 43
	opSpecConstantTrue = 48
	opSpecConstant     = 50
	opVariable         = 59
	opDecorate         = 71
	opMemberDecorate   = 72

	modelCompute = 5
	modeSize     = 17

	decorSpecID      = 1
	decorArrayStride = 6
	decorNonWritable = 24
	decorNonReadable = 25
	decorBinding     = 33
	decorSet         = 34
	decorOffset      = 35

	storageUniform = 2
	storagePush    = 9
	storageBuffer  = 12
)

// module is what the tests know of a SPIR-V module.
type module struct {
	entries   []uint32 // execution models
	size      []uint32 // of the workgroup
	types     map[uint32][]uint32
	constants map[uint32]uint32
	variables []variable
	decor     map[uint32]map[uint32]uint32            // id, decoration: first operand
	member    map[uint32]map[uint32]map[uint32]uint32 // id, member, decoration: first operand
	specials  []uint32                                // ids of specialisation constants
}

// variable is a variable at module scope; block is the type that it points to.
type variable struct{ id, block, storage uint32 }

// instructions calls f with each instruction and the place of its first word.
func instructions(code []byte, f func(at int, words []uint32)) error {
	if len(code)%4 != 0 || len(code) < 20 {
		return fmt.Errorf("%d bytes are no SPIR-V", len(code))
	}
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	if words[0] != spirvMagic {
		return fmt.Errorf("starts with %#x, expected %#x", words[0], spirvMagic)
	}
	for at := 5; at < len(words); {
		n := int(words[at] >> 16)
		if n == 0 || at+n > len(words) {
			return fmt.Errorf("word %d: an instruction of %d words, %d are left", at, n, len(words)-at)
		}
		f(at, words[at:at+n])
		at += n
	}
	return nil
}

func parse(code []byte) (*module, error) {
	m := &module{
		types: map[uint32][]uint32{}, constants: map[uint32]uint32{},
		decor: map[uint32]map[uint32]uint32{}, member: map[uint32]map[uint32]map[uint32]uint32{},
	}
	pointers := map[uint32]uint32{}
	err := instructions(code, func(_ int, w []uint32) {
		switch op := w[0] & 0xffff; op {
		case opEntryPoint:
			m.entries = append(m.entries, w[1])
		case opExecutionMode:
			if w[2] == modeSize {
				m.size = w[3:]
			}
		case opTypeInt, opTypeFloat, opTypeVector, opTypeArray, opTypeRuntimeArray, opTypeStruct:
			m.types[w[1]] = append([]uint32{op}, w[2:]...)
		case opTypePointer:
			pointers[w[1]] = w[3]
		case opConstant:
			m.constants[w[2]] = w[3]
		case opVariable:
			m.variables = append(m.variables, variable{w[2], pointers[w[1]], w[3]})
		case opDecorate:
			set(m.decor, w[1], w[2], operand(w, 3))
		case opMemberDecorate:
			if m.member[w[1]] == nil {
				m.member[w[1]] = map[uint32]map[uint32]uint32{}
			}
			set(m.member[w[1]], w[2], w[3], operand(w, 4))
		}
		if op := w[0] & 0xffff; op >= opSpecConstantTrue && op <= opSpecConstant {
			m.specials = append(m.specials, w[2])
		}
	})
	return m, err
}

func operand(w []uint32, i int) uint32 {
	if i < len(w) {
		return w[i]
	}
	return 0
}

func set(m map[uint32]map[uint32]uint32, id, key, value uint32) {
	if m[id] == nil {
		m[id] = map[uint32]uint32{}
	}
	m[id][key] = value
}

// marked reports whether a variable, or every member of its block, has a decoration.
func (m *module) marked(v variable, decoration uint32) bool {
	if _, ok := m.decor[v.id][decoration]; ok {
		return true
	}
	members := len(m.types[v.block]) - 1
	for i := range members {
		if _, ok := m.member[v.block][uint32(i)][decoration]; !ok {
			return false
		}
	}
	return members > 0
}

// shape writes a type with all offsets and strides: a struct is a line for each
// member, "offset type".
func (m *module) shape(id uint32) string {
	t := m.types[id]
	if t == nil {
		return fmt.Sprintf("type %d?", id)
	}
	switch t[0] {
	case opTypeInt:
		return fmt.Sprintf("%s%d", map[uint32]string{0: "u", 1: "i"}[t[2]], t[1])
	case opTypeFloat:
		return fmt.Sprintf("f%d", t[1])
	case opTypeVector:
		return fmt.Sprintf("%sx%d", m.shape(t[1]), t[2])
	case opTypeArray:
		return fmt.Sprintf("%s[%d] every %d", m.shape(t[1]), m.constants[t[2]], m.decor[id][decorArrayStride])
	case opTypeRuntimeArray:
		return fmt.Sprintf("%s[] every %d", m.shape(t[1]), m.decor[id][decorArrayStride])
	}
	var b strings.Builder
	for i, member := range t[1:] {
		offset, ok := m.member[id][uint32(i)][decorOffset]
		if !ok {
			b.WriteString("no offset ")
		}
		fmt.Fprintf(&b, "%d %s\n", offset, m.shape(member))
	}
	return b.String()
}
