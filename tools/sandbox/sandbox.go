// Package sandbox is a simulated account of MoySklad behind real HTTP: believable books of a shop, made from a seed, and
// the upstream's own manners, traps and limits included. The demo runs on it, and every test that would need a real
// account.
//
// It is built from the vendor's documentation, not from what our client finds handy: what the documentation leaves open
// is a switch. Left out are webhooks, async requests, audit and notifications (404).
package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Role is what the employee behind the token may do.
type Role string

// The roles. NoCost sees no cost, purchase price or profit; ReadOnly sees everything and writes nothing.
const (
	Full     Role = "full"
	NoCost   Role = "nocost"
	ReadOnly Role = "readonly"
)

// Config is how the account is made and how it behaves. The zero value is the default demo: 200 products, a full role.
type Config struct {
	Seed       int64
	Products   int              // 0 is 200; variants, bundles and services come on top
	Warehouses int              // 0 is 4; at most 20
	Role       Role             // empty is Full
	UnitWeight int              // units that an ordinary request costs, 1 to 4; 0 is what a user's token costs on the day
	Now        func() time.Time // nil is time.Now; the books end the day before
	Token      string           // empty is derived from the seed
	Latency    time.Duration    // added to every answer
	Unlimited  bool             // no limits of pace, for tests of other things
	Replay     bool             // reads that were answered once are answered again as sent, until something is written
	Tame       bool             // without the few names and comments that attack whoever shows them or feeds them to a model
	Switches
}

// Switches choose what the vendor's documentation leaves open, and what a tariff or a moment can change. The zero value
// is the likelier reading.
type Switches struct {
	HiddenCostZero        bool // without the cost right: costs are 0 rather than missing
	BuyPriceShown         bool // without the cost right: products still show buyPrice
	NotEqualKeepsEmpty    bool // field!=x keeps documents without the field, which are dropped otherwise
	SearchIgnored         bool // entity/assortment ignores search= and sends the whole catalogue
	BadFilterIgnored      bool // unsupported filters of the new assortment are ignored rather than refused
	BulkAlwaysOK          bool // a bulk POST with errors answers 200 rather than 400
	NoChannelRowHidden    bool // profit/bysaleschannel leaves out sales without a channel
	RequiredAttribute     bool // purchase orders and moves have a required attribute
	VATUnlessSaid         bool // a document that says nothing of VAT is written with 20 % of it rather than without
	DraftMoveChecked      bool // a draft move within one store is refused like a posted one
	IdleTurnoverHidden    bool // turnover shows only items that moved, unless withoutturnover=true
	NoCRM                 bool // the tariff has no counterparty report: 403, 1043
	BalancesHidden        bool // report/counterparty leaves balances out, as reports do with what a role may not see
	NoMoneyRight          bool // the role may not see money reports: 403, 1016
	OwnOrdersOnly         bool // the role sees only its own customer orders and shipments, which is half of them
	NoStockRight          bool // the role may not see stock reports: 13003, 13004
	RefusalsAreHTML       bool // 429 comes from the web server, as a page
	NestedLimit           int  // rows of an expanded collection; 0 is 1000, old accounts had 100
	Recalculating         int  // so many items are being recalculated: missing from stock reports, null on request
	UnderMinimumSumsOnly  bool // stockMode=underMinimum knows only the one-number mode of a threshold
	Commission            bool // the marketplaces sell on commission, and report what they have sold
	Prepayments           bool // the shop takes payments before it hands goods over
	SalePriceOfLastColumn bool // stock/all takes salePrice from the last price type rather than the first
}

// Sandbox is one simulated account. It is safe for concurrent use.
type Sandbox struct {
	config  Config
	books   *Books
	limiter *limiter
	faults  faults
	memo    memo

	mu     sync.RWMutex // guards what the API writes
	tokens []string     // valid ones
}

// New makes the account's books. The same seed and time make the same books.
func New(config Config) *Sandbox {
	config.Products = cmp.Or(config.Products, 200)
	config.Warehouses = min(cmp.Or(config.Warehouses, 4), 20)
	config.Role = cmp.Or(config.Role, Full)
	config.NestedLimit = cmp.Or(config.NestedLimit, maxRows)
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Token == "" {
		config.Token = fmt.Sprintf(
			"%016x%016x%08x", mix(uint64(config.Seed)), mix(uint64(config.Seed)+1), uint32(mix(uint64(config.Seed)+2)),
		)
	}
	return &Sandbox{
		config:  config,
		books:   generate(config),
		limiter: newLimiter(config.Unlimited),
		tokens:  []string{config.Token},
	}
}

// Token is the employee's access token, 40 hexadecimal characters.
func (s *Sandbox) Token() string { return s.config.Token }

// Books are the generator's own data. What the API creates is added to them.
func (s *Sandbox) Books() *Books { return s.books }

// Serve answers at addr until ctx ends. The address may name port 0; ready is told the one that was taken.
func (s *Sandbox) Serve(ctx context.Context, addr string, ready func(url string)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen for the sandbox: %w", err)
	}
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if ready != nil {
		ready("http://" + listener.Addr().String() + basePath)
	}
	if err := server.Serve(listener); ctx.Err() == nil {
		return fmt.Errorf("serve the sandbox: %w", err)
	}
	return nil
}

// basePath is where the API stands at the sandbox's own address, as at the vendor's.
const basePath = "/api/remap/1.2"

// base begins every link in the answers, whatever address the request came to.
const base = moysklad.Canonical
