// What begin and begin_render share. Include it after gen/KERNEL.glsl and work.glsl.

// empty_step is a record of zeros.
Step empty_step() {
	Step s;
	s.Noop = s.Index = s.View = s.SHDegree = 0u;
	for (uint i = 0; i < 9u; i++) {
		s.R[i] = 0.0;
	}
	for (uint i = 0; i < 3u; i++) {
		s.T[i] = s.Camera[i] = s.Background[i] = 0.0;
	}
	s.Fx = s.Fy = s.Cx = s.Cy = 0.0;
	s.Width = s.Height = s.TilesX = s.TilesY = s.Pixels = s.Flags = s.Mode = 0u;
	s.LossScale = s.Near = s.Blur = 0.0;
	s.LRMeans = s.LRScales = s.LRQuats = s.LROpacities = s.LRSH0 = s.LRSHRest = 0.0;
	s.Beta1 = s.Beta2 = s.Eps = s.Bias1 = s.Bias2 = 0.0;
	s.SSIMLambda = s.OpacityReg = s.ScaleReg = s.Noise = 0.0;
	s.Audit = s.Seed = 0u;
	return s;
}

// set_view stores what follows from the view called s.View.
void set_view(inout Step s) {
	View v = views[s.View];
	for (uint i = 0; i < 9u; i++) {
		s.R[i] = v.R[i];
	}
	s.Fx = v.Fx;
	s.Fy = v.Fy;
	s.Cx = v.Cx;
	s.Cy = v.Cy;
	s.Width = v.Width;
	s.Height = v.Height;
	s.TilesX = blocks(v.Width, TILE_SIZE);
	s.TilesY = blocks(v.Height, TILE_SIZE);
	s.Pixels = v.Pixels;
	s.Flags = v.Flags;
	s.LossScale = v.LossScale;
	for (uint i = 0; i < 3u; i++) {
		s.T[i] = v.T[i];
		precise float c = v.R[i] * v.T[0] + v.R[3u + i] * v.T[1] + v.R[6u + i] * v.T[2];
		s.Camera[i] = -c;
	}
	s.Near = schedule.Near;
	s.Blur = schedule.Blur;
	s.Mode = schedule.Mode;
}

// start_counts sets the counts that are known before anything ran; all are 0 in a
// no-op.
void start_counts(Step s, uint splats) {
	clear_counts();
	if (s.Noop == NOOP_NONE) {
		set_count(COUNT_SPLATS, splats);
		set_count(COUNT_TILES, s.TilesX * s.TilesY);
	}
}
