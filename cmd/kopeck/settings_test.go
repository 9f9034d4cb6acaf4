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

// An origin that no browser sends would let nobody in, and nobody would know why.
func TestOriginsAreWrittenAsBrowsersSendThem(t *testing.T) {
	for origin, fits := range map[string]bool{
		"https://chat.example": true, "http://127.0.0.1:3000": true, "https://chat.example/": false, "chat.example": false, "*": false, "https://chat.example/x": false,
	} {
		l := listening{Addr: "127.0.0.1:0", DraftTTL: time.Hour, CORSOrigins: []string{origin}}
		if err := l.check(); (err == nil) != fits {
			t.Errorf("origin %q: %v", origin, err)
		}
	}
}
