package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"
)

// Seconds without a request after which a process is idle. One that has just started is it sooner.
const (
	idleAfter = 5
	idleFirst = 1
)

// idle gives memory back when nobody asks: what the start or the last questions have left in the heap, and the pages of the
// program that they ran through, three times as many as an idle process needs. Once, until somebody has asked again.
type idle struct {
	asked    func() (requests uint64, running bool)
	giveBack func()
}

func (i idle) run(ctx context.Context, second <-chan time.Time) {
	seen, left := uint64(0), idleFirst
	for {
		select {
		case <-ctx.Done():
			return
		case <-second:
		}
		requests, running := i.asked()
		if running || requests != seen {
			seen, left = requests, idleAfter
			continue
		}
		if left--; left == 0 {
			i.giveBack()
		}
	}
}

// giveBackWhenIdle watches until ctx ends.
func giveBackWhenIdle(ctx context.Context, asked func() (requests uint64, running bool)) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	idle{asked, func() {
		runtime.GC() // what pools hold lives through one collection
		debug.FreeOSMemory()
		dropProgramPages()
	}}.run(ctx, second.C)
}
