package dataset

import (
	"fmt"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"splat/internal/fault"
)

// folder is a place where pictures may be: images, or an images_N whose pictures
// are 1/N of the full size.
type folder struct {
	dir       string
	reduction int    // N; 1 is full size
	note      string // said when the folder is used
	index     *pictures
}

// pics reads the folder's index when it is first needed.
func (f *folder) pics() *pictures {
	if f.index == nil {
		f.index = indexPictures(f.dir)
	}
	return f.index
}

// imageFolders returns the folders of pictures in base for a reduction by k, the
// one to prefer first: images_k, then images to be reduced in memory. Where there
// is no images folder the best images_N stands in: the largest N up to k, else
// the smallest there is.
func imageFolders(base string, k int) []*folder {
	full, reduced := listImageFolders(base)
	var out []*folder
	if dir, ok := reduced[k]; ok && k > 1 {
		out = append(out, &folder{dir: dir, reduction: k, note: fmt.Sprintf("pictures from %s", dir)})
	}
	if full != "" {
		return append(out, &folder{dir: full, reduction: 1})
	}
	if len(out) == 0 && len(reduced) > 0 {
		n := closest(reduced, k)
		out = append(out, &folder{dir: reduced[n], reduction: n, note: fmt.Sprintf(
			"pictures from %s, since there is no images folder; --downscale counts from full size", reduced[n])})
	}
	return out
}

// listImageFolders finds images and images_N in base, without regard to case.
func listImageFolders(base string) (full string, reduced map[int]string) {
	reduced = map[int]string{}
	for _, dir := range subfolders(base) {
		low := strings.ToLower(filepath.Base(dir))
		if low == "images" && (full == "" || filepath.Base(dir) == low) {
			full = dir
		} else if n := reductionOf(low); n > 1 && reduced[n] == "" {
			reduced[n] = dir
		}
	}
	return full, reduced
}

// reductionOf returns N for a folder called images_N, else 1.
func reductionOf(name string) int {
	num, ok := strings.CutPrefix(strings.ToLower(filepath.Base(name)), "images_")
	if n, err := strconv.Atoi(num); ok && err == nil && n > 1 && n <= 1024 {
		return n
	}
	return 1
}

func closest(reduced map[int]string, k int) int {
	var ns []int
	for n := range reduced {
		ns = append(ns, n)
	}
	sort.Ints(ns)
	best := ns[0]
	for _, n := range ns {
		if n <= k {
			best = n
		}
	}
	return best
}

// namedFolders returns the folder that --images names, looked for in each of the
// bases, and before it the one called NAME_k where a reduction by k is asked.
func namedFolders(name string, bases []string, k int) ([]*folder, error) {
	dir, err := namedFolder("--images", name, bases)
	if err != nil {
		return nil, err
	}
	out := []*folder{{dir: dir, reduction: reductionOf(dir)}}
	if reduced := fmt.Sprintf("%s_%d", dir, k); k > 1 && out[0].reduction == 1 && isDir(reduced) {
		out = append([]*folder{{dir: reduced, reduction: k, note: fmt.Sprintf("pictures from %s", reduced)}}, out...)
	}
	return out, nil
}

// namedFolder finds a folder that the user names by a flag; an absolute path is
// taken as it is.
func namedFolder(flag, name string, bases []string) (string, error) {
	if filepath.IsAbs(name) {
		if !isDir(name) {
			return "", fault.Dataf("%s %s: no such folder", flag, name)
		}
		return filepath.Clean(name), nil
	}
	for _, b := range bases {
		if dir := filepath.Join(b, name); isDir(dir) {
			return dir, nil
		}
	}
	var seen []string
	for _, d := range subfolders(bases[0]) {
		seen = append(seen, filepath.Base(d))
	}
	if len(seen) == 0 {
		return "", fault.Dataf("%s %s: no such folder in %s", flag, name, bases[0])
	}
	return "", fault.Dataf("%s %s: no such folder in %s; its folders are %s", flag, name, bases[0], few(seen))
}
