// Package drafts is a write's life: shown, confirmed by a person, created once. It is the only caller of the client's
// writing methods.
//
// A draft holds all that is shown and all that will be sent, and its digest covers both with the UUID that goes upstream
// as syncId. Confirming names the digest and is one conditional UPDATE. From then on creating is the service's own
// concern: whoever holds the draft's lease looks the document up by syncId before any second attempt, so that crashes,
// time-outs and rival replicas leave one document. What is unclear stays confirmed and is tried again; only a definite
// refusal fails.
package drafts

import (
	"encoding/json"
	"time"

	"github.com/kopeck/kopeck/tools"
)

// Kind is what a draft will write.
type Kind string

// The kinds of drafts.
const (
	PurchaseOrder Kind = "purchase_order"
	Transfer      Kind = "transfer"
	PriceChange   Kind = "price_change"
	Gateway       Kind = "gateway"
)

// letters begin a draft's code.
var letters = map[Kind]string{PurchaseOrder: "PO", Transfer: "TR", PriceChange: "PC", Gateway: "GW"}

// State is where a draft stands. Only a draft in state Drafted can be confirmed or cancelled.
type State string

// The states of drafts.
const (
	Drafted   State = "draft"
	Confirmed State = "confirmed" // by a person; being created, or to be
	Created   State = "created"
	Cancelled State = "cancelled"
	Expired   State = "expired"
	Failed    State = "failed" // definitely refused: nothing was written
)

// Draft is a write to the upstream as people see it.
type Draft struct {
	ID           string     `json:"id"`
	Code         string     `json:"code" show:"-"`
	Kind         Kind       `json:"kind"`
	State        State      `json:"state"`
	Summary      string     `json:"summary"`
	Parties      []Party    `json:"parties"`
	Lines        []Line     `json:"lines"`
	Totals       Totals     `json:"totals"`
	LeftOut      []Left     `json:"left_out,omitempty"`
	Digest       string     `json:"digest" show:"-"`
	ConnectionID string     `json:"connection_id"`
	AccountID    string     `json:"account_id"`
	SessionID    *string    `json:"session_id"` // nil outside of a conversation
	CreatedAt    time.Time  `json:"created_at"`
	ExpiresAt    time.Time  `json:"expires_at"`
	ConfirmedAt  *time.Time `json:"confirmed_at"`
	Document     *Document  `json:"document"`
	Failure      *Failure   `json:"failure"`
	Writes       []Write    `json:"writes" show:"-"` // the very requests that will be sent, but for the syncId

	organizationID string
	syncID         string
	payload        Payload
}

// Line is one line of what will be written, with its names and numbers and where each price comes from.
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

// Totals are over all lines; money is null where nothing is bought.
type Totals struct {
	Lines    int          `json:"lines"`
	Units    *tools.Units `json:"units"`
	Money    *tools.Money `json:"money"`
	Currency string       `json:"currency"`
	VAT      string       `json:"vat,omitempty"` // of an order: none
}

// Party is someone or somewhere that a document is about.
type Party struct {
	Role string `json:"role"` // organization, supplier, warehouse, from_warehouse or to_warehouse
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Left is a product that belongs to what was asked and is not in the draft.
type Left struct {
	ProductID string `json:"product_id"`
	Name      string `json:"name"`
	Why       string `json:"why"` // no_purchase_price, archived or already_ordered
}

// Document is what was created upstream. Differences tell, field by field, where the upstream's echo is not what was
// sent; mostly empty.
type Document struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Href        string   `json:"href" show:"-"`
	Differences []string `json:"differences,omitempty"`
}

// Failure is why a confirmed draft did not become what it stands for. Upstream has the upstream's own code and words.
type Failure struct {
	Code     string    `json:"code"`
	Message  string    `json:"message"`
	Upstream *Upstream `json:"upstream,omitempty"`
	// Written: a part of it was written, or it is not known that nothing was. Message says which.
	Written bool `json:"written,omitempty"`
	// Changes are what became of each change of a draft that has several, where that is known.
	Changes []Change `json:"changes,omitempty"`
}

// Change is one of the changes that a draft makes.
type Change struct {
	ID    string      `json:"id"` // of what is changed
	Name  string      `json:"name"`
	State ChangeState `json:"state"`
}

// ChangeState is what became of a change.
type ChangeState string

// The states of changes.
const (
	Made             ChangeState = "made"
	Refused          ChangeState = "refused"           // by the upstream
	ChangedMeanwhile ChangeState = "changed_meanwhile" // by somebody else: it was left as it is
	NotMade          ChangeState = "not_made"
)

func (f *Failure) Error() string { return f.Message }

// Upstream is the upstream's refusal in its own words.
type Upstream struct {
	Status    int    `json:"status,omitempty"` // unknown of drafts that failed before it was kept
	Code      int    `json:"code"`
	Text      string `json:"text"`
	Parameter string `json:"parameter,omitempty"`
}

// Payload is all that a draft shows and all that it sends: what is not in it is neither. The preview is a pure function
// of it.
type Payload struct {
	Summary string  `json:"summary"`
	Parties []Party `json:"parties"`
	Lines   []Line  `json:"lines"`
	Totals  Totals  `json:"totals"`
	LeftOut []Left  `json:"left_out,omitempty"`
	Writes  []Write `json:"writes"`
	Basis   []Basis `json:"basis"`
}

// Write is one request to the upstream: a POST of Body to entity/Kind, carrying the draft's syncId, or, with an ID, a PUT
// to that object.
type Write struct {
	Kind string          `json:"kind"`
	ID   string          `json:"id,omitempty"`
	Body json.RawMessage `json:"body"`
}
