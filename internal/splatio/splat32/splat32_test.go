package splat32

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

// one is a splat whose values the format holds exactly enough to be known.
func one() *gaussian.Cloud {
	c := gaussian.New(1, 0)
	copy(c.Means, []float32{1, -2, 3})
	copy(c.Quats, []float32{0.5, -0.5, 0.5, -0.5})
	copy(c.LogScales, []float32{float32(math.Log(0.02)), 0, 1})
	copy(c.SH, []float32{-0.8862, 0, 0.8862})
	c.Opacities[0] = 2.2
	return c
}

func encode(t testing.TB, c *gaussian.Cloud) ([]byte, []string) {
	t.Helper()
	var b bytes.Buffer
	lost, err := Encode(&b, c)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), lost
}

func TestLayout(t *testing.T) {
	b, lost := encode(t, one())
	if len(lost) != 0 {
		t.Error(lost)
	}
	if d := cmp.Diff([]byte{64, 128, 191, 230, 192, 64, 192, 64}, b[24:]); d != "" {
		t.Error(d)
	}
	got, _, err := Decode(b, "a.splat")
	if err != nil {
		t.Fatal(err)
	}
	want := one()
	near := func(name string, a, b []float32, tolerance float64) {
		for k := range a {
			if math.Abs(float64(a[k]-b[k])) > tolerance {
				t.Errorf("%s %v, want %v", name, b, a)
			}
		}
	}
	near("mean", want.Means, got.Means, 0)
	near("quaternion", want.Quats, got.Quats, 1e-6)
	near("log scale", want.LogScales, got.LogScales, 1e-6)
	near("SH", want.SH, got.SH, 0.5/255/gaussian.SHC0+1e-4)
	near("opacity", want.Opacities, got.Opacities, 0.03)
}

func TestLossesAreTold(t *testing.T) {
	c := one()
	c.SetDegree(2)
	c.Antialiased = true
	c.SH[0] = 9
	_, lost := encode(t, c)
	if all := strings.Join(lost, "\n"); len(lost) != 3 || !strings.Contains(all, "SH degree 2 becomes 0") || !strings.Contains(all, "antialiased") || !strings.Contains(all, "1 of 1 splats") {
		t.Error(all)
	}
}

func TestRefusals(t *testing.T) {
	for name, b := range map[string][]byte{
		"the file has 33 bytes, expected a multiple of 32": make([]byte, 33),
		"not a .splat file": bytes.Repeat([]byte{255}, 64),
	} {
		_, _, err := Decode(b, "a.splat")
		if fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
	b := make([]byte, row)
	copy(b[28:], []byte{128, 128, 128, 128})
	c, report, err := Decode(b, "a.splat")
	if err != nil || len(report.Warnings) != 1 || c.Quats[0] != 1 || c.LogScales[0] != pack.Floor {
		t.Errorf("a row of zeros: %v, %v", report, err)
	}
}

// The shared files hold sound splats.
func TestRealFiles(t *testing.T) {
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set")
	}
	for name, n := range map[string]int{"minimal.splat": 4, "chair_radegs.splat": 37843, "swarab_model_2.splat": 13303} {
		b, err := os.ReadFile(filepath.Join(root, "splats", name))
		if err != nil {
			t.Fatal(err)
		}
		c, report, err := Decode(b, name)
		if err != nil || c.Len() != n {
			t.Fatalf("%s: %d splats, %v", name, c.Len(), err)
		}
		if bad, first := c.NonFinite(); bad != 0 {
			t.Errorf("%s: %s, %v", name, first, report.Warnings)
		}
		again, _ := encode(t, c)
		for i := 0; i < len(b) && name == "minimal.splat"; i += row {
			if !bytes.Equal(again[i:i+12], b[i:i+12]) || !bytes.Equal(again[i+24:i+32], b[i+24:i+32]) {
				t.Errorf("%s: row %d written again as\n%x, was\n%x", name, i/row, again[i:i+row], b[i:i+row])
			}
		}
	}
}

// FuzzDecode checks that any bytes give a sound cloud or a data error, and that what
// was read can be written and read.
func FuzzDecode(f *testing.F) {
	b, _ := encode(f, one())
	f.Add(b)
	f.Add(append(b, b...))
	f.Add(b[:31])
	f.Fuzz(func(t *testing.T, b []byte) {
		c, _, err := Decode(b, "x.splat")
		if err != nil {
			if fault.ExitCode(err) != 3 {
				t.Fatal(err)
			}
			return
		}
		if err := c.Check(); err != nil || c.Len() != len(b)/32 {
			t.Fatalf("%d splats from %d bytes: %v", c.Len(), len(b), err)
		}
	})
}
