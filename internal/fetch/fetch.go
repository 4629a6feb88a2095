// Package fetch downloads captures and splat files over http and https into a folder of
// its own, where they stay: what was downloaded before is asked about, not downloaded
// again, and a download that broke off goes on where it ended, provided that the server
// says that the file is still the same.
package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"splat/internal/atomicfile"
	"splat/internal/fault"
)

// Limit is the largest file that is downloaded by default, in bytes.
const Limit = 32 << 30

// Options says where downloads go. The zero value has no folder and is no good.
type Options struct {
	Dir        string                  // the folder of all downloads; made where it is missing
	Limit      int64                   // largest file in bytes; 0: Limit
	Stall      time.Duration           // without a byte for so long a download is broken; 0: one minute
	Attempts   int                     // of a download that breaks off; 0: 3
	OnProgress func(done, total int64) // now and then; total is -1 where it is not known; may be nil
}

// IsURL reports whether a path is an address of http or https.
func IsURL(path string) bool {
	scheme, rest, ok := strings.Cut(path, "://")
	return ok && rest != "" && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// Get returns the path of a local copy of the file at an address, and a line about
// where it is from.
func Get(ctx context.Context, address string, o Options) (file, note string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", "", fault.Usagef("%s: not an address, expected http://HOST/FILE or https://HOST/FILE", address)
	}
	if o.Dir == "" {
		return "", "", errors.New("fetch: no folder")
	}
	d := &download{o: o.filled(), url: u, dir: filepath.Join(o.Dir, digest(address))}
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return "", "", fault.AtFile(d.dir, err)
	}
	d.load()
	file, note, err = d.get(ctx)
	if err != nil && !isFault(err) {
		err = fmt.Errorf("%s: %w", u.Redacted(), err)
	}
	return file, note, err
}

func isFault(err error) bool {
	var f *fault.Error
	return errors.As(err, &f)
}

func (o Options) filled() Options {
	if o.Limit <= 0 {
		o.Limit = Limit
	}
	if o.Stall <= 0 {
		o.Stall = time.Minute
	}
	if o.Attempts <= 0 {
		o.Attempts = 3
	}
	return o
}

func digest(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:8])
}

// state is what is known of a file, kept beside it.
type state struct {
	URL      string `json:"url"`
	Name     string `json:"name"` // of the complete file in the folder; "" while it is not
	ETag     string `json:"etag"`
	Modified string `json:"last_modified"`
}

// same is what the server compares a file with; "" where nothing would tell.
func (s *state) same() string {
	if s.ETag != "" && !strings.HasPrefix(s.ETag, "W/") {
		return s.ETag
	}
	return s.Modified
}

type download struct {
	o     Options
	url   *url.URL
	dir   string
	state state
}

func (d *download) part() string { return filepath.Join(d.dir, "unfinished") }

func (d *download) note() string { return filepath.Join(d.dir, "download.json") }

// load reads the state; what cannot be read is no state.
func (d *download) load() {
	data, err := os.ReadFile(d.note())
	if err != nil || json.Unmarshal(data, &d.state) != nil || d.state.URL != d.url.Redacted() || d.state.Name != filepath.Base(d.state.Name) && d.state.Name != "" {
		d.state = state{}
	}
	if d.state.Name != "" {
		if st, err := os.Stat(filepath.Join(d.dir, d.state.Name)); err != nil || !st.Mode().IsRegular() {
			d.state = state{}
		}
	}
}

func (d *download) save() error {
	data, err := json.MarshalIndent(d.state, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(d.note(), append(data, '\n'))
}

// get brings the file, in several attempts as long as each of them gets on.
func (d *download) get(ctx context.Context) (file, note string, err error) {
	for attempt := 1; ; attempt++ {
		before := size(d.part())
		file, note, err = d.attempt(ctx)
		if err == nil || isFault(err) || ctx.Err() != nil {
			return file, note, err
		}
		if d.state.Name != "" {
			file = filepath.Join(d.dir, d.state.Name)
			return file, fmt.Sprintf("%s cannot be reached (%v): the copy %s is used", d.url.Redacted(), plain(err), file), nil
		}
		if attempt >= d.o.Attempts || size(d.part()) <= before {
			return "", "", plain(err)
		}
	}
}

// plain leaves out the address, which messages name themselves.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func size(path string) int64 {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return st.Size()
}

