// Package tools answers questions about the books of a trading account. Each tool reads through the paced client,
// computes exact figures, and attaches the notes that a reader needs in order to interpret them. The package does not
// depend on models.
//
// A tool consists of two files. stock.go has the function; the JSON Schemas are generated from its argument and result
// structs. stock.yaml has the description for models, the labels of fields, and the layout of the result.
//
// README.md lists the calls of each tool to the upstream, and a test checks them. In comments, a heavy call reads the
// stock report, which costs five units of the upstream's budget, and a light call a short stock report or a list.
package tools

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Kind distinguishes tools that only read from tools that prepare a draft, which a person must confirm.
type Kind string

// The kinds of tools.
const (
	Read  Kind = "read"
	Draft Kind = "draft"
)

// Tool is an operation on an account. Create one with [Define].
type Tool struct {
	Name        string          `json:"name"`
	Kind        Kind            `json:"kind"`
	Description string          `json:"description"` // for models
	Parameters  json.RawMessage `json:"parameters"`  // JSON Schema 2020-12 of the arguments
	Result      json.RawMessage `json:"result"`      // JSON Schema 2020-12 of Result.Result

	decode func(json.RawMessage) (any, error)
	fields func() *Field
	run    func(ctx context.Context, a *Account, args json.RawMessage) (*Result, error)
}

// Fields describes the fields of the tool's result.
func (t Tool) Fields() *Field { return t.fields() }

// Takes reports whether the tool has an argument.
func (t Tool) Takes(argument string) bool {
	var schema struct{ Properties map[string]json.RawMessage }
	_ = json.Unmarshal(t.Parameters, &schema) // a tool's own schema is valid
	_, takes := schema.Properties[argument]
	return takes
}

// Account is a trading account as one connection sees it. It is used for one question.
type Account struct {
	ID           string // the upstream's accountId
	ConnectionID string

	// The caller. A draft belongs to an organization, a key and, in most cases, a conversation.
	OrganizationID string
	KeyID          string
	SessionID      string // empty outside of a conversation

	Rights        Rights
	MinRows       int              // results may list this many rows even if the limit argument is lower
	PartlyVisible []string         // kinds of records of which the role sees only some
	Client        *moysklad.Client // counts the calls of this question
	Cache         *AccountCache    // cached data of this account
	Now           func() time.Time
}

// WithProgress returns a copy of the account that counts its calls. The function reports how many calls have been sent,
// and how many more the lists being read are expected to need.
func (a *Account) WithProgress() (*Account, func() (sent, remaining int)) {
	if a.Client == nil {
		return a, func() (int, int) { return 0, 0 }
	}
	account, progress := *a, new(moysklad.Progress)
	account.Client = a.Client.WithProgress(progress)
	return &account, progress.Calls
}

// Rights is what the connection's role may see and do.
type Rights = moysklad.Rights

// Result is the outcome of a tool, with its notes. Result.Result is the tool's own struct.
type Result struct {
	Tool          string          `json:"tool"`
	Arguments     json.RawMessage `json:"arguments,omitempty"` // set when a conversation stores the result
	ConnectionID  string          `json:"connection_id"`
	AccountID     string          `json:"account_id"`
	Currency      string          `json:"currency"` // ISO code of the account's currency; empty if the tool did not read the account
	AsOf          time.Time       `json:"as_of"`    // when the oldest data in the result was read
	Result        any             `json:"result"`
	Notes         []Note          `json:"notes"`
	UpstreamCalls int             `json:"upstream_calls"`
	DurationMS    int64           `json:"duration_ms"`
}

// NoteCode identifies the subject of a [Note].
type NoteCode string

// The codes that are part of the public contract.
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

// Note says what a reader must know about a result's figures. Text is in English; [NoteText] has both languages.
type Note struct {
	Code   NoteCode          `json:"code"`
	Text   string            `json:"text"`
	Values map[string]string `json:"values,omitempty"` // the figures in the text, by name

	isAside bool // beside an answer that shows none of the figures that the note is about
}
