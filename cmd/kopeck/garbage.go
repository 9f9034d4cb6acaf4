package main

import (
	"os"
	"runtime"
	"runtime/debug"
	sampled "runtime/metrics"
)

// largeHeap is from how many bytes in use on less garbage may pile up: half of what is in use instead of as much again.
// A question about a large account keeps a hundred megabytes for minutes, and has the time to collect more often; small
// requests with little in use do not pay for that.
const largeHeap = 64 << 20

const (
	asMuchAgain = 100 // Go's own
	halfOfIt    = 50
)

// boundGarbage looks after each collection at what was left, and sets how much may come until the next. Who sets GOGC has
// decided otherwise.
func boundGarbage() {
	if os.Getenv("GOGC") == "" {
		afterCollection(asMuchAgain)
	}
}

// collected is an object that nobody keeps, so that its end tells of a collection. Smaller ones share their place with
// others, which may be kept.
type collected [64]byte

func afterCollection(percent int) {
	runtime.SetFinalizer(new(collected), func(*collected) {
		live := []sampled.Sample{{Name: "/gc/heap/live:bytes"}}
		sampled.Read(live)
		wanted := asMuchAgain
		if live[0].Value.Uint64() >= largeHeap {
			wanted = halfOfIt
		}
		if wanted != percent {
			debug.SetGCPercent(wanted)
		}
		afterCollection(wanted)
	})
}