// attempt asks once. A complete file is only asked about.
func (d *download) attempt(ctx context.Context) (file, note string, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url.String(), nil)
	if err != nil {
		return "", "", err
	}
	have := d.condition(req)
	stall := time.AfterFunc(d.o.Stall, func() { stop(fmt.Errorf("nothing came for %v", d.o.Stall)) })
	defer stall.Stop()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", "", cause(ctx, err)
	}
	defer res.Body.Close()
	done := filepath.Join(d.dir, d.state.Name)
	switch {
	case res.StatusCode == http.StatusNotModified && d.state.Name != "":
		return done, fmt.Sprintf("%s: the copy %s is up to date", d.url.Redacted(), done), nil
	case res.StatusCode == http.StatusPartialContent && have > 0 && startsAt(res, have):
	case res.StatusCode == http.StatusRequestedRangeNotSatisfiable && have > 0:
		os.Remove(d.part())
		d.state = state{}
		return d.attempt(ctx)
	case res.StatusCode == http.StatusOK:
		have = 0
	default:
		return "", "", fault.Dataf("%s: the server says %s, expected the file", d.url.Redacted(), res.Status)
	}
	if err := d.receive(res, have, func() { stall.Reset(d.o.Stall) }); err != nil {
		return "", "", cause(ctx, err)
	}
	return d.finish()
}

func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	return err
}

// condition asks for what is not there yet, and returns how much is.
func (d *download) condition(req *http.Request) (have int64) {
	switch same := d.state.same(); {
	case d.state.Name != "":
		if d.state.ETag != "" {
			req.Header.Set("If-None-Match", d.state.ETag)
		} else if d.state.Modified != "" {
			req.Header.Set("If-Modified-Since", d.state.Modified)
		}
	case same != "" && size(d.part()) > 0:
		have = size(d.part())
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		req.Header.Set("If-Range", same)
	}
	return have
}

// startsAt reports whether a partial answer continues at byte n.
func startsAt(res *http.Response, n int64) bool {
	return strings.HasPrefix(res.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", n))
}

// receive writes an answer behind the first have bytes.
func (d *download) receive(res *http.Response, have int64, alive func()) error {
	total := int64(-1)
	if res.ContentLength >= 0 {
		total = have + res.ContentLength
	}
	if total > d.o.Limit {
		return d.tooLarge(total)
	}
	if kind := res.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/html") {
		return fault.Dataf("%s: a web page, expected the address of a zip or splat file itself", d.url.Redacted())
	}
	d.state = state{URL: d.url.Redacted(), ETag: res.Header.Get("ETag"), Modified: res.Header.Get("Last-Modified")}
	if err := d.save(); err != nil {
		return err
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if have > 0 {
		flags = os.O_WRONLY | os.O_APPEND
	}
	f, err := os.OpenFile(d.part(), flags, 0o644)
	if err != nil {
		return fault.AtFile(d.part(), err)
	}
	defer f.Close()
	r := &watched{r: io.LimitReader(res.Body, d.o.Limit-have+1), done: have, total: total, alive: alive, tell: d.o.OnProgress}
	n, err := io.Copy(f, r)
	switch {
	case have+n > d.o.Limit:
		return d.tooLarge(have + n)
	case err != nil:
		return err
	case total >= 0 && have+n != total:
		return io.ErrUnexpectedEOF
	}
	return f.Close()
}

func (d *download) tooLarge(n int64) error {
	os.Remove(d.part())
	return fault.Dataf("%s: at least %d bytes, expected at most %d; download it by other means and name the file", d.url.Redacted(), n, d.o.Limit)
}

// watched tells about the bytes that pass.
type watched struct {
	r           io.Reader
	done, total int64
	alive       func()
	tell        func(done, total int64)
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		w.alive()
		w.done += int64(n)
		if w.tell != nil {
			w.tell(w.done, w.total)
		}
	}
	return n, err
}

// endings are those that tell what a file is.
var endings = []string{".zip", ".ply", ".splat", ".spz", ".sog", ".ksplat", ".glb", ".gltf"}

// finish gives a complete file its name.
func (d *download) finish() (file, note string, err error) {
	name, err := d.name()
	if err != nil {
		os.Remove(d.part())
		return "", "", err
	}
	file = filepath.Join(d.dir, name)
	if err := os.Rename(d.part(), file); err != nil {
		return "", "", fault.AtFile(file, err)
	}
	d.state.Name = name
	return file, fmt.Sprintf("%s: downloaded to %s (%d bytes)", d.url.Redacted(), file, size(file)), d.save()
}

// name is the file's name by the address, with an ending by the content where the
// address has none.
func (d *download) name() (string, error) {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.TrimLeft(path.Base("/"+d.url.Path), "./"))
	if name == "" {
		name = "download"
	}
	if slices.Contains(endings, strings.ToLower(path.Ext(name))) {
		return name, nil
	}
	f, err := os.Open(d.part())
	if err != nil {
		return "", fault.AtFile(d.part(), err)
	}
	defer f.Close()
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	switch head = head[:n]; {
	case string(head) == "PK\x03\x04":
		return name + ".zip", nil
	case strings.HasPrefix(string(head), "ply"):
		return name + ".ply", nil
	}
	return "", fault.Dataf("%s: begins with %q, expected a zip or splat file (%s)", d.url.Redacted(), head, strings.Join(endings, " "))
}
