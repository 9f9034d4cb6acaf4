package databasetest

import "syscall"

// enoughMemory is the space that a file system in memory must have left. The clusters of a few test processes take far less.
const enoughMemory = 4 << 30

// memoryFolder returns a folder in memory, where creating a database takes a tenth of the time, or "" if there is none that is
// large enough. A container often has only 64 MiB.
func memoryFolder() string {
	const folder = "/dev/shm"
	var space syscall.Statfs_t
	if syscall.Statfs(folder, &space) != nil || space.Bavail*uint64(space.Bsize) < enoughMemory { //nolint:gosec // never negative
		return ""
	}
	return folder
}
