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

// RequireLinear fails the test if work on the whole text takes much more than four times the CPU time of work on its
// first quarter; quadratic work would take sixteen times as long. The first quarter counts as at least a tenth of a
// second, since shorter times depend on the garbage collector.
func RequireLinear(t testing.TB, text string, work func(text string)) {
	t.Helper()
	cost := func(text string) time.Duration {
		began := Used(t)
		work(text)
		return Used(t) - began
	}
	quarter := cost(text[:len(text)/4])
	whole := cost(text)
	t.Logf("a quarter %v, the whole %v of CPU", quarter, whole)
	if whole > 8*max(quarter, 100*time.Millisecond) {
		t.Errorf("the whole takes %v of CPU, its first quarter %v", whole, quarter)
	}
}
