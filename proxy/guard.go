package proxy

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"github.com/maypok86/otter/v2"
)

// Bounds of guessing.
const (
	wrongKeys     = 20        // that one address may try a minute
	rememberedFor = time.Hour // how long a key that was right is tried though its address is held back
	remembered    = 100_000   // how many such keys
)

// guard bounds how often one address may try keys that are none. Other people may sit behind the same address (an office,
// a proxy that nobody told us to trust): keys that were right within the last hour are looked up all the same. It says
// nothing about whether they still are.
type guard struct {
	wrong *quota[netip.Addr]
	right *otter.Cache[[sha256.Size]byte, struct{}]
}

func newGuard() *guard {
	return &guard{
		wrong: newQuota[netip.Addr](wrongKeys),
		right: otter.Must(&otter.Options[[sha256.Size]byte, struct{}]{
			MaximumSize: remembered, ExpiryCalculator: otter.ExpiryWriting[[sha256.Size]byte, struct{}](rememberedFor),
		}),
	}
}

// refuse is nil when a key of an address may be looked up.
func (g *guard) refuse(from netip.Addr, secret string, now time.Time) error {
	wait := g.wrong.wait(household(from), now)
	if wait == 0 {
		return nil
	}
	if _, right := g.right.GetIfPresent(sha256.Sum256([]byte(secret))); right {
		return nil
	}
	return rateLimited(fmt.Sprintf("More than %d wrong API keys came from %s within a minute.", wrongKeys, from),
		"Correct the key, and wait for as long as Retry-After says.", wait)
}

// failed notes a key that was none.
func (g *guard) failed(from netip.Addr, now time.Time) { g.wrong.take(household(from), now) }

// passed notes a key that was right.
func (g *guard) passed(secret string) {
	key := sha256.Sum256([]byte(secret))
	if _, noted := g.right.GetIfPresent(key); !noted { // looking costs a fraction of writing
		g.right.Set(key, struct{}{})
	}
}

func rateLimited(message, hint string, wait time.Duration) *problem {
	p := refuse(http.StatusTooManyRequests, "RATE_LIMITED", message, hint)
	p.retryAfter = wait
	return p
}
