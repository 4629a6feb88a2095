package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"splat/internal/fault"
	"splat/internal/fetch"
)

// local returns the path to read where a path may be an address of http or https: that
// of its copy in the user's cache, and a line that says so.
func local(path string) (file, note string, err error) {
	if !fetch.IsURL(path) {
		return path, "", nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", "", fault.Usagef("%s: no folder to download to: %w; download it by other means and name the file", path, err)
	}
	ctx, stop := interruptible()
	defer stop()
	return fetch.Get(ctx, path, fetch.Options{Dir: filepath.Join(cache, "splat", "downloads"), OnProgress: downloadLines()})
}

// localSplats is local for commands that have no place for the line.
func localSplats(path string) (string, error) {
	file, _, err := local(path)
	return file, err
}

// downloadLines tells the user about a download that takes longer than a moment.
func downloadLines() func(done, total int64) {
	const often = 5 * time.Second
	next := time.Now().Add(often)
	return func(done, total int64) {
		if time.Now().Before(next) {
			return
		}
		next = time.Now().Add(often)
		if total > 0 {
			fmt.Fprintf(os.Stderr, "downloading: %d of %d MB\n", done>>20, total>>20)
		} else {
			fmt.Fprintf(os.Stderr, "downloading: %d MB\n", done>>20)
		}
	}
}
