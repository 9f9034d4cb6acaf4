// Package webhooks notifies other systems of what happened in an organization. It follows Standard Webhooks
// (https://www.standardwebhooks.com): messages are signed, and repeated until they are accepted.
//
// Messages are created from the organization's audit. The audit is written in the transaction of the change, so a crash
// between a change and its message loses nothing. A message is sent at least once, always with the same webhook-id.
package webhooks

import (
	"encoding/json"
	"slices"
	"time"
)

// Event is a type of message.
type Event string

// The types of messages. The first five are named after actions in the audit.
const (
	DraftMade         Event = "draft.made"      // shown, waiting for a person
	DraftConfirmed    Event = "draft.confirmed" // by a person
	DraftCreated      Event = "draft.created"   // the document exists upstream
	DraftFailed       Event = "draft.failed"    // refused by the upstream
	ConnectionFailing Event = "connection.failing"
	DigestAnswered    Event = "digest.answered"
	DigestFailed      Event = "digest.failed"
	AuditHead         Event = "audit.head"   // the signed end of the audit
	Test              Event = "webhook.test" // only sent on request
)

// Events are the events that a webhook can choose; by default it gets all of them.
var Events = []Event{DraftMade, DraftConfirmed, DraftCreated, DraftFailed, ConnectionFailing, DigestAnswered, DigestFailed, AuditHead}

// auditedEvents are the events made from the audit.
var auditedEvents = Events[:5]

// Webhook is a URL that events are sent to.
type Webhook struct {
	ID         string     `json:"id"`
	URL        string     `json:"url"`
	Events     []Event    `json:"events"`
	CreatedAt  time.Time  `json:"created_at"`
	CreatedBy  string     `json:"created_by"`
	DisabledAt *time.Time `json:"disabled_at"` // when the URL responded 410 Gone; nothing is sent any more

	organizationID string
	sealedSecret   string
	position       int64
}

func (w Webhook) wants(e Event) bool { return w.DisabledAt == nil && slices.Contains(w.Events, e) }

// State is the state of a delivery.
type State string

// The states of a delivery.
const (
	Pending   State = "pending" // waiting for its next attempt
	Delivered State = "delivered"
	Failed    State = "failed" // given up; can be replayed
)

// Delivery is a message to one webhook.
type Delivery struct {
	ID            string          `json:"id"` // the message's webhook-id
	Event         Event           `json:"event"`
	State         State           `json:"state"`
	Attempts      int             `json:"attempts"`
	CreatedAt     time.Time       `json:"created_at"`
	NextAttemptAt *time.Time      `json:"next_attempt_at"` // nil unless pending
	SettledAt     *time.Time      `json:"settled_at"`
	LastStatus    *int            `json:"last_status"`  // HTTP status of the last attempt
	LastProblem   *string         `json:"last_problem"` // why the last attempt failed
	Message       json.RawMessage `json:"message"`      // as sent

	organizationID string
	webhookID      string
}

// message is the body of a delivery.
type message struct {
	Type      Event     `json:"type"`
	Timestamp time.Time `json:"timestamp"` // when it happened
	Data      any       `json:"data"`
}
