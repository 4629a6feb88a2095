package sweep

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"
)

// The sizes of a plot in pixels.
const (
	panelWidth, panelHeight   = 640, 430
	left, right, top, bottom  = 64, 24, 40, 52
	legendLine, legendPadding = 18, 10
	glyph                     = 6.2 // mean width of a character of a label
)

// colours tell eight values apart, also for people who see few colours.
var colours = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#444444"}

// point is one configuration in a panel.
type point struct {
	x, y   float64 // seconds, PSNR
	label  string
	title  string // all of it, for those who point at it
	colour string
	pareto bool
}

// SVG draws quality against time: a panel with the means where there are several
// captures, and one a capture. It is nil where no run has both.
func (r *Report) SVG() []byte {
	type panel struct {
		title  string
		points []point
	}
	var panels []panel
	style := r.style()
	if len(r.Scenes) > 1 {
		panels = append(panels, panel{fmt.Sprintf("mean of %d captures", len(r.Scenes)), r.points(style, func(row *Row) (*Scores, bool) { return row.Mean, row.Pareto })})
	}
	for k, scene := range r.Scenes {
		panels = append(panels, panel{scene.Capture, r.points(style, func(row *Row) (*Scores, bool) { return row.Runs[k].Scores, row.Runs[k].Pareto })})
	}
	panels = slices.DeleteFunc(panels, func(p panel) bool { return len(p.points) == 0 })
	if len(panels) == 0 {
		return nil
	}
	across := min(len(panels), 2)
	down := (len(panels) + across - 1) / across
	legend := style.legend()
	foot := 0
	if len(legend) > 0 {
		foot = legendLine*len(legend) + 2*legendPadding
	}
	var b bytes.Buffer
	w, h := across*panelWidth, down*panelHeight+foot
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="Helvetica, Arial, sans-serif" font-size="12">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", w, h)
	for i, p := range panels {
		fmt.Fprintf(&b, `<g transform="translate(%d,%d)">`+"\n", i%across*panelWidth, i/across*panelHeight)
		drawPanel(&b, p.title, p.points)
		b.WriteString("</g>\n")
	}
	for i, entry := range legend {
		y := down*panelHeight + legendPadding + i*legendLine
		if entry.colour != "" {
			fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="5" fill="%s"/>`+"\n", left, y+6, entry.colour)
		}
		text(&b, left+12, float64(y+10), "start", "#222222", entry.text)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// style is how configurations are told apart: by the colour of one key's value, and by
// a label of the others.
type style struct {
	key    string // with the fewest values, but more than one; "" none
	values []string
	labels map[string]string
	shown  []string // what labels tell, in their order
}

func (r *Report) style() (s style) {
	var cases []Case
	values := map[string][]string{}
	for _, row := range r.Rows {
		cases = append(cases, Case{Values: row.Values})
		for _, v := range row.Values {
			if !slices.Contains(values[v.Key], v.Text) {
				values[v.Key] = append(values[v.Key], v.Text)
			}
		}
	}
	s.labels = Labels(cases)
	if len(values) > 1 {
		s.pickColour(values)
	}
	s.shown = s.told(r.Rows)
	return s
}

// told lists the keys whose values are in labels; none where those are names.
func (s style) told(rows []Row) (keys []string) {
	for _, row := range rows {
		if !strings.Contains(row.Name, "=") {
			return nil
		}
		for _, v := range row.Values {
			if l := s.labels[v.Key]; v.Key != s.key && !slices.Contains(keys, l) {
				keys = append(keys, l)
			}
		}
	}
	return keys
}

// pickColour chooses the key that colours tell.
func (s *style) pickColour(values map[string][]string) {
	for key, list := range values {
		n := len(list)
		better := len(s.values) == 0 || n < len(s.values) || n == len(s.values) && key < s.key
		if n > 1 && n <= len(colours) && better {
			s.key, s.values = key, list
		}
	}
	slices.Sort(s.values)
}

// of returns the colour and the label of a configuration.
func (s style) of(row *Row) (colour, label string) {
	colour = colours[0]
	var parts []string
	for _, v := range row.Values {
		if v.Key == s.key {
			colour = colours[slices.Index(s.values, v.Text)]
		} else {
			parts = append(parts, v.Text)
		}
	}
	if label = strings.Join(parts, " "); label == "" || !strings.Contains(row.Name, "=") {
		label = row.Name
	}
	return colour, label
}

type legendEntry struct{ colour, text string }

func (s style) legend() (list []legendEntry) {
	for i, v := range s.values {
		list = append(list, legendEntry{colours[i], s.labels[s.key] + " = " + v})
	}
	line := "filled: nothing else is as good and faster"
	if len(s.shown) > 0 {
		line = "labels: " + strings.Join(s.shown, ", ") + "; " + line
	}
	return append(list, legendEntry{"", line})
}

func (r *Report) points(s style, scores func(*Row) (*Scores, bool)) (list []point) {
	for i := range r.Rows {
		row := &r.Rows[i]
		v, pareto := scores(row)
		if v == nil || v.PSNR == nil {
			continue
		}
		p := point{x: v.Seconds, y: *v.PSNR, pareto: pareto}
		p.colour, p.label = s.of(row)
		p.title = fmt.Sprintf("%s: %.2f dB in %s s", row.Name, p.y, seconds(p.x))
		list = append(list, p)
	}
	return list
}

// drawPanel draws one plot with its axes.
func drawPanel(b *bytes.Buffer, title string, points []point) {
	var xs, ys []float64
	for _, p := range points {
		xs, ys = append(xs, p.x), append(ys, p.y)
	}
	x, y := newAxis(xs, left, panelWidth-right, true), newAxis(ys, panelHeight-bottom, top, false)
	text(b, left, 24, "start", "#000000", title)
	for _, t := range x.ticks {
		at := x.at(t)
		fmt.Fprintf(b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#e4e4e4"/>`+"\n", at, top, at, panelHeight-bottom)
		text(b, at, panelHeight-bottom+18, "middle", "#444444", x.text(t))
	}
	for _, t := range y.ticks {
		at := y.at(t)
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#e4e4e4"/>`+"\n", left, at, panelWidth-right, at)
		text(b, left-8, at+4, "end", "#444444", y.text(t))
	}
	fmt.Fprintf(b, `<path d="M%d %dV%dH%d" fill="none" stroke="#666666"/>`+"\n", left, top, panelHeight-bottom, panelWidth-right)
	scale := ""
	if x.log {
		scale = ", logarithmic"
	}
	text(b, (left+panelWidth-right)/2, panelHeight-14, "middle", "#222222", "training, seconds"+scale)
	fmt.Fprintf(b, `<text transform="translate(16,%d) rotate(-90)" text-anchor="middle" fill="#222222">PSNR, dB</text>`+"\n", (top+panelHeight-bottom)/2)
	drawFront(b, points, x, y)
	place := labels{}
	for _, p := range points { // labels keep off all points
		place.add(x.at(p.x)-6, y.at(p.y)-6, 12, 12)
	}
	for _, p := range points {
		drawPoint(b, p, x.at(p.x), y.at(p.y), &place)
	}
}

