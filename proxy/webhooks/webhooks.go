// Package webhooks notifies other systems of events in an organization. It follows Standard Webhooks
// (https://www.standardwebhooks.com): messages are signed, and sent again until the receiver accepts them.
//
// Messages are created from the organization's audit, which is written in the same transaction as the change. So a crash
// between a change and its message loses nothing. A message is sent at least once, always with the same webhook-id.
package webhooks

import (
	"encoding/json"
	"slices"
	"time"
)

// Event is a type of message.
type Event string

// The types of messages. The first five have the names of actions in the audit.
const (
	DraftMade         Event = "draft.made"      // the draft was shown and waits for a person
	DraftConfirmed    Event = "draft.confirmed" // a person confirmed the draft
	DraftCreated      Event = "draft.created"   // the document exists upstream
	DraftFailed       Event = "draft.failed"    // the upstream refused the document
	ConnectionFailing Event = "connection.failing"
	DigestAnswered    Event = "digest.answered"
	DigestFailed      Event = "digest.failed"
	AuditHead         Event = "audit.head"   // a signed head of the audit
	Test              Event = "webhook.test" // only sent when a user asks for it
)

// Events are the events that can be chosen for a webhook. By default it gets all of them.
var Events = []Event{DraftMade, DraftConfirmed, DraftCreated, DraftFailed, ConnectionFailing, DigestAnswered, DigestFailed, AuditHead}

// auditedEvents are the events that are created from the audit.
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
	Failed    State = "failed" // given up after the last attempt; can be replayed
)

// Delivery is a message to one webhook.
type Delivery struct {
	ID            string          `json:"id"` // sent as the message's webhook-id
	Event         Event           `json:"event"`
	State         State           `json:"state"`
	Attempts      int             `json:"attempts"`
	CreatedAt     time.Time       `json:"created_at"`
	NextAttemptAt *time.Time      `json:"next_attempt_at"` // nil unless pending
	SettledAt     *time.Time      `json:"settled_at"`
	LastStatus    *int            `json:"last_status"`     // HTTP status of the last attempt
	LastProblem   *string         `json:"last_problem"`    // why the last attempt failed
	LastProblemRU *string         `json:"last_problem_ru"` // the same in Russian; attempts of older versions have none
	Message       json.RawMessage `json:"message"`         // as sent

	organizationID string
	webhookID      string
}

// message is the body of a delivery.
type message struct {
	Type      Event     `json:"type"`
	Timestamp time.Time `json:"timestamp"` // when the event happened
	Data      any       `json:"data"`
}
