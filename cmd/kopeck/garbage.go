package main

import (
	"os"
	"runtime"
	"runtime/debug"
	sampled "runtime/metrics"
)

// roomyHeap is how many bytes what is in use and its garbage may take together before less garbage may pile up: a question
// about a large account keeps a hundred megabytes for minutes, and has the time to collect more often. smallGarbage is how
// much may pile up beside however little is in use: thousands of requests, which would otherwise collect again and again.
// When nobody asks any more, it is given back.
const (
	roomyHeap    = 150 << 20
	smallGarbage = 32 << 20
)

// Percentages of what is in use that may come until the next collection.
const (
	asMuchAgain  = 100 // Go's own
	mostGarbage  = 400
	leastGarbage = 20 // less would cost more time than it saves memory
	garbageStep  = 10
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
		wanted := garbageBeside(int(live[0].Value.Uint64()))
		if wanted != percent {
			debug.SetGCPercent(wanted)
		}
		afterCollection(wanted)
	})
}

// garbageBeside is the percentage for so many bytes in use.
func garbageBeside(live int) int {
	live = max(live, 1)
	garbage := min(max(live, smallGarbage), roomyHeap-live)
	percent := 100 * garbage / live
	return min(max(percent-percent%garbageStep, leastGarbage), mostGarbage)
}
