package kernel

// Counts live in one u32 buffer on the device; these are its slots. Host code
// never needs their values inside a step.
const (
	CountSplats = iota
	CountVisible
	CountPairs
	CountTiles
	CountVisibleDigits // Radix * sort blocks of the visible
	CountPairDigits    // Radix * sort blocks of the pairs
	CountHoles         // refine: rows freed (adc) or dead (mcmc)
	CountAdds          // refine: rows to add
	CountWeight        // refine: sum of the sampling weights
	CountDraws         // refine: samples to draw
	CountRanked        // refine: splats to rank because growth is limited
	CountRankedDigits
	CountAfter   // refine: rows before or after it, whichever is more
	CountSorted  // scratch total of a sort's scan, never read
	CountBuckets // places for buckets of pairs: see BucketBase
	CountBroken  // update: the complement of the first splat with numbers that are not finite, 0 if none
	NumCounts
)

// Work names an entry of the indirect argument buffer: as many workgroups as a
// count needs at a given number of elements each.
const (
	WorkSplats = iota
	WorkSplatScan
	WorkVisible
	WorkVisibleScan
	WorkVisibleSort
	WorkVisibleDigits
	WorkPairs
	WorkPairSort
	WorkPairDigits
	WorkTiles // one workgroup a tile
	WorkTileLoop
	WorkBuckets // one workgroup a bucket
	WorkDraws
	WorkRanked
	WorkRankedSort
	WorkRankedDigits
	WorkAfter
	WorkOnce // one workgroup, none in a no-op
	NumWork
)

// Job says how one Work entry follows from a count.
type Job struct{ Count, Per int }

// Jobs is indexed by Work. WorkOnce follows the tiles: any tile means one group.
var Jobs = [NumWork]Job{
	WorkSplats:        {CountSplats, 256},
	WorkSplatScan:     {CountSplats, ScanBlock},
	WorkVisible:       {CountVisible, 256},
	WorkVisibleScan:   {CountVisible, ScanBlock},
	WorkVisibleSort:   {CountVisible, SortBlock},
	WorkVisibleDigits: {CountVisibleDigits, ScanBlock},
	WorkPairs:         {CountPairs, 256},
	WorkPairSort:      {CountPairs, SortBlock},
	WorkPairDigits:    {CountPairDigits, ScanBlock},
	WorkTiles:         {CountTiles, 1},
	WorkTileLoop:      {CountTiles, 256},
	WorkBuckets:       {CountBuckets, 1},
	WorkDraws:         {CountDraws, 256},
	WorkRanked:        {CountRanked, 256},
	WorkRankedSort:    {CountRanked, SortBlock},
	WorkRankedDigits:  {CountRankedDigits, ScanBlock},
	WorkAfter:         {CountAfter, 256},
	WorkOnce:          {CountTiles, 1 << 31},
}

// MaxGroups is the largest number of workgroups along one axis that every device
// accepts; larger counts are folded into a second axis.
const MaxGroups = 65535

// FoldGroups turns a number of workgroups into the x and y of a dispatch. Kernels
// take the flat id y*x_size+x and ignore ids beyond their count.
func FoldGroups(n uint32) (x, y uint32) {
	if n <= MaxGroups {
		return n, 1
	}
	y = (n-1)/MaxGroups + 1
	return (n-1)/y + 1, y
}

// SetCount stores n in a slot of counts and the workgroup counts of every job
// that follows from it in args.
func SetCount(counts, args []uint32, slot int, n uint32) {
	counts[slot] = n
	for w, job := range Jobs {
		if job.Count == slot {
			groups := uint32((uint64(n) + uint64(job.Per) - 1) / uint64(job.Per))
			x, y := FoldGroups(groups)
			args[3*w], args[3*w+1], args[3*w+2] = x, y, 1
		}
	}
}

// NoTile marks places in bucket_tiles that no bucket took.
const NoTile = 0xFFFFFFFF

// BucketBase is the place of a tile's first bucket when the tile's pairs begin at
// first: pairs/Bucket + tile leaves room for all buckets of the tiles before,
// whatever their lengths, so that nothing has to be counted.
func BucketBase(first, tile int) int { return first/Bucket + tile }

// BucketPlaces is the number of places for the given pairs and tiles.
func BucketPlaces(pairs, tiles int) int { return pairs/Bucket + tiles }

// Blocks returns how many blocks of size per hold n elements.
func Blocks(n, per int) int { return (n + per - 1) / per }
