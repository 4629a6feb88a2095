package kerneltest

import "splat/internal/kernel"

// listCases are the kernels that make, scan and sort lists: integers, equal to the
// last bit except where the tile test decides.
var listCases = []Case{
	{"project", []Output{
		near("proj", 1e-4, 1e-6).columns(kernel.ProjRow).where(rowsWhere("tiles", kernel.CountSplats, kernel.ProjRow)),
		exact("tiles").upTo(kernel.CountSplats, 1).flips(5e-3, tileTest),
	}},
	{"compact", []Output{exact("keys").upTo(kernel.CountVisible, 1), exact("ids").upTo(kernel.CountVisible, 1)}},
	{"gather_tiles", []Output{exact("ordered").upTo(kernel.CountVisible, 1)}},
	{"emit", []Output{
		exact("keys").upTo(kernel.CountPairs, 1).flips(5e-3, tileTest),
		exact("pairs").upTo(kernel.CountPairs, 1),
		exact("owners").upTo(kernel.CountPairs, 1),
		exact("base").where(visible),
	}},
	{"ranges", []Output{exact("ranges").upTo(kernel.CountTiles, 2)}},
	{"scan_reduce", []Output{exact("sums").where(blocks(kernel.ScanBlock, 1))}},
	{"scan_top", []Output{exact("counts"), exact("sums").where(blocks(kernel.ScanBlock, 1))}},
	{"scan_apply", []Output{exact("out").where(counted())}},
	{"sort_count", []Output{exact("histogram").where(blocks(kernel.SortBlock, kernel.Radix))}},
	{"sort_scatter", []Output{exact("keys_out").where(counted()), exact("values_out").where(counted())}},
	{"sweep_clear", []Output{exact("sweep").where(first(swept))}},
	{"sweep_count", []Output{exact("sweep").where(first(swept))}},
	{"sweep_scatter", []Output{exact("keys_out").where(counted()), exact("values_out").where(counted()), private("sweep")}},
	{"list_flags", []Output{exact("list").where(first(flagged))}},
}

// swept is the part of a one-sweep sort's buffer that the list needs.
func swept(r *Run) int {
	return kernel.SweepWords(int(r.Count(r.Constant("count"))), r.Constant("passes"))
}

const tileTest = "whether an ellipse reaches a tile"

// visible defines the elements whose index is among the visible splats' ids.
func visible(r *Run) func(int) bool {
	listed := map[uint32]bool{}
	for _, id := range r.Want["ids"][:r.Count(kernel.CountVisible)] {
		listed[id] = true
	}
	return func(word int) bool { return listed[uint32(word)] }
}

// flagged counts the splats whose flag is set.
func flagged(r *Run) (n int) {
	for _, f := range r.Want["flags"][:r.Count(kernel.CountSplats)] {
		n += int(min(f, 1))
	}
	return n
}
