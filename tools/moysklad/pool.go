package moysklad

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kopeck/kopeck/schemas/wire"
)

// CanonicalURL is the base of all links in bodies and filters, even if requests are sent to another address.
const CanonicalURL = "https://api.moysklad.ru/api/remap/1.2"

// Config says how to reach the upstream. The zero value uses the real one, with the default limits.
type Config struct {
	URL       string       // base address for requests; empty means [CanonicalURL]
	Rate      int          // calls per second to one account, at most 6; 0 means 6
	StockRate int          // calls per second to report/stock/*, at most 2; 0 means 2
	Parallel  int          // calls in flight to one account; 0 means 4; the upstream allows a user 5
	Ledgers   Ledgers      // nil keeps them in memory; no other process may then call the accounts
	Log       *slog.Logger // nil disables logging

	// Dial opens a connection to the upstream, including TLS, for tests. nil uses the network, and the proxy that the
	// environment sets, if any.
	Dial func(context.Context) (net.Conn, error)
	// Observe is called at the end of every call and must not block. It may be nil.
	Observe func(Observation)
}

// The maximum values and defaults of [Config].
const (
	ceilingRate      = 6
	ceilingStockRate = 2
	ceilingParallel  = 5
	defaultParallel  = 4
)

// Pool has one pace per account, so that all clients of an account wait in one queue.
type Pool struct {
	base      *url.URL
	transport *transport
	log       *slog.Logger
	observe   func(Observation)
	ledgers   Ledgers
	limits    limits

	mu    sync.Mutex
	paces map[string]*pace // account, or hash of a token → pace; keys may share a pace
	sweep int              // number of paces at which idle ones are removed
}

// Idle paces are removed when there are many.
const (
	fewPaces = 1000
	keptIdle = time.Hour
)

// NewPool returns a pool. The error names the wrong field of cfg.
func NewPool(cfg Config) (*Pool, error) {
	base, err := parseBase(cmp.Or(cfg.URL, CanonicalURL))
	if err != nil {
		return nil, err
	}
	for _, limit := range []struct {
		field       string
		value, most int
	}{
		{"Rate", cfg.Rate, ceilingRate}, {"StockRate", cfg.StockRate, ceilingStockRate}, {"Parallel", cfg.Parallel, ceilingParallel},
	} {
		if limit.value < 0 || limit.value > limit.most {
			return nil, fmt.Errorf("upstream %s %d: want 1 to %d, or 0 for the default", limit.field, limit.value, limit.most)
		}
	}
	p := &Pool{
		base: base, log: cfg.Log, observe: cfg.Observe, ledgers: cfg.Ledgers,
		limits: limits{
			rate: cmp.Or(cfg.Rate, ceilingRate), stockRate: cmp.Or(cfg.StockRate, ceilingStockRate),
			inFlight: cmp.Or(cfg.Parallel, defaultParallel),
		},
		paces: map[string]*pace{}, sweep: fewPaces,
	}
	if p.ledgers == nil {
		p.ledgers = inMemory{time.Now()}
	}
	dial := cfg.Dial
	if dial == nil {
		if dial, err = wire.Dialer(base); err != nil {
			return nil, err
		}
	}
	p.transport = newTransport(base, dial)
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	return p, nil
}

func parseBase(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("upstream URL: not a URL; want http(s)://host/path") // the text may contain a password
	}
	if base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") || base.RawQuery != "" || base.User != nil {
		return nil, fmt.Errorf("upstream URL %q: want http(s)://host/path without query or password", base.Redacted())
	}
	base.Path = strings.TrimRight(base.Path, "/")
	return base, nil
}

// Client returns a client for an account with a token. Clients of one account share its pace.
func (p *Pool) Client(accountID string, token Token) *Client {
	return &Client{pool: p, key: accountID, token: token.hide(), calls: new(atomic.Int64)}
}

// Probe returns a client for a token whose account is not yet known. It has the token's own pace until
// [Client.Employee] has returned the account, and then that of the account.
func (p *Pool) Probe(token Token) *Client {
	hash := sha256.Sum256([]byte(token))
	c := p.Client("token "+hex.EncodeToString(hash[:]), token)
	c.probing = true
	return c
}

// paceOf returns the pace of an account or token, creating it if necessary.
func (p *Pool) paceOf(key string, now time.Time) *pace {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, ok := p.paces[key]
	if !ok {
		if len(p.paces) >= p.sweep {
			maps.DeleteFunc(p.paces, func(_ string, other *pace) bool { return now.Sub(other.handed) > keptIdle && other.idle() })
			p.sweep = max(fewPaces, 2*len(p.paces))
		}
		found = newPace(p.ledgers, key, p.limits, p.log)
		p.paces[key] = found
	}
	found.handed = now
	return found
}

// joinAccount moves a token to the pace of its account, once that is known. The account's pace takes over the calls sent so
// far and what the upstream reported about its limits.
func (p *Pool) joinAccount(key, accountID string) error {
	now := time.Now()
	from, to := p.paceOf(key, now), p.paceOf(accountID, now)
	if from == to {
		return nil
	}
	var before Ledger
	err := from.change(func(now moment, l *Ledger) bool {
		before = Ledger{}
		before.absorb(now, l)
		return false
	})
	if err == nil {
		err = to.change(func(now moment, l *Ledger) bool {
			l.absorb(now, &before)
			return true
		})
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPaceUnavailable, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paces[key] = to
	return nil
}
