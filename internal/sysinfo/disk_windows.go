package sysinfo

import "golang.org/x/sys/windows"

// DiskFree returns how many bytes this process may still write in the file system
// that holds dir; ok is false where that is unknown.
func DiskFree(dir string) (bytes uint64, ok bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	err = windows.GetDiskFreeSpaceEx(name, &bytes, nil, nil)
	return bytes, err == nil
}
