//go:build unix

package report

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// browser is a headless Chromium, spoken to over two pipes in its own protocol.
type browser struct {
	t       *testing.T
	in      io.WriteCloser
	replies chan message
	next    int
	session string
	errors  []string // of the console, and exceptions
	loaded  int
}

type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// openBrowser starts Chromium, or skips the test where there is none.
func openBrowser(t *testing.T) *browser {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		if os.Getenv("SPLAT_REQUIRE_CHROMIUM") == "1" {
			t.Fatal("SPLAT_REQUIRE_CHROMIUM=1 and there is no chromium in PATH")
		}
		t.Skip("no chromium in PATH: pages are not looked at; SPLAT_REQUIRE_CHROMIUM=1 makes this an error")
	}
	theirs, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, back, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{theirs, back}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	back.Close()
	b := &browser{t: t, in: in, replies: make(chan message, 1000)}
	go b.listen(out)
	t.Cleanup(func() {
		_ = b.send("Browser.close", nil)
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
		in.Close()
	})
	b.attach()
	return b
}

func (b *browser) listen(out io.Reader) {
	defer close(b.replies)
	r := bufio.NewReader(out)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimRight(text, "\x00"), &m) == nil {
			b.replies <- m
		}
	}
}

func (b *browser) send(method string, params any) error {
	b.next++
	call := map[string]any{"id": b.next, "method": method}
	if params != nil {
		call["params"] = params
	}
	if b.session != "" && !strings.HasPrefix(method, "Browser.") {
		call["sessionId"] = b.session
	}
	text, _ := json.Marshal(call)
	_, err := b.in.Write(append(text, 0))
	return err
}

// call sends a command and returns its result.
func (b *browser) call(method string, params any) json.RawMessage {
	b.t.Helper()
	if err := b.send(method, params); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	return b.until(method, func(m message) bool { return m.ID == b.next }).Result
}

// until reads messages up to the one that is waited for.
func (b *browser) until(what string, is func(message) bool) message {
	b.t.Helper()
	late := time.After(60 * time.Second)
	for {
		select {
		case m, ok := <-b.replies:
			if !ok {
				b.t.Fatalf("%s: chromium ended", what)
			}
			b.note(m)
			if is(m) {
				if m.Error != nil {
					b.t.Fatalf("%s: %s", what, m.Error.Message)
				}
				return m
			}
		case <-late:
			b.t.Fatalf("%s: no answer from chromium", what)
		}
	}
}

// note keeps what a page complains about.
func (b *browser) note(m message) {
	switch m.Method {
	case "Runtime.exceptionThrown":
		b.errors = append(b.errors, string(m.Params))
	case "Runtime.consoleAPICalled":
		if !strings.Contains(string(m.Params), `"type":"log"`) {
			b.errors = append(b.errors, string(m.Params))
		}
	case "Log.entryAdded":
		if strings.Contains(string(m.Params), `"level":"error"`) {
			b.errors = append(b.errors, string(m.Params))
		}
	case "Page.loadEventFired":
		b.loaded++
	}
}

func (b *browser) attach() {
	var target struct{ TargetID string }
	var session struct{ SessionID string }
	_ = json.Unmarshal(b.call("Target.createTarget", map[string]any{"url": "about:blank"}), &target)
	_ = json.Unmarshal(b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}), &session)
	b.session = session.SessionID
	for _, domain := range []string{"Page.enable", "Runtime.enable", "Log.enable"} {
		b.call(domain, nil)
	}
}

// show opens a page at a width, light or dark.
func (b *browser) show(path string, width int, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
	before := b.loaded
	b.call("Page.navigate", map[string]any{"url": "file://" + path})
	if b.loaded == before {
		b.until("loading "+path, func(m message) bool { return m.Method == "Page.loadEventFired" })
	}
	b.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
}

// eval returns the value of an expression on the page, as JSON.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	_ = json.Unmarshal(b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}), &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	return string(r.Result.Value)
}

// picture stores what the page looks like where SPLAT_SCREENSHOTS names a folder.
func (b *browser) picture(name string) {
	dir := os.Getenv("SPLAT_SCREENSHOTS")
	if dir == "" {
		return
	}
	var size, shot struct {
		CSSContentSize struct{ Width, Height float64 }
		Data           string
	}
	_ = json.Unmarshal(b.call("Page.getLayoutMetrics", nil), &size)
	clip := map[string]any{"x": 0, "y": 0, "width": size.CSSContentSize.Width, "height": min(size.CSSContentSize.Height, 4000), "scale": 1}
	_ = json.Unmarshal(b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true, "clip": clip}), &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644)
	}
	if err != nil {
		b.t.Error(err)
	}
}

// blank counts charts without a canvas, and those whose canvas shows nothing.
const blank = `[...document.querySelectorAll(".plot")].filter(p => {
  const c = p.querySelector("canvas");
  if (!c || !c.width || !c.height) return true;
  const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, colours = new Set();
  for (let i = 0; i < d.length; i += 4) if (d[i + 3]) colours.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
  return colours.size < 3;
}).map(p => p.id)`

// broken lists pictures that did not load.
const broken = `[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src)`

