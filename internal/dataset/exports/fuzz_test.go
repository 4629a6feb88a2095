package exports

import (
	"testing"

	"splat/internal/dataset/nerfstudio"
)

func FuzzExports(f *testing.F) {
	f.Add(byte(0), []byte(`{"w": 8, "h": 6, "K": [9, 0, 0, 0, 9, 0, 4, 3, 1], "poses": [[0, 0, 0, 1, 0, NaN, 5], null], "perFrameIntrinsicCoeffs": [[1, 2, 3, 4], null]}`))
	f.Add(byte(1), []byte("#cameras 2\n#name,x,y,alt,yaw,pitch,roll,f,px\na b.jpg,1,2,3,4,5,6,20,0\n\"x\n"))
	f.Add(byte(2), []byte(`<document><chunk><sensors><sensor id="0" type="frame"><resolution width="8" height="6"/><calibration><f>9</f><k1>1</k1></calibration></sensor></sensors><cameras><group><camera sensor_id="0" label="a"><transform>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</transform></camera></group></cameras></chunk></document>`))
	f.Add(byte(3), []byte(`{"fx":9,"fy":9,"cx":4,"cy":3,"width":8,"height":6,"t_00":1,"t_01":0,"t_02":0,"t_03":0,"t_10":0,"t_11":1,"t_12":0,"t_13":0,"t_20":0,"t_21":0,"t_22":1,"t_23":Infinity}`))
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		var frames []nerfstudio.Given
		var err error
		switch kind % 4 {
		case 0:
			frames, err = record3D(data)
		case 1:
			frames, err = realityCapture(data)
		case 2:
			frames, err = metashape(data)
		default:
			var g nerfstudio.Given
			g, err = polycamFrame(data)
			frames = append(frames, g)
		}
		if err != nil {
			return
		}
		file := nerfstudio.Build("x", frames)
		if len(file.Frames)+len(file.Skipped) != len(frames) {
			t.Errorf("%d frames and %d skipped of %d", len(file.Frames), len(file.Skipped), len(frames))
		}
		for _, fr := range file.Frames {
			for _, v := range fr.Pose.T {
				if v-v != 0 {
					t.Errorf("a pose is not finite: %v", fr.Pose)
				}
			}
			if c := fr.Lens.At(80, 60); !(c.Fx > 0) || !(c.Fy > 0) {
				t.Errorf("focal length %g, %g", c.Fx, c.Fy)
			}
		}
	})
}
