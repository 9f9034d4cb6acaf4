package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// dropProgramPages takes the pages of the program's own file, code and constants, out of this process. They stay in the
// kernel's cache, from where those that are needed come back by themselves, sixteen for each that is touched.
func dropProgramPages() {
	program, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, m := range unwritten(string(maps), program) {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.start, m.end-m.start, syscall.MADV_DONTNEED) // if it does not work, nothing is lost
	}
}

// mapping is a range of addresses.
type mapping struct{ start, end uintptr }

// unwritten are the mappings of a file which this process may not write to, and in which nobody else has written for it: a
// debugger's breakpoints would be lost.
func unwritten(smaps, file string) (found []mapping) {
	var last mapping
	ours := false
	for line := range strings.Lines(smaps) {
		words := strings.Fields(line)
		switch {
		case len(words) < 2:
		case words[0] == "Anonymous:":
			if ours && words[1] == "0" {
				found = append(found, last)
			}
		case !strings.HasSuffix(words[0], ":"): // START-END MODE OFFSET DEVICE INODE FILE
			from, to, _ := strings.Cut(words[0], "-")
			start, err1 := strconv.ParseUint(from, 16, strconv.IntSize)
			end, err2 := strconv.ParseUint(to, 16, strconv.IntSize)
			last = mapping{uintptr(start), uintptr(end)}
			ours = err1 == nil && err2 == nil && strings.HasSuffix(strings.TrimSpace(line), " "+file) && (words[1] == "r-xp" || words[1] == "r--p")
		}
	}
	return found
}
