package exports

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"splat/internal/dataset/nerfstudio"
)

// The parts of Metashape's cameras.xml that are read.
type (
	msDocument struct {
		Chunks []struct {
			Sensors []msSensor `xml:"sensors>sensor"`
			Cameras msCameras  `xml:"cameras"`
		} `xml:"chunk"`
	}
	msSensor struct {
		ID           string `xml:"id,attr"`
		Type         string `xml:"type,attr"`
		Size         msSize `xml:"resolution"`
		Calibrations []struct {
			Class  string    `xml:"class,attr"`
			Size   msSize    `xml:"resolution"`
			Values []msValue `xml:",any"`
		} `xml:"calibration"`
	}
	msSize struct {
		Width  int `xml:"width,attr"`
		Height int `xml:"height,attr"`
	}
	msValue struct {
		XMLName xml.Name
		Text    string `xml:",chardata"`
	}
	msCameras struct {
		Cameras []msCamera  `xml:"camera"`
		Groups  []msCameras `xml:"group"`
	}
	msCamera struct {
		Label     string `xml:"label,attr"`
		Sensor    string `xml:"sensor_id,attr"`
		Component string `xml:"component_id,attr"`
		Enabled   string `xml:"enabled,attr"`
		Transform string `xml:"transform"`
	}
)

// metashape reads the cameras of the first chunk that has any, in the chunk's own
// frame. Components, which have nothing to do with each other, are rivals: the one with
// the most cameras is used.
func metashape(data []byte) ([]nerfstudio.Given, error) {
	var doc msDocument
	if err := xml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("not valid XML: %w", err)
	}
	for _, chunk := range doc.Chunks {
		cameras := chunk.Cameras.all()
		if len(cameras) == 0 {
			continue
		}
		sensors := map[string]*msSensor{}
		for i := range chunk.Sensors {
			sensors[chunk.Sensors[i].ID] = &chunk.Sensors[i]
		}
		component := largest(cameras)
		frames := make([]nerfstudio.Given, len(cameras))
		for i, c := range cameras {
			frames[i] = c.frame(sensors[c.Sensor], component)
		}
		return frames, nil
	}
	return nil, errors.New("no cameras in any chunk; expected the cameras.xml that Metashape exports")
}

func (c *msCameras) all() []msCamera {
	out := c.Cameras
	for i := range c.Groups {
		out = append(out, c.Groups[i].all()...)
	}
	return out
}

// largest returns the component with the most aligned cameras, the first of equals.
func largest(cameras []msCamera) string {
	count := map[string]int{}
	best := ""
	for _, c := range cameras {
		if c.Transform != "" {
			count[c.Component]++
		}
	}
	for _, c := range cameras {
		if count[c.Component] > count[best] {
			best = c.Component
		}
	}
	return best
}

// frame makes a frame of a camera. Its transform is camera to world with y down and z
// forward.
func (c *msCamera) frame(s *msSensor, component string) (g nerfstudio.Given) {
	g.FilePath = c.Label
	switch {
	case c.Enabled == "0" || c.Enabled == "false":
		g.Problem = "it is disabled"
	case strings.TrimSpace(c.Transform) == "":
		g.Problem = "it has no transform: it was not aligned"
	case c.Component != component:
		g.Problem = fmt.Sprintf("it is in component %s, which is not the largest", c.Component)
	case s == nil:
		g.Problem = fmt.Sprintf("its sensor %q is not there", c.Sensor)
	}
	if g.Problem != "" {
		return g
	}
	f := strings.Fields(c.Transform)
	if len(f) != 16 {
		g.Problem = fmt.Sprintf("its transform has %d numbers, expected 16", len(f))
		return g
	}
	for i := range 12 {
		v, err := strconv.ParseFloat(f[i], 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			g.Problem = fmt.Sprintf("its transform: found %q, expected a number", f[i])
		}
		if i%4 == 1 || i%4 == 2 {
			v = -v
		}
		g.Matrix[i/4][i%4] = v
	}
	if problem := s.lens(&g); problem != "" {
		g.Problem = problem
	}
	return g
}

// lens gives the frame the sensor's calibration, the adjusted one where there are more.
// The principal point counts from the picture's centre; fx is f + b1; tangential
// coefficients are in the other order than OpenCV's.
func (s *msSensor) lens(g *nerfstudio.Given) (problem string) {
	v := map[string]float64{}
	size := s.Size
	for _, c := range s.Calibrations {
		if len(v) > 0 && c.Class != "adjusted" {
			continue
		}
		clear(v)
		for _, x := range c.Values {
			n, err := strconv.ParseFloat(strings.TrimSpace(x.Text), 64)
			if err == nil {
				v[x.XMLName.Local] = n
			}
		}
		if c.Size.Width > 0 {
			size = c.Size
		}
	}
	switch {
	case v["f"] == 0:
		return "its sensor has no calibration with f"
	case v["b2"] != 0:
		return fmt.Sprintf("its sensor has skew (b2 is %g), which is not supported", v["b2"])
	case s.Type == "fisheye" || s.Type == "equidistant_fisheye":
		g.Model = "OPENCV_FISHEYE"
	case s.Type != "frame" && s.Type != "":
		g.Model = strings.ToUpper(s.Type) // to be refused by name
	}
	w, h := float64(size.Width), float64(size.Height)
	g.Values = map[string]float64{
		"w": w, "h": h, "fl_x": v["f"] + v["b1"], "fl_y": v["f"], "cx": w/2 + v["cx"], "cy": h/2 + v["cy"],
		"k1": v["k1"], "k2": v["k2"], "k3": v["k3"], "k4": v["k4"], "p1": v["p2"], "p2": v["p1"],
	}
	return ""
}
