// Package tools is what may be asked of a trading account's books: each tool reads through the paced client, computes
// its figures exactly, and says in notes what must be told with them. Nothing here knows that a model exists.
//
// A tool is a pair of files. stock.go has the function; its arguments and result are Go structs, of which JSON Schemas are
// made. stock.yaml has the words: the text that a model reads, the labels of fields and how the result is shown.
package tools

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Kind says whether a tool only reads or prepares a draft that a person confirms.
type Kind string

// The kinds of tools.
const (
	Read  Kind = "read"
	Draft Kind = "draft"
)

// Tool is one thing that may be asked. Build them with [Define].
type Tool struct {
	Name        string          `json:"name"`
	Kind        Kind            `json:"kind"`
	Description string          `json:"description"` // what a model reads
	Parameters  json.RawMessage `json:"parameters"`  // JSON Schema 2020-12 of the arguments
	Result      json.RawMessage `json:"result"`      // JSON Schema 2020-12 of Result.Result

	decode func(json.RawMessage) (any, error)
	fields func() *Field
	run    func(ctx context.Context, a *Account, args json.RawMessage) (*Result, error)
}

// Account is one set of books as one connection may see it, for one question.
type Account struct {
	ID           string // the upstream's accountId
	ConnectionID string
	Name         string // for people; never tells accounts apart

	// The caller, for tools that prepare drafts: a draft belongs to an organization, a key and mostly a conversation.
	OrganizationID string
	KeyID          string
	SessionID      string // empty outside of a conversation

	Rights    Rights
	WholeRows int              // rows that results list at least, whatever limit says; 0: as limit says
	InPart    []string         // kinds of records of which the role sees only some
	Client    *moysklad.Client // counted for this question
	Books     *Books           // what is already read of this account and still fresh
	Now       func() time.Time
}

// Followed is the same account, whose calls are counted in what is returned besides: how many were sent, and how many more
// are known to come.
func (a *Account) Followed() (*Account, func() (sent, coming int)) {
	if a.Client == nil {
		return a, func() (int, int) { return 0, 0 }
	}
	followed, reading := *a, new(moysklad.Reading)
	followed.Client = a.Client.Followed(reading)
	return &followed, reading.Calls
}

// Rights is what the connection's role may see and do.
type Rights struct {
	Cost  bool `json:"view_cost"`
	Money bool `json:"view_money"`
	Write bool `json:"write_documents"`
}

// Result is a tool's answer with what must be said with it. Result.Result is the tool's own struct.
type Result struct {
	Tool          string          `json:"tool"`
	Arguments     json.RawMessage `json:"arguments,omitempty"` // as the tool was called with, where a conversation keeps the result
	ConnectionID  string          `json:"connection_id"`
	AccountID     string          `json:"account_id"`
	Currency      string          `json:"currency"` // ISO code of the account's currency; empty when nothing was read of the account
	AsOf          time.Time       `json:"as_of"`    // the oldest reading that the figures rest on
	Result        any             `json:"result"`
	Notes         []Note          `json:"notes"`
	UpstreamCalls int             `json:"upstream_calls"`
	DurationMS    int64           `json:"duration_ms"`
}

// NoteCode names what must be said with a result.
type NoteCode string

// The notes of the contract.
const (
	CostCoverage        NoteCode = "COST_COVERAGE" // with every margin
	MarginUnreliable    NoteCode = "MARGIN_UNRELIABLE"
	PurchasePriceBasis  NoteCode = "PURCHASE_PRICE_BASIS"
	CostUnknown         NoteCode = "COST_UNKNOWN"
	NoStatusIncluded    NoteCode = "NO_STATUS_INCLUDED"
	SearchNotApplied    NoteCode = "SEARCH_NOT_APPLIED"
	MinimumsByWarehouse NoteCode = "MINIMUMS_BY_WAREHOUSE"
	LeadTimeUnknown     NoteCode = "LEAD_TIME_UNKNOWN"
	StockRecalculating  NoteCode = "STOCK_RECALCULATING"
	Truncated           NoteCode = "TRUNCATED"
	Stale               NoteCode = "STALE"
)

// Note is something that must be said with the figures, in words made from them. Text is English; [NoteText] gives both
// languages.
type Note struct {
	Code   NoteCode          `json:"code"`
	Text   string            `json:"text"`
	Values map[string]string `json:"values,omitempty"` // the figures inside the text, by name
}
