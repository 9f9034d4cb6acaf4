package main

import (
	"runtime"
	"runtime/debug"
	sampled "runtime/metrics"
	"testing"
	"time"
)

func TestLessGarbagePilesUpInALargeHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(asMuchAgain)
	defer debug.SetGCPercent(before)
	boundGarbage()
	kept := make([]byte, 2*roomyHeap)
	becomes(t, leastGarbage)
	runtime.KeepAlive(kept)
}

func TestWhatIsInUseAndItsGarbageStayWithinBounds(t *testing.T) {
	for live, want := range map[int]int{0: 400, 10 << 20: 320, 25 << 20: 120, 75 << 20: 100, 100 << 20: 50, 120 << 20: 20, 1 << 30: 20} {
		if got := garbageBeside(live); got != want {
			t.Errorf("%d MiB in use: %d %%, want %d", live>>20, got, want)
		}
	}
}

// becomes collects until the runtime lets so much garbage pile up.
func becomes(t *testing.T, percent uint64) {
	t.Helper()
	now := []sampled.Sample{{Name: "/gc/gogc:percent"}}
	for began := time.Now(); time.Since(began) < settled; {
		runtime.GC()
		if sampled.Read(now); now[0].Value.Uint64() == percent {
			return
		}
	}
	t.Errorf("GOGC is %d, want %d", now[0].Value.Uint64(), percent)
}
