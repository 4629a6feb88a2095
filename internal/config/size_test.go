package config

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "123": 123, "12B": 12, "12b": 12, "1kB": 1000, "1KB": 1000, "1KiB": 1024, "512MB": 512e6, "512 MB": 512e6,
		" 1.5GiB ": 3 << 29, "1.5gib": 3 << 29, "0.1GB": 1e8, ".5kB": 500, "2.kB": 2000, "1TiB": 1 << 40, "2TB": 2e12,
		"1.2345kB": 1234, "9223372036854775807": math.MaxInt64, "8388607TiB": 8388607 << 40,
	} {
		if got, ok := ParseSize(text); got != want || !ok {
			t.Errorf("%q: found %d %v, expected %d", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", " ", "B", "MB", "-1", "-5MB", "+5MB", "1e9", "0x10", "1/3", "1_000", "5 parsec", "5 M B", "1.2.3", ".", "1,5GB", "inf", "NaN",
		"9223372036854775808", "8388608TiB", "1MBB", "1\u00a0MB", "100000000000000000000000000000000",
	} {
		if got, ok := ParseSize(text); ok {
			t.Errorf("%q was accepted as %d", text, got)
		}
	}
}

func TestSizeText(t *testing.T) {
	for want, s := range map[string]Size{
		"0": 0, "1": 1, "1023": 1023, "1KiB": 1024, "1501": 1501, "2kB": 2000, "512MB": 512e6, "1536MiB": 3 << 29, "24GiB": 24 << 30, "1000TB": 1e15,
	} {
		if got := s.String(); got != want {
			t.Errorf("%d is written %s, expected %s", int64(s), got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := Size(rapid.Int64Min(0).Draw(t, "bytes") >> rapid.IntRange(0, 62).Draw(t, "shift"))
		if back, ok := ParseSize(s.String()); back != s || !ok {
			t.Fatalf("%d is written %s, which reads %d", int64(s), s, back)
		}
	})
}

func FuzzParseSize(f *testing.F) {
	for _, seed := range []string{"512MB", "1.5GiB", "0", "1e9", "..", "9223372036854775808B"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, ok := ParseSize(text); ok && s < 0 {
			t.Errorf("%q reads %d", text, int64(s))
		}
	})
}
