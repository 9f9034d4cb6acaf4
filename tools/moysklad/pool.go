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

// Config configures access to the upstream. The zero value uses the real upstream with the default limits.
type Config struct {
	URL       string       // base address for requests; empty means [CanonicalURL]
	Rate      int          // calls per second to one account, at most 6; 0 means 6
	StockRate int          // calls per second to report/stock/*, at most 2; 0 means 2
	Parallel  int          // calls in flight to one account; 0 means 4; the upstream allows a user 5
	Ledgers   Ledgers      // nil keeps ledgers in memory; then no other process may call the accounts
	Restarted bool         // with ledgers in memory: an earlier process may have called the accounts until now
	Log       *slog.Logger // nil disables logging

	// Dial opens a connection to the upstream, including TLS. Tests replace it. If it is nil, connections go over the
	// network, through the proxy of the environment if one is set.
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

// Pool has one pace per account, so that all clients of an account wait in the same queue.
type Pool struct {
	base      *url.URL
	transport *transport
	log       *slog.Logger
	observe   func(Observation)
	ledgers   Ledgers
	limits    limits

	mu    sync.Mutex
	paces map[string]*pace // by account id or hash of a token; several keys may share a pace
	sweep int              // idle paces are removed when there are this many
}

// When a pool has many paces, it removes idle ones.
const (
	fewPaces = 1000
	keptIdle = time.Hour
)

// NewPool returns a pool. If a field of cfg is wrong, the error names the field.
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
		kept := inMemory{began: time.Now()}
		if cfg.Restarted {
			kept.hold = lateArrival + budgetWindow
		}
		p.ledgers = kept
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

// Client returns a client for an account with a token. Clients of one account share its pace, and so do later probes of
// the token.
func (p *Pool) Client(accountID string, token Token) *Client {
	to := p.paceOf(accountID, time.Now())
	p.mu.Lock()
	defer p.mu.Unlock()
	if key := tokenKey(token); p.paces[key] == nil {
		p.paces[key] = to
	}
	return p.client(accountID, token)
}

func (p *Pool) client(key string, token Token) *Client {
	return &Client{pool: p, key: key, token: token.hide(), calls: new(atomic.Int64)}
}

// Probe returns a client for a token whose account may not be known yet. It uses the account's pace if the token has been
// used before. Otherwise the token has a pace of its own until [Client.Employee] has returned the account.
func (p *Pool) Probe(token Token) *Client {
	c := p.client(tokenKey(token), token)
	c.probing = true
	return c
}

func tokenKey(token Token) string {
	hash := sha256.Sum256([]byte(token))
	return "token " + hex.EncodeToString(hash[:])
}

// paceOf returns the pace of an account id or of the hash of a token. It creates the pace if necessary.
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

// joinedError means that an account's pace has taken over the pace of a token.
type joinedError struct{ account string }

func (e joinedError) Error() string { return "the token now uses the pace of account " + e.account }

// enter waits until the pace of key admits a call. If the token's account becomes known meanwhile, to this process or to
// another one, the call goes on waiting in the account's pace.
func (p *Pool) enter(ctx context.Context, key string, k class) (*ticket, error) {
	t, err := p.paceOf(key, time.Now()).enter(ctx, k)
	joined, ok := errors.AsType[joinedError](err)
	if !ok {
		return t, err
	}
	to := p.paceOf(joined.account, time.Now())
	p.setPace(key, to)
	return to.enter(ctx, k)
}

func (p *Pool) setPace(key string, to *pace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paces[key] = to
}

// joinAccount moves a token to the pace of its account, once the account is known. The account's pace takes over the
// calls that were sent before and what the upstream reported about the limits. Calls that still wait go on waiting there.
func (p *Pool) joinAccount(key, accountID string) error {
	now := time.Now()
	from, to := p.paceOf(key, now), p.paceOf(accountID, now)
	switch {
	case from == to:
		return nil
	case from.account != key: // the token was taken for one of another account, whose pace stays as it is
		p.setPace(key, to)
		return nil
	}
	var before Ledger
	err := from.change(func(now instant, l *Ledger) bool {
		before = Ledger{}
		if l.Joined == "" {
			before.absorb(now, l)
		}
		return false
	})
	if err == nil {
		err = to.change(func(now instant, l *Ledger) bool {
			l.absorb(now, &before)
			return true
		})
	}
	if err == nil { // last, so that the account's pace counts the earlier calls before it admits those that still wait
		err = from.change(func(_ instant, l *Ledger) bool {
			l.Joined = accountID
			return true
		})
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPaceUnavailable, err)
	}
	p.setPace(key, to)
	from.wake()
	return nil
}
