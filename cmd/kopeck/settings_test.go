package main

import (
	"testing"
	"time"
)

// A draft is confirmed in its session, which must be there as long.
func TestASessionIsKeptAtLeastAsLongAsItsDrafts(t *testing.T) {
	for retention, fits := range map[time.Duration]bool{0: true, 24 * time.Hour: true, time.Hour: false, -time.Hour: false} {
		l := listening{Addr: "127.0.0.1:0", DraftTTL: 24 * time.Hour, Retention: retention}
		if err := l.check(); (err == nil) != fits {
			t.Errorf("retention %s: %v", retention, err)
		}
	}
}
