package main

import (
	"context"
	"slices"
	"testing"
	"time"
)

// moment is what a second of a server's life was like.
type moment struct {
	requests uint64 // so far
	running  bool
}

// Memory is given back once after the start and once after each time that somebody asked, never beside a request.
func TestAnIdleProcessGivesMemoryBackOnce(t *testing.T) {
	t.Parallel()
	quiet := func(requests uint64, seconds int) []moment {
		return slices.Repeat([]moment{{requests, false}}, seconds)
	}
	busy := slices.Repeat([]moment{{1, true}}, 6)
	for name, c := range map[string]struct {
		life []moment
		want []int // the seconds, from 1, in which memory was given back
	}{
		"nobody ever asks":          {quiet(0, 20), []int{1}},
		"asked at once":             {quiet(3, 20), []int{6}},
		"asked later":               {slices.Concat(quiet(0, 3), quiet(1, 20)), []int{1, 9}},
		"asked again and again":     {slices.Concat(quiet(1, 5), quiet(2, 5), quiet(3, 5)), nil},
		"an answer that takes long": {slices.Concat(quiet(0, 1), busy, quiet(1, 20)), []int{1, 12}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := givenBack(t.Context(), c.life); !slices.Equal(got, c.want) {
				t.Errorf("in seconds %v, want %v", got, c.want)
			}
		})
	}
}

// givenBack lives through moments, and tells in which seconds memory was given back.
func givenBack(ctx context.Context, life []moment) (seconds []int) {
	ctx, end := context.WithCancel(ctx)
	clock, ended := make(chan time.Time), make(chan struct{})
	at := -1
	watching := idle{
		asked: func() (uint64, bool) {
			at++
			return life[at].requests, life[at].running
		},
		giveBack: func() { seconds = append(seconds, at+1) },
	}
	go func() {
		defer close(ended)
		watching.run(ctx, clock)
	}()
	for range life {
		clock <- time.Time{}
	}
	end()
	<-ended
	return seconds
}
