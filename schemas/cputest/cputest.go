// Package cputest measures the processor time of a test. Unlike the time on a clock, it does not depend on what else the machine runs.
package cputest

import (
	"syscall"
	"testing"
	"time"
)

// Used is the processor time that this process has used so far, in user and system mode. Tests that run in parallel share it.
func Used(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
