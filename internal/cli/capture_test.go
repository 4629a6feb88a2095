package cli

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"splat/internal/config"
	"splat/internal/demo"
)

// demoZip is the demo's capture in a zip file, as bytes.
func demoZip(t *testing.T) []byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := demo.WriteCapture(t.Context(), dir, demo.Options{Size: 40, Train: 3, Test: 1}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// privateCache sends the user's cache to a folder of the test.
func privateCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "LocalAppData", "HOME"} {
		t.Setenv(name, dir)
	}
	return dir
}

// A capture and its zip file at an address are the same capture.
func TestCaptureByAddress(t *testing.T) {
	data := demoZip(t)
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Write(data)
	}))
	defer server.Close()
	cache := privateCache(t)
	file := filepath.Join(t.TempDir(), "x.zip")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	cfg := config.Run{}
	cfg.Data.Path = file
	want, err := openCapture(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Data.Path = server.URL + "/demo.zip"
	for range 2 {
		got, err := openCapture(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Views) != len(want.Views) || len(got.Views) == 0 || got.Path != cfg.Data.Path || got.Name != "demo" {
			t.Errorf("%d views of %d, path %s, name %s", len(got.Views), len(want.Views), got.Path, got.Name)
		}
		if !strings.HasPrefix(got.Root, cache) || !strings.Contains(strings.Join(got.Notes, "\n"), server.URL) {
			t.Errorf("root %s, notes %q", got.Root, got.Notes)
		}
	}
	if requests != 2 {
		t.Errorf("%d requests", requests)
	}
	server.Close()
	cfg.Data.Path = server.URL + "/other.zip"
	if _, err := openCapture(cfg); err == nil || !strings.Contains(err.Error(), cfg.Data.Path) {
		t.Errorf("%v", err)
	}
}