// shift is how far parts of the page have moved since it began to show.
const shift = `new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => { for (const e of list.getEntries()) sum += e.value; }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 60);
})`

// TestPagesInChromium looks at every kind of page, wide and narrow, light and dark.
func TestPagesInChromium(t *testing.T) {
	b := openBrowser(t)
	out := filepath.Join(t.TempDir(), "report")
	build(t, out)
	for _, p := range []struct {
		name   string
		charts int
	}{{"index", 0}, {"runs/2026-11-30-lego", 6}, {"runs/old", 0}, {"findings/right", 2}, {"findings/corrected", 0}, {"experiments/ab-sort", 2}, {"calibration", 1}} {
		for _, width := range []int{360, 1280} {
			for _, dark := range []bool{false, true} {
				name := fmt.Sprintf("%s at %d, dark %v", p.name, width, dark)
				b.show(filepath.Join(out, filepath.FromSlash(p.name)+".html"), width, dark)
				if got := b.eval(`document.querySelectorAll(".plot").length`); got != itoa(p.charts) {
					t.Errorf("%s: %s charts, expected %d", name, got, p.charts)
				}
				for what, expression := range map[string]string{"blank charts": blank, "pictures that did not load": broken} {
					if got := b.eval(expression); got != "[]" {
						t.Errorf("%s: %s: %s", name, what, got)
					}
				}
				if got := b.eval(`document.documentElement.scrollWidth - innerWidth`); got != "0" {
					t.Errorf("%s: the page is %s pixels wider than the window", name, got)
				}
				if got := b.eval(shift); got != "0" {
					t.Errorf("%s: the layout shifted by %s", name, got)
				}
				b.picture(fmt.Sprintf("%s-%d-%v", strings.ReplaceAll(p.name, "/", "_"), width, map[bool]string{true: "dark", false: "light"}[dark]))
			}
		}
	}
	if len(b.errors) > 0 {
		t.Errorf("errors on the console:\n%s", strings.Join(b.errors, "\n"))
	}
}

// TestChecksInChromiumCanFail breaks a page in each way that is looked for.
func TestChecksInChromiumCanFail(t *testing.T) {
	b := openBrowser(t)
	out := filepath.Join(t.TempDir(), "report")
	build(t, out)
	b.show(filepath.Join(out, "runs", "2026-11-30-lego.html"), 1280, false)
	b.eval(`(() => { const c = document.querySelector("#loss-steps canvas"); c.getContext("2d").clearRect(0, 0, c.width, c.height) })()`)
	b.eval(`new Promise(done => { const i = document.images[0]; i.onerror = done; i.src = "gone.png" })`)
	b.eval(`document.body.insertAdjacentHTML("afterbegin", "<div style='height: 300px'></div>")`)
	b.eval(`console.error("planted")`)
	if got := b.eval(blank); got != `["loss-steps"]` {
		t.Errorf("blank charts %s, expected loss-steps", got)
	}
	if got := b.eval(broken); !strings.Contains(got, "gone.png") {
		t.Errorf("broken pictures %s, expected gone.png", got)
	}
	if got := b.eval(shift); got == "0" {
		t.Error("no layout shift where there was one")
	}
	if len(b.errors) == 0 || !strings.Contains(strings.Join(b.errors, ""), "planted") {
		t.Errorf("errors %q, expected the planted one", b.errors)
	}
}

// TestSliderInChromium moves the slider as people do, with the keys and the pointer.
func TestSliderInChromium(t *testing.T) {
	b := openBrowser(t)
	out := filepath.Join(t.TempDir(), "report")
	build(t, out)
	b.show(filepath.Join(out, "runs", "2026-11-30-lego.html"), 1280, false)
	at := func() string { return b.eval(`getComputedStyle(document.querySelector(".compare .top")).clipPath`) }
	before := at()
	b.eval(`document.querySelector(".compare input").focus()`)
	for range 10 {
		for _, kind := range []string{"keyDown", "keyUp"} {
			b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "ArrowRight", "code": "ArrowRight", "windowsVirtualKeyCode": 39})
		}
	}
	if got := b.eval(`document.querySelector(".compare input").value`); got != `"60"` || at() == before {
		t.Errorf("after ten times ArrowRight the slider is at %s and the picture cut at %s, it was at %s; expected 60", got, at(), before)
	}
	var box struct{ X, Y, W, H float64 }
	_ = json.Unmarshal([]byte(b.eval(`(() => { document.querySelector(".compare").scrollIntoView(); const r = document.querySelector(".compare").getBoundingClientRect(); return {X: r.x, Y: r.y, W: r.width, H: r.height} })()`)), &box)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": box.X + box.W/4, "y": box.Y + box.H/2, "button": "left", "clickCount": 1})
	}
	if got := b.eval(`Math.round(document.querySelector(".compare input").value / 2)`); got != "12" && got != "13" {
		t.Errorf("after a click at a quarter the slider is at 2 x %s, expected 25", got)
	}
	if len(b.errors) > 0 {
		t.Errorf("errors on the console:\n%s", strings.Join(b.errors, "\n"))
	}
}
