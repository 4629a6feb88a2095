package ply

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"splat/internal/fault"
	"splat/internal/gaussian"
)

// column names of a splat without SH beyond the constant: 14 properties.
const degree0 = "x y z f_dc_0 f_dc_1 f_dc_2 opacity scale_0 scale_1 scale_2 rot_0 rot_1 rot_2 rot_3"

// someSplat is a row for degree0.
var someSplat = []float64{1, 2, 3, 0.1, 0.2, 0.3, 0.4, -1, -2, -3, 1, 0, 0, 0.5}

// headerOf makes the header of a file with one element vertex, all properties of
// one type.
func headerOf(e encoding, rows int, typ, names string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ply\nformat %s 1.0\nelement vertex %d\n", e, rows)
	for name := range strings.FieldsSeq(names) {
		fmt.Fprintf(&b, "property %s %s\n", typ, name)
	}
	return b.String() + "end_header\n"
}

// put appends a value in the given encoding and type.
func put(buf []byte, e encoding, typ string, v float64) []byte {
	var order binary.AppendByteOrder = binary.LittleEndian
	switch e {
	case ascii:
		return fmt.Appendf(buf, "%v ", v)
	case bigEndian:
		order = binary.BigEndian
	}
	switch scalarNames[typ] {
	case int8Type, uint8Type:
		return append(buf, byte(int(v)))
	case int16Type, uint16Type:
		return order.AppendUint16(buf, uint16(int(v)))
	case int32Type, uint32Type:
		return order.AppendUint32(buf, uint32(int(v)))
	case float64Type:
		return order.AppendUint64(buf, math.Float64bits(v))
	}
	return order.AppendUint32(buf, math.Float32bits(float32(v)))
}

// fileOf makes a file with one element vertex.
func fileOf(e encoding, typ, names string, rows ...[]float64) []byte {
	buf := []byte(headerOf(e, len(rows), typ, names))
	for _, row := range rows {
		for _, v := range row {
			buf = put(buf, e, typ, v)
		}
		if e == ascii {
			buf = append(buf, '\n')
		}
	}
	return buf
}

func decodeBytes(b []byte) (*gaussian.Cloud, *Report, error) {
	return decode(bytes.NewReader(b), int64(len(b)), "x.ply")
}

// mustDecode fails the test on an error, or on a warning that is not expected.
func mustDecode(t *testing.T, b []byte, warnings ...string) *gaussian.Cloud {
	t.Helper()
	c, report, err := decodeBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if len(report.Warnings) != len(warnings) {
		t.Fatalf("warnings %q, want %q", report.Warnings, warnings)
	}
	for i, w := range warnings {
		if !strings.Contains(report.Warnings[i], w) {
			t.Errorf("warning %q, want %q in it", report.Warnings[i], w)
		}
	}
	return c
}

// wantDataError fails unless err is a data error of one line that names the file
// and holds all parts.
func wantDataError(t *testing.T, err error, parts ...string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Data {
		t.Fatalf("error %v, want one of the kind Data", err)
	}
	for _, p := range append(parts, "x.ply") {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not contain %q", err, p)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error of several lines: %q", err)
	}
}

// testdata returns the path of a shared file, or skips.
func testdata(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set")
	}
	return filepath.Join(root, name)
}