// drawFront joins the points that nothing beats.
func drawFront(b *bytes.Buffer, points []point, x, y axis) {
	var on []point
	for _, p := range points {
		if p.pareto {
			on = append(on, p)
		}
	}
	slices.SortFunc(on, func(a, b point) int {
		if a.x < b.x {
			return -1
		}
		return 1
	})
	var path []string
	for _, p := range on {
		path = append(path, fmt.Sprintf("%.1f,%.1f", x.at(p.x), y.at(p.y)))
	}
	if len(path) > 1 {
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="#999999" stroke-dasharray="5 4"/>`+"\n", strings.Join(path, " "))
	}
}

// drawPoint draws a point, filled where it is on the front, and its label where there
// is room for it.
func drawPoint(b *bytes.Buffer, p point, x, y float64, place *labels) {
	fill := "#ffffff"
	if p.pareto {
		fill = p.colour
	}
	fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="5" fill="%s" stroke="%s" stroke-width="2"><title>%s</title></circle>`+"\n",
		x, y, fill, p.colour, html.EscapeString(p.title))
	if at, anchor, ok := place.find(x, y, float64(len([]rune(p.label)))*glyph); ok {
		text(b, at[0], at[1], anchor, "#222222", p.label)
	}
}

func text(b *bytes.Buffer, x, y float64, anchor, colour, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>`+"\n", x, y, anchor, colour, html.EscapeString(s))
}
