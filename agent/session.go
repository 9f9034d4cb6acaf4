package agent

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/kopeck/kopeck/schemas/openai"
)

// ErrNotFound tells that the organization has no such session.
var ErrNotFound = errors.New("no such session")

// Session is one conversation. ConnectionID and AccountID are nil until an account is chosen.
type Session struct {
	ID            string    `json:"id"`
	Title         string    `json:"title"` // the first question, shortened; empty before it
	ConnectionID  *string   `json:"connection_id"`
	AccountID     *string   `json:"account_id"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
	MessageCount  int       `json:"message_count"`
	PendingDrafts int       `json:"pending_drafts"`
}

// Message is one message of a session as it is kept: the visible ones and, between them, the calls of the service's own
// tools with what they answered.
type Message struct {
	Role       string            `json:"role"`
	Content    string            `json:"content"`
	ToolCalls  []openai.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string            `json:"tool_call_id,omitempty"`
	Results    []json.RawMessage `json:"results,omitempty"` // tools.Result values, whole: the figures' source
	Figures    []openai.Figure   `json:"figures,omitempty"` // of an answer's text
	CreatedAt  time.Time         `json:"created_at"`

	images   []openai.Image // of a client's message; they are not kept
	position int            // in the session, from 1; 0: not kept yet
}
