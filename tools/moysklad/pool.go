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

// Canonical is the base of every link in bodies and filters, whatever address requests are sent to.
const Canonical = "https://api.moysklad.ru/api/remap/1.2"

// Config is how to reach the upstream. The zero value reaches the real one at the ceilings.
type Config struct {
	URL       string       // where requests are sent; empty is [Canonical]
	Rate      int          // calls in any second to one account; 0 is 6, which is also the most
	StockRate int          // of these, calls to report/stock/*; 0 is 2, which is also the most
	Parallel  int          // calls in flight to one account; 0 is 4; the upstream allows a user 5
	Ledgers   Ledgers      // nil is in memory: no other process may call the accounts then
	Log       *slog.Logger // nil is silent

	// Dial makes a connection to the upstream, TLS and all, for tests; nil is by the network, through the proxy that the
	// environment names, if any.
	Dial func(context.Context) (net.Conn, error)
	// Observe is told of every call when it is over; nil is nobody. It must not block.
	Observe func(Observation)
}

// The ceilings of [Config].
const (
	ceilingRate      = 6
	ceilingStockRate = 2
	ceilingParallel  = 5
	defaultParallel  = 4
)

// Pool has one pace for each account, so that every client of an account waits in one queue.
type Pool struct {
	base      *url.URL
	transport *transport
	log       *slog.Logger
	observe   func(Observation)
	ledgers   Ledgers
	limits    limits

	mu    sync.Mutex
	paces map[string]*pace // :: account, or digest of a token → pace; several keys may share one
	sweep int              // how many paces make it worth looking for idle ones
}

// Paces are dropped when there are many and they have long been idle.
const (
	fewPaces = 1000
	keptIdle = time.Hour
)

// NewPool checks cfg; the error names the field.
func NewPool(cfg Config) (*Pool, error) {
	base, err := parseBase(cmp.Or(cfg.URL, Canonical))
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
		return nil, errors.New("upstream URL: not a URL; want http(s)://host/path") // it may hold a password
	}
	if base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") || base.RawQuery != "" || base.User != nil {
		return nil, fmt.Errorf("upstream URL %q: want http(s)://host/path without query or password", base.Redacted())
	}
	base.Path = strings.TrimRight(base.Path, "/")
	return base, nil
}

// Client reaches an account with a token. Clients of one account share its pace.
func (p *Pool) Client(accountID string, token Token) *Client {
	return &Client{pool: p, key: accountID, token: token.hide(), calls: new(atomic.Int64)}
}

// Probe reaches the account of a token before the account is known: paced by the token until [Client.Employee] has told
// the account, then with it.
func (p *Pool) Probe(token Token) *Client {
	digest := sha256.Sum256([]byte(token))
	c := p.Client("token "+hex.EncodeToString(digest[:]), token)
	c.probing = true
	return c
}

// paceOf finds or makes the pace of an account or token.
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

// settle moves a token to the pace of its account, once that is known. The account's pace takes over what was sent before and what
// the upstream said about it.
func (p *Pool) settle(key, accountID string) error {
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
		return fmt.Errorf("%w: %w", ErrNoPace, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paces[key] = to
	return nil
}
