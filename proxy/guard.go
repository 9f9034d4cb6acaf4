package proxy

import (
	"fmt"
	"hash/maphash"
	"maps"
	"net/netip"
	"sync"
	"time"
)

// The limits on guessing keys.
const (
	maxWrongKeys     = 20        // per address and minute
	validKeyLifetime = time.Hour // how long a valid key is looked up although its address is blocked
	maxValidKeys     = 100_000   // valid keys in memory
)

// guard limits the wrong keys per address. Several clients may share an address (an office, or a proxy that is not
// configured), so a key that was valid within the last hour is looked up anyway; it may have been revoked since.
type guard struct {
	failures *quota[netip.Addr]

	seed      maphash.Seed
	mu        sync.RWMutex
	lastValid map[uint64]time.Time // hash of a key → when it was valid, to the minute; a collision only skips the limit
	lastPurge time.Time
}

func newGuard() *guard {
	return &guard{failures: newQuota[netip.Addr](maxWrongKeys), seed: maphash.MakeSeed(), lastValid: map[uint64]time.Time{}}
}

// check returns nil if a key may be looked up for an address.
func (g *guard) check(from netip.Addr, secret string, now time.Time) error {
	wait := g.failures.wait(addressGroup(from), now)
	if wait == 0 || now.Sub(g.validAt(maphash.String(g.seed, secret))) < validKeyLifetime {
		return nil
	}
	return rateLimited(fmt.Sprintf("More than %d wrong API keys came from %s within a minute.", maxWrongKeys, from),
		"Correct the key, and wait for as long as Retry-After says.", wait)
}

// noteFailure records a wrong key.
func (g *guard) noteFailure(from netip.Addr, now time.Time) {
	g.failures.take(addressGroup(from), 1, now)
}

// noteSuccess records a valid key.
func (g *guard) noteSuccess(secret string, now time.Time) {
	key := maphash.String(g.seed, secret)
	if now.Sub(g.validAt(key)) < time.Minute {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.lastValid) >= maxValidKeys && now.Sub(g.lastPurge) >= time.Minute {
		g.lastPurge = now
		maps.DeleteFunc(g.lastValid, func(_ uint64, at time.Time) bool { return now.Sub(at) >= validKeyLifetime })
	}
	if len(g.lastValid) < maxValidKeys {
		g.lastValid[key] = now
	}
}

// validAt returns the zero time for an unknown key.
func (g *guard) validAt(key uint64) time.Time {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.lastValid[key]
}
