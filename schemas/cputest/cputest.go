// Package cputest measures the CPU time of a test. Unlike wall-clock time, it does not depend on other programs.
package cputest

import (
	"syscall"
	"testing"
	"time"
)

// Used returns the CPU time of this process so far, in user and system mode. Parallel tests share it.
func Used(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
