package moysklad

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"time"
)

// Canonical is the base of every link in bodies and filters, whatever address requests are sent to.
const Canonical = "https://api.moysklad.ru/api/remap/1.2"

// Token is an employee's access token. It prints as ***.
type Token string

// String hides the token.
func (Token) String() string { return "***" }

// MarshalJSON hides the token.
func (Token) MarshalJSON() ([]byte, error) { return []byte(`"***"`), nil }

// LogValue hides the token.
func (Token) LogValue() slog.Value { return slog.StringValue("***") }

// Config is how to reach the upstream. The zero value reaches the real one at the ceilings.
type Config struct {
	URL       string            // where requests are sent; empty is [Canonical]
	Transport http.RoundTripper // nil is a transport of the package's own, kept to what the vendor asks of clients
	Rate      int               // calls in any second to one account; 0 is 6, which is also the most
	StockRate int               // of these, calls to report/stock/*; 0 is 2, which is also the most
	Parallel  int               // calls in flight to one account; 0 is 4
	Now       func() time.Time  // nil is time.Now; decides dates in the answers' as_of, never waits
	Log       *slog.Logger      // nil is silent
}

// Pool has one pace for each account, so that every client of an account waits in one queue.
type Pool struct{}

// NewPool checks cfg; the error names the field.
func NewPool(cfg Config) (*Pool, error) { panic("not yet") }

// Client reaches an account with a token. Clients of one account share its pace.
func (p *Pool) Client(accountID string, token Token) *Client { panic("not yet") }

// Probe reaches the account of a token before the account is known: paced by the token.
func (p *Pool) Probe(token Token) *Client { panic("not yet") }

// Client reads one account. It is safe for concurrent use; waits and calls end with the caller's context.
type Client struct{}

// Counted is the same client with a call counter of its own, for one question.
func (c *Client) Counted() *Client { panic("not yet") }

// Calls is how many requests this client has sent, retries included.
func (c *Client) Calls() int { panic("not yet") }

// Employee is the owner of the token; its AccountID is the account.
func (c *Client) Employee(ctx context.Context) (Employee, error) { panic("not yet") }

// Organizations, Stores, … are complete lists or an error.
func (c *Client) Organizations(ctx context.Context) ([]Organization, error) { panic("not yet") }

// Stores are the warehouses that are not archived.
func (c *Client) Stores(ctx context.Context) ([]Store, error) { panic("not yet") }

// Currencies of the account.
func (c *Client) Currencies(ctx context.Context) ([]Currency, error) { panic("not yet") }

// SalesChannels of the account.
func (c *Client) SalesChannels(ctx context.Context) ([]SalesChannel, error) { panic("not yet") }

// PriceTypes of the account; the first is the default one.
func (c *Client) PriceTypes(ctx context.Context) ([]PriceType, error) { panic("not yet") }

// BankAccounts of one organization.
func (c *Client) BankAccounts(ctx context.Context, organizationID string) ([]BankAccount, error) {
	panic("not yet")
}

// States of a document type, from its metadata.
func (c *Client) States(ctx context.Context, documentType string) ([]State, error) { panic("not yet") }

// Query is what a list is asked for. A zero Limit is the largest that the other fields allow: 100 with Expand, else
// 1000; Max stops after that many rows (0 is all), for samples that are not passed off as lists.
type Query struct {
	Filter Filter
	Search string
	Order  string
	Expand []string
	Fields string
	Limit  int
	Max    int
	Params map[string]string // parameters of reports: momentFrom, momentTo, groupBy, stockType, include …
}

// List reads entity/kind page by page, complete or ending in an error.
func List[T any](ctx context.Context, c *Client, kind string, q Query) iter.Seq2[T, error] {
	panic("not yet")
}

// Products reads entity/product: the only list that carries minimumStock.
func (c *Client) Products(ctx context.Context, q Query) iter.Seq2[Product, error] { panic("not yet") }

// Variants reads entity/variant.
func (c *Client) Variants(ctx context.Context, q Query) iter.Seq2[Product, error] { panic("not yet") }

// Assortment reads entity/assortment without stock, the contract that stays after 2027.
func (c *Client) Assortment(ctx context.Context, q Query) iter.Seq2[Product, error] {
	panic("not yet")
}

// Documents reads entity/kind, nested positions completed when they are expanded.
func (c *Client) Documents(ctx context.Context, kind string, q Query) iter.Seq2[Document, error] {
	panic("not yet")
}

// Document reads one document.
func (c *Client) Document(ctx context.Context, kind, id string, q Query) (Document, error) {
	panic("not yet")
}

// StockAll reads report/stock/all with stockMode=all;quantityMode=all unless the filter says otherwise.
func (c *Client) StockAll(ctx context.Context, q Query) iter.Seq2[StockRow, error] { panic("not yet") }

// StockByStore reads report/stock/bystore with stockMode=all unless the filter says otherwise.
func (c *Client) StockByStore(ctx context.Context, q Query) iter.Seq2[StoreStockRow, error] {
	panic("not yet")
}

// CurrentStock reads report/stock/bystore/current: one cheap call for the whole account, zeros included.
func (c *Client) CurrentStock(ctx context.Context, figure StockType, q Query) iter.Seq2[CurrentStock, error] {
	panic("not yet")
}

// StockLayers reads report/byoperations/stock for one product or variant.
func (c *Client) StockLayers(ctx context.Context, assortment Meta) iter.Seq2[StockLayer, error] {
	panic("not yet")
}

// Profit reads report/profit/by…: by is byproduct, byvariant or bysaleschannel.
func (c *Client) Profit(ctx context.Context, by string, from, to time.Time, q Query) iter.Seq2[ProfitRow, error] {
	panic("not yet")
}

// Turnover reads report/turnover/all.
func (c *Client) Turnover(ctx context.Context, from, to time.Time, q Query) iter.Seq2[TurnoverRow, error] {
	panic("not yet")
}

// MoneyByAccount reads report/money/byaccount.
func (c *Client) MoneyByAccount(ctx context.Context) ([]AccountBalance, error) { panic("not yet") }

// MoneyFlow reads report/money/plotseries; interval is hour, day or month.
func (c *Client) MoneyFlow(ctx context.Context, from, to time.Time, interval string) (MoneyFlow, error) {
	panic("not yet")
}

// CounterpartyBalances reads report/counterparty.
func (c *Client) CounterpartyBalances(ctx context.Context, q Query) iter.Seq2[CounterpartyRow, error] {
	panic("not yet")
}
