package proxy

import (
	"fmt"
	"hash/maphash"
	"maps"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Bounds of guessing.
const (
	wrongKeys     = 20        // that one address may try a minute
	rememberedFor = time.Hour // how long a key that was right is tried though its address is held back
	remembered    = 100_000   // how many such keys
)

// guard bounds how often one address may try wrong keys. Other people may share the address (an office, a proxy that is not
// in the settings), so a key that was right within the last hour is looked up in any case; it may have been revoked since.
type guard struct {
	wrong *quota[netip.Addr]

	seed  maphash.Seed
	mu    sync.RWMutex
	right map[uint64]time.Time // :: hash of a key → when it was right, to a minute; it opens nothing, so 64 bits do
	swept time.Time
}

func newGuard() *guard {
	return &guard{wrong: newQuota[netip.Addr](wrongKeys), seed: maphash.MakeSeed(), right: map[uint64]time.Time{}}
}

// refuse is nil when a key of an address may be looked up.
func (g *guard) refuse(from netip.Addr, secret string, now time.Time) error {
	wait := g.wrong.wait(household(from), now)
	if wait == 0 || now.Sub(g.wasRight(maphash.String(g.seed, secret))) < rememberedFor {
		return nil
	}
	return rateLimited(fmt.Sprintf("More than %d wrong API keys came from %s within a minute.", wrongKeys, from),
		"Correct the key, and wait for as long as Retry-After says.", wait)
}

// failed notes a wrong key.
func (g *guard) failed(from netip.Addr, now time.Time) { g.wrong.take(household(from), 1, now) }

// passed notes a right key.
func (g *guard) passed(secret string, now time.Time) {
	key := maphash.String(g.seed, secret)
	if now.Sub(g.wasRight(key)) < time.Minute {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.right) >= remembered && now.Sub(g.swept) >= time.Minute {
		g.swept = now
		maps.DeleteFunc(g.right, func(_ uint64, at time.Time) bool { return now.Sub(at) >= rememberedFor })
	}
	if len(g.right) < remembered {
		g.right[key] = now
	}
}

// wasRight is long ago for a key that never was.
func (g *guard) wasRight(key uint64) time.Time {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.right[key]
}

func rateLimited(message, hint string, wait time.Duration) *problem {
	p := refuse(http.StatusTooManyRequests, "RATE_LIMITED", message, hint)
	p.retryAfter = wait
	return p
}
