package proxy

import (
	"fmt"
	"hash/maphash"
	"net/netip"
	"time"

	"github.com/kopeck/kopeck/proxy/clients"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/cache"
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
	failures  *quota[netip.Addr]
	seed      maphash.Seed
	lastValid *cache.Cache[uint64, time.Time] // hash of a key → when it was last valid, to the minute; a hash collision only skips the limit
}

func newGuard() *guard {
	return &guard{
		failures:  newQuota[netip.Addr](maxWrongKeys),
		seed:      maphash.MakeSeed(),
		lastValid: cache.New[uint64](maxValidKeys, func(time.Time) int { return 1 }),
	}
}

// check returns nil if a key from this address may be looked up.
func (g *guard) check(from netip.Addr, secret string, now time.Time) error {
	wait := g.failures.wait(clients.Group(from), now)
	if wait == 0 {
		return nil
	}
	if validAt, _ := g.lastValid.Get(maphash.String(g.seed, secret)); now.Sub(validAt) < validKeyLifetime {
		return nil
	}
	return problem.RateLimited(fmt.Sprintf("More than %d wrong API keys came from %s within a minute.", maxWrongKeys, from),
		"Correct the key, and wait for as long as Retry-After says.", wait).
		InRussian(fmt.Sprintf("За минуту с адреса %s пришло больше %d неверных ключей.", from, maxWrongKeys),
			"Исправьте ключ и подождите минуту.")
}

func (g *guard) noteFailure(from netip.Addr, now time.Time) {
	g.failures.take(clients.Group(from), 1, now)
}

func (g *guard) noteSuccess(secret string, now time.Time) {
	key := maphash.String(g.seed, secret)
	if at, _ := g.lastValid.Get(key); now.Sub(at) >= time.Minute {
		g.lastValid.Set(key, now)
	}
}
