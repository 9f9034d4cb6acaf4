// Package webhooks tells other systems what happened in an organization, as Standard Webhooks
// (https://www.standardwebhooks.com) describes it: signed messages, repeated until they are taken.
//
// Messages are made from the organization's audit, which the transaction of the change itself writes: a crash between a change and
// its message loses nothing. A message is sent at least once; its webhook-id is the same each time.
package webhooks

import (
	"encoding/json"
	"slices"
	"time"
)

// Event is a type of message.
type Event string

// The types of messages. The first five bear the names of the audit's actions.
const (
	DraftMade         Event = "draft.made"      // shown, waits for a person
	DraftConfirmed    Event = "draft.confirmed" // by a person
	DraftCreated      Event = "draft.created"   // the document is in the books
	DraftFailed       Event = "draft.failed"    // refused by the upstream
	ConnectionFailing Event = "connection.failing"
	DigestAnswered    Event = "digest.answered"
	DigestFailed      Event = "digest.failed"
	AuditHead         Event = "audit.head"   // where the audit ends now, signed
	Test              Event = "webhook.test" // sent on request, to whoever asks for it
)

// Events are those that a webhook can ask for, and the ones it gets if it names none.
var Events = []Event{DraftMade, DraftConfirmed, DraftCreated, DraftFailed, ConnectionFailing, DigestAnswered, DigestFailed, AuditHead}

// audited are the events that the audit tells of.
var audited = Events[:5]

// Webhook is an address that events are sent to.
type Webhook struct {
	ID         string     `json:"id"`
	URL        string     `json:"url"`
	Events     []Event    `json:"events"`
	CreatedAt  time.Time  `json:"created_at"`
	CreatedBy  string     `json:"created_by"`
	DisabledAt *time.Time `json:"disabled_at"` // when the address answered 410 Gone; nothing is sent since

	organizationID string
	sealedSecret   string
	position       int64
}

func (w Webhook) wants(e Event) bool { return w.DisabledAt == nil && slices.Contains(w.Events, e) }

// State is what has become of a delivery.
type State string

// The states of a delivery.
const (
	Pending   State = "pending" // waits for its next attempt
	Delivered State = "delivered"
	Failed    State = "failed" // given up; it can be replayed
)

// Delivery is one message to one webhook.
type Delivery struct {
	ID            string          `json:"id"` // the message's webhook-id
	Event         Event           `json:"event"`
	State         State           `json:"state"`
	Attempts      int             `json:"attempts"`
	CreatedAt     time.Time       `json:"created_at"`
	NextAttemptAt *time.Time      `json:"next_attempt_at"` // null unless pending
	SettledAt     *time.Time      `json:"settled_at"`
	LastStatus    *int            `json:"last_status"`  // HTTP status of the last attempt
	LastProblem   *string         `json:"last_problem"` // why the last attempt failed
	Message       json.RawMessage `json:"message"`      // as it is sent

	organizationID string
	webhookID      string
}

// message is the body of a delivery.
type message struct {
	Type      Event     `json:"type"`
	Timestamp time.Time `json:"timestamp"` // when it happened
	Data      any       `json:"data"`
}
