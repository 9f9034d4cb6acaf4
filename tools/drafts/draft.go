// Package drafts carries out confirmed writes to the upstream, each exactly once. It is the only package that calls the
// client's writing methods.
//
// A draft is a write that a person has to confirm. It contains everything that is shown to the person and everything
// that will be sent. Its digest covers both, and also the UUID that is sent as syncId. A confirmation gives the digest;
// it is recorded with one conditional UPDATE. After that, the service carries out the draft without further input.
//
// Crashes, time-outs and competing replicas do not create a second document: a replica needs a lease to carry out the
// draft, and before a second attempt it looks for the document by its syncId. If the outcome is unknown, the draft
// stays confirmed and is tried again. It fails only for a definite reason, such as a refusal by the upstream.
package drafts

import (
	"encoding/json"
	"time"

	"github.com/kopeck/kopeck/tools"
)

// Kind is the kind of write that a draft prepares.
type Kind string

// The kinds of drafts.
const (
	PurchaseOrder Kind = "purchase_order"
	Transfer      Kind = "transfer"
	PriceChange   Kind = "price_change"
	Gateway       Kind = "gateway"
)

// codePrefixes has the letters with which the codes of drafts of each kind begin.
var codePrefixes = map[Kind]string{PurchaseOrder: "PO", Transfer: "TR", PriceChange: "PC", Gateway: "GW"}

// State is the state of a draft. Only a draft in state Drafted can be confirmed or cancelled.
type State string

// The states of drafts.
const (
	Drafted   State = "draft"
	Confirmed State = "confirmed" // confirmed by a person, but not yet carried out
	Created   State = "created"
	Cancelled State = "cancelled"
	Expired   State = "expired"
	Failed    State = "failed" // will not be carried out; Failure.Written says whether a part of it may have been written
)

// Draft is a write to the upstream, in the form that is shown to people.
type Draft struct {
	ID    string `json:"id"`
	Code  string `json:"code" show:"-"`
	Kind  Kind   `json:"kind"`
	State State  `json:"state"`
	Preview
	Digest       string     `json:"digest" show:"-"`
	ConnectionID string     `json:"connection_id"`
	AccountID    string     `json:"account_id"`
	SessionID    *string    `json:"session_id"` // nil if the draft is not part of a conversation
	CreatedAt    time.Time  `json:"created_at"`
	ExpiresAt    time.Time  `json:"expires_at"`
	ConfirmedAt  *time.Time `json:"confirmed_at"`
	Document     *Document  `json:"document"`
	Failure      *Failure   `json:"failure"`
	Writes       []Write    `json:"writes" show:"-"` // the requests, exactly as they will be sent except for the syncId

	organizationID string
	syncID         string
	content        Content
}

// Line is one line of a draft. Units are in the product's unit of measure. Prices and money are in currency units.
type Line struct {
	ProductID   string       `json:"product_id"`
	Name        string       `json:"name"`
	Code        string       `json:"code"`
	Units       *tools.Units `json:"units"`
	Price       *tools.Money `json:"price"`
	PriceSource string       `json:"price_source,omitempty"` // argument or product_card
	Money       *tools.Money `json:"money"`
	PriceType   string       `json:"price_type,omitempty"`
	OldPrice    *tools.Money `json:"old_price,omitempty"`
}

// Totals has the totals of all lines. Money is set only for a purchase order.
type Totals struct {
	Lines    int          `json:"lines"`
	Units    *tools.Units `json:"units"`
	Money    *tools.Money `json:"money"`
	Currency string       `json:"currency"`
	VAT      string       `json:"vat,omitempty"` // "none" for a purchase order, otherwise empty
}

// Party is an organization, counterparty or warehouse that the document names.
type Party struct {
	Role string `json:"role"` // organization, supplier, warehouse, from_warehouse or to_warehouse
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Omission is a product that the request covers but the draft leaves out.
type Omission struct {
	ProductID string `json:"product_id"`
	Name      string `json:"name"`
	Why       string `json:"why"` // no_purchase_price, purchase_price_hidden, archived or already_ordered
}

// Document is the document that was created in the upstream, or the first object that was changed. Differences lists
// the fields or objects whose values in the upstream differ from what was sent. Usually it is empty.
type Document struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Href        string   `json:"href" show:"-"`
	Posting     string   `json:"posting,omitempty"` // posted or not_posted; empty if unknown, or if it is no document
	Differences []string `json:"differences,omitempty"`
}

// Failure says why a draft failed.
type Failure struct {
	Code      string         `json:"code"`
	Message   string         `json:"message"`
	MessageRU string         `json:"message_ru,omitempty" show:"-"` // the same in Russian; old drafts have none
	Upstream  *UpstreamError `json:"upstream,omitempty"`
	// Written is true if a part of the draft was written or may have been written. Message says which part.
	Written bool `json:"written,omitempty"`
	// Changes has the outcome of each change, if the draft has several. It is empty if the outcomes are unknown.
	Changes []Change `json:"changes,omitempty"`
}

// Change is one of the changes that a draft makes.
type Change struct {
	ID    string      `json:"id"` // id of the object to change
	Name  string      `json:"name"`
	State ChangeState `json:"state"`
}

// ChangeState is the outcome of a change.
type ChangeState string

// The possible outcomes of a change.
const (
	Made             ChangeState = "made"
	Refused          ChangeState = "refused"           // the upstream refused the change
	ChangedMeanwhile ChangeState = "changed_meanwhile" // somebody else has changed the object, so the change was not made
	NotMade          ChangeState = "not_made"
	Unknown          ChangeState = "unknown" // somebody else has changed the object, possibly after an earlier attempt had made the change
)

func (f *Failure) Error() string { return f.Message }

// UpstreamError is the upstream's error answer.
type UpstreamError struct {
	Status    int    `json:"status,omitempty"` // HTTP status; 0 for old drafts, which did not store it
	Code      int    `json:"code"`
	Text      string `json:"text"`
	Parameter string `json:"parameter,omitempty"`
}

// Content is everything that a draft shows and sends.
type Content struct {
	Preview
	Writes []Write `json:"writes"`
	Basis  []Basis `json:"basis"`
}

// Preview is what a draft shows, besides the requests.
type Preview struct {
	Summary string       `json:"summary"`
	Parties []Party      `json:"parties"`
	Lines   []Line       `json:"lines"`
	Totals  Totals       `json:"totals"`
	LeftOut []Omission   `json:"left_out,omitempty"`
	Notes   []tools.Note `json:"notes,omitempty" show:"-"` // what to know before confirming; nil in a tool's result, which has them
}

// Write is one request to the upstream. If ID is empty, it is a POST of Body, with the draft's syncId, to entity/Kind.
// Otherwise it is a PUT to the object with that ID.
type Write struct {
	Kind string          `json:"kind"`
	ID   string          `json:"id,omitempty"`
	Body json.RawMessage `json:"body"`
}
