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
	validKeyLifetime = time.Hour // how long a key that was valid can be used from a blocked address
	maxValidKeys     = 100_000   // valid keys that are remembered
)

// guard limits the wrong keys per address. Several clients may share an address, for example in an office or behind a proxy
// that is not configured. So a key that was valid within the last hour is still looked up for a blocked address.
type guard struct {
	failures *quota[netip.Addr]

	seed      maphash.Seed
	mu        sync.RWMutex
	lastValid map[uint64]time.Time // hash of a key → when it was last valid, to the minute; a hash collision only skips the limit
	lastPurge time.Time
}

func newGuard() *guard {
	return &guard{failures: newQuota[netip.Addr](maxWrongKeys), seed: maphash.MakeSeed(), lastValid: map[uint64]time.Time{}}
}

// check returns nil if a key from this address may be looked up.
func (g *guard) check(from netip.Addr, secret string, now time.Time) error {
	wait := g.failures.wait(addressGroup(from), now)
	if wait == 0 || now.Sub(g.validAt(maphash.String(g.seed, secret))) < validKeyLifetime {
		return nil
	}
	return rateLimited(fmt.Sprintf("More than %d wrong API keys came from %s within a minute.", maxWrongKeys, from),
		"Correct the key, and wait for as long as Retry-After says.", wait).
		inRussian(fmt.Sprintf("За минуту с адреса %s пришло больше %d неверных ключей.", from, maxWrongKeys),
			"Исправьте ключ и подождите минуту.")
}

func (g *guard) noteFailure(from netip.Addr, now time.Time) {
	g.failures.take(addressGroup(from), 1, now)
}

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

// validAt returns when a key was last valid; zero for an unknown key.
func (g *guard) validAt(key uint64) time.Time {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.lastValid[key]
}
