package shaders

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// change returns code with one word replaced: word at of the first instruction that
// starts with the words of like; 0 in like stands for any word.
func change(t *testing.T, code []byte, op uint32, like []uint32, at int, to uint32) []byte {
	t.Helper()
	out := slices.Clone(code)
	done := false
	err := instructions(code, func(start int, w []uint32) {
		if done || w[0]&0xffff != op || len(w) <= at || !startsLike(w[1:], like) || w[at] == to {
			return
		}
		binary.LittleEndian.PutUint32(out[4*(start+at):], to)
		done = true
	})
	if err != nil || !done {
		t.Fatalf("nothing to change (%v)", err)
	}
	return out
}

func startsLike(w, like []uint32) bool {
	for i, l := range like {
		if i >= len(w) || l != 0 && w[i] != l {
			return false
		}
	}
	return true
}

// Each mistake in a module is found.
func TestMistakesInModulesAreFound(t *testing.T) {
	const restrict = 19
	for _, c := range []struct {
		what, kernel string
		op           uint32
		like         []uint32
		at           int
		to           uint32
		want         string
	}{
		{"offset", "project", opMemberDecorate, []uint32{0, 5, decorOffset}, 4, 56, "layout of Step"},
		{"offset in an array of records", "begin", opMemberDecorate, []uint32{0, 7, decorOffset}, 4, 4, "layout of "},
		{"stride", "project", opDecorate, []uint32{0, decorArrayStride}, 3, 16, "layout of Step"},
		{"stride of reals", "loss", opDecorate, []uint32{0, decorArrayStride, 4}, 3, 8, "layout of "},
		{"binding", "project", opDecorate, []uint32{0, decorBinding}, 3, 77, "binding 77, expected less than 6"},
		{"other binding", "project", opDecorate, []uint32{0, decorBinding}, 3, 2, "binding 2 (geom): layout of real"},
		{"set", "project", opDecorate, []uint32{0, decorSet}, 3, 1, "set 1"},
		{"not read-only", "project", opMemberDecorate, []uint32{0, 0, decorNonWritable}, 3, restrict, "NonWritable false"},
		{"not write-only", "project", opMemberDecorate, []uint32{0, 0, decorNonReadable}, 3, restrict, "NonReadable false"},
		{"read-only", "scan_top", opMemberDecorate, []uint32{0, 0, restrict}, 3, decorNonWritable, "NonWritable true"},
		{"workgroup", "project", opExecutionMode, nil, 3, 128, "workgroup [128 1 1]"},
		{"flat workgroup", "project", opExecutionMode, nil, 4, 2, "workgroup [256 2 1]"},
		{"constant", "project", opDecorate, []uint32{0, decorSpecID}, 3, 5, "specialisation constant 5"},
		{"pushed constant", "sort_count", opMemberDecorate, []uint32{0, 1, decorOffset, 4}, 4, 8, "pushed constants"},
		{"model", "project", opEntryPoint, nil, 1, 0, "entry points of models [0]"},
	} {
		t.Run(c.what, func(t *testing.T) {
			code := change(t, mustCode(t, c.kernel, ""), c.op, c.like, c.at, c.to)
			wrong := strings.Join(against(Build{Kernel: c.kernel}, code), "\n")
			if !strings.Contains(wrong, c.want) {
				t.Errorf("found %q, expected %q", wrong, c.want)
			}
		})
	}
}

func TestDamagedModulesAreRefused(t *testing.T) {
	code := mustCode(t, "project", "")
	for what, damaged := range map[string][]byte{
		"empty": {}, "odd": code[:len(code)-1], "cut": code[:24],
		"magic": append([]byte{0}, code[1:]...), "no length": append(slices.Clone(code[:20]), 0, 0, 0, 0),
	} {
		if wrong := against(Build{Kernel: "project"}, damaged); len(wrong) != 1 {
			t.Errorf("%s: %q, expected one complaint", what, wrong)
		}
	}
}
