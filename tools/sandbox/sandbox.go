// Package sandbox simulates an account of MoySklad over real HTTP. The account has realistic books of a shop, generated
// from a seed, and the quirks and limits of the upstream. The demo and the tests use it instead of a real account.
//
// It follows the vendor's documentation rather than the needs of our client. Where the documentation leaves something
// open, there is a switch. Webhooks, async requests, audit and notifications are not simulated; their paths answer 404
// or 412.
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

// Role is the role of the employee who owns the token.
type Role string

// The roles. NoCost may not see cost, purchase price or profit. ReadOnly may see everything and write nothing.
const (
	Full     Role = "full"
	NoCost   Role = "nocost"
	ReadOnly Role = "readonly"
)

// Config configures the account. The zero value is the default demo: 200 products and the role Full.
type Config struct {
	Seed           int64
	Products       int              // 0 means 200; variants, bundles and services are not counted
	Warehouses     int              // 0 means 4; at most 20
	Role           Role             // empty means Full
	UnitWeight     int              // units that an ordinary request costs, 1 to 4; 0 means what the documentation announces for the day
	Now            func() time.Time // nil means time.Now; the books end on the day before
	Token          string           // empty means a token derived from the seed
	Latency        time.Duration    // added to every answer
	Unlimited      bool             // there are no rate limits
	Replay         bool             // repeat stored answers to reads until something is written
	WithoutAttacks bool             // there are no names and comments that attack a browser or a model
	JustOpened     bool             // the account has warehouses, channels and counterparties, but no goods and no documents
	Switches
}

// Switches choose between interpretations of the vendor's documentation. Some set what depends on the tariff, the role
// or the load. The zero value is the more likely case.
type Switches struct {
	HiddenCostZero        bool // without the right to see cost, costs are 0 rather than missing
	BuyPriceShown         bool // without the right to see cost, products still have buyPrice
	NotEqualKeepsEmpty    bool // field!=x also finds documents in which the field is empty
	SearchIgnored         bool // the new form of entity/assortment ignores the search
	BadFilterIgnored      bool // the new form of entity/assortment ignores unknown filters rather than refusing them
	BulkAlwaysOK          bool // a bulk POST with errors answers 200 rather than 400
	NoChannelRowHidden    bool // profit/bysaleschannel has no row for sales without a channel
	RequiredAttribute     bool // purchase orders and moves have a required attribute
	VATByDefault          bool // a document written without VAT fields gets 20 % VAT rather than none
	DraftMoveChecked      bool // a move within one warehouse is refused even if it is not posted
	IdleTurnoverHidden    bool // turnover shows only items that moved, unless withoutturnover=true
	NoCRM                 bool // the tariff has no counterparty report: 403, 1043
	BalancesHidden        bool // report/counterparty omits balances, as if the role could not see them
	NoMoneyRight          bool // the role may not see money reports: 403, 1016
	OwnOrdersOnly         bool // the role may see only its own customer orders and shipments, about half of all
	NoStockRight          bool // the role may not see stock reports: 403, 13003 or 13004
	RefusalsAreHTML       bool // 429 is an HTML page of the web server
	NestedLimit           int  // maximum rows of an expanded collection; 0 means 1000; old accounts had 100
	Recalculating         int  // number of items being recalculated; stock reports omit them, or show null if a caller requests that
	UnderMinimumSumsOnly  bool // stockMode=underMinimum considers only minimums for all warehouses together
	Commission            bool // the marketplaces sell on commission and report their sales
	Prepayments           bool // the shop takes prepayments
	SalePriceOfLastColumn bool // salePrice in stock/all has the last price type rather than the first
}

// Sandbox is one simulated account. It is safe for concurrent use.
type Sandbox struct {
	config  Config
	books   *Books
	limiter *limiter
	faults  faults
	memo    memo

	mu     sync.RWMutex // guards the data that the API changes
	tokens []string     // the tokens that are valid
}

// New generates the books of an account. The same seed and time always give the same books.
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

// Token returns the employee's access token, 40 hexadecimal characters.
func (s *Sandbox) Token() string { return s.config.Token }

// Books returns the account's books. Writes through the API change them without synchronization. So read them before
// the first write, or while nothing is written.
func (s *Sandbox) Books() *Books { return s.books }

// Serve serves the API at addr until ctx ends. It then returns nil. If ready is not nil, it is called with the URL of
// the API; if addr has port 0, the URL has the actual port.
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

// basePath is the path of the API in the upstream.
const basePath = "/api/remap/1.2"

// base is the beginning of every link in answers. It does not depend on the address of the sandbox.
const base = moysklad.CanonicalURL
