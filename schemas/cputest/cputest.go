// Package cputest measures the CPU time of tests. Unlike wall-clock time, it does not depend on how busy the machine is.
package cputest

import (
	"syscall"
	"testing"
	"time"
)

// Used returns the CPU time of this process so far, in user and system mode. It includes tests that run in parallel.
func Used(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// RequireLinear fails the test if work on the whole text takes much more than four times the CPU time of work on its first
// quarter. Quadratic work would take sixteen times as long. If the first quarter takes less than 0.1 s, it counts as 0.1 s,
// because garbage collection distorts shorter times.
func RequireLinear(t testing.TB, text string, work func(text string)) {
	t.Helper()
	cost := func(text string) time.Duration {
		began := Used(t)
		work(text)
		return Used(t) - began
	}
	quarter := cost(text[:len(text)/4])
	whole := cost(text)
	t.Logf("CPU time: %v for the first quarter, %v for the whole text", quarter, whole)
	if whole > 8*max(quarter, 100*time.Millisecond) {
		t.Errorf("the whole text takes %v of CPU time, its first quarter %v", whole, quarter)
	}
}
