package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"splat/internal/fault"
)

// origin serves one file, and counts what it sent.
type origin struct {
	content []byte
	etag    string
	cut     int // break off after so many bytes, once; 0 never
	sent    int
	asked   []string // the Range of each request
}

func (s *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked = append(s.asked, r.Header.Get("Range"))
	w.Header().Set("ETag", s.etag)
	out := &counted{ResponseWriter: w, s: s}
	http.ServeContent(out, r, "", time.Time{}, bytes.NewReader(s.content))
}

type counted struct {
	http.ResponseWriter
	s *origin
	n int
}

func (c *counted) Write(p []byte) (int, error) {
	if left := c.s.cut - c.n; c.s.cut > 0 && len(p) > left {
		c.ResponseWriter.Write(p[:left])
		c.s.cut, c.s.sent = 0, c.s.sent+left
		panic(http.ErrAbortHandler)
	}
	c.n, c.s.sent = c.n+len(p), c.s.sent+len(p)
	return c.ResponseWriter.Write(p)
}

func content(n int) []byte { return append([]byte("PK\x03\x04"), bytes.Repeat([]byte("x"), n-4)...) }

func serve(t *testing.T, s http.Handler) string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

func get(t *testing.T, address string, o Options) string {
	t.Helper()
	file, _, err := Get(context.Background(), address, o)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func holds(t *testing.T, file string, want []byte) {
	t.Helper()
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, %v, want %d", file, len(got), err, len(want))
	}
}

func TestGet(t *testing.T) {
	s := &origin{content: content(100000), etag: `"1"`}
	address, dir := serve(t, s)+"/a%20b/scene?x=1", t.TempDir()
	file := get(t, address, Options{Dir: dir})
	holds(t, file, s.content)
	if filepath.Base(file) != "scene.zip" {
		t.Errorf("called %s", file)
	}
	if again := get(t, address, Options{Dir: dir}); again != file || s.sent != len(s.content) {
		t.Errorf("%s, %d bytes sent, want those of one download", again, s.sent)
	}
	s.content, s.etag = content(50), `"2"`
	holds(t, get(t, address, Options{Dir: dir}), s.content)
	entries, _ := os.ReadDir(filepath.Dir(file))
	if len(entries) != 2 {
		t.Errorf("%d files left, want the file and its description", len(entries))
	}
}

// A download that breaks off goes on where it ended, in the same call or the next one.
func TestResume(t *testing.T) {
	for _, attempts := range []int{1, 3} {
		s := &origin{content: content(1 << 20), etag: `"1"`, cut: 600000}
		address, dir := serve(t, s)+"/x.zip", t.TempDir()
		file, _, err := Get(context.Background(), address, Options{Dir: dir, Attempts: attempts})
		if attempts == 1 {
			if err == nil || fault.ExitCode(err) != 1 {
				t.Fatalf("%v, want a failure", err)
			}
			file = get(t, address, Options{Dir: dir})
		} else if err != nil {
			t.Fatal(err)
		}
		holds(t, file, s.content)
		if len(s.asked) != 2 || !strings.HasPrefix(s.asked[1], "bytes=") || s.sent > len(s.content) {
			t.Errorf("asked for %q, %d bytes sent", s.asked, s.sent)
		}
	}
}

// What has changed in between is not put together.
func TestNoResumeOfAnotherFile(t *testing.T) {
	s := &origin{content: content(1 << 20), etag: `"1"`, cut: 600000}
	address, dir := serve(t, s)+"/x.zip", t.TempDir()
	if _, _, err := Get(context.Background(), address, Options{Dir: dir, Attempts: 1}); err == nil {
		t.Fatal("a broken download is no error")
	}
	s.content, s.etag = bytes.ToUpper(content(1<<20)), `"2"`
	holds(t, get(t, address, Options{Dir: dir}), s.content)
}

func TestLimit(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"declared": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "5000")
			w.Write(content(5000))
		},
		"undeclared": func(w http.ResponseWriter, r *http.Request) {
			for range 50 {
				w.Write(content(100))
				w.(http.Flusher).Flush()
			}
		},
	} {
		dir := t.TempDir()
		_, _, err := Get(context.Background(), serve(t, handler)+"/x.zip", Options{Dir: dir, Limit: 1000})
		if fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), "at most 1000") {
			t.Errorf("%s: %v", name, err)
		}
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if !d.IsDir() && d.Name() != "download.json" {
				t.Errorf("%s: left %s", name, path)
			}
			return nil
		})
	}
}

func TestRefusals(t *testing.T) {
	page := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<!DOCTYPE html><html></html>") }
	text := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") }
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{"missing": {http.NotFound, "404"}, "page": {page, "web page"}, "text": {text, `"hell"`}} {
		_, _, err := Get(context.Background(), serve(t, c.handler)+"/scene", Options{Dir: t.TempDir()})
		if fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for _, address := range []string{"http://", "https:///x.zip"} {
		if _, _, err := Get(context.Background(), address, Options{Dir: t.TempDir()}); fault.ExitCode(err) != 2 {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A server that falls silent does not hold the program for ever; what was downloaded
// before stands in for one that is gone.
func TestServersThatDoNotAnswer(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	silent := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(content(100))
		w.(http.Flusher).Flush()
		<-hang
	}))
	_, _, err := Get(context.Background(), silent+"/x.zip", Options{Dir: t.TempDir(), Stall: 100 * time.Millisecond, Attempts: 1})
	if err == nil || !strings.Contains(err.Error(), "nothing came for 100ms") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Get(ctx, silent+"/x.zip", Options{Dir: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
	server, dir := httptest.NewServer(&origin{content: content(100), etag: `"1"`}), t.TempDir()
	file := get(t, server.URL+"/x.zip", Options{Dir: dir})
	server.Close()
	again, note, err := Get(context.Background(), server.URL+"/x.zip", Options{Dir: dir})
	if again != file || err != nil || !strings.Contains(note, "cannot be reached") {
		t.Errorf("%s, %q, %v", again, note, err)
	}
}

func TestIsURL(t *testing.T) {
	for path, want := range map[string]bool{"http://a/b": true, "HTTPS://a": true, "data/x": false, "C:/x": false, "ftp://a/b": false, "http://": false, "file:///etc": false} {
		if IsURL(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}
