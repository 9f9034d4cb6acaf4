package agent

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/kopeck/kopeck/schemas/openai"
)

// ErrNotFound is returned if the organization has no such session.
var ErrNotFound = errors.New("no such session")

// Session is one conversation. ConnectionID and AccountID are nil until an account is chosen.
type Session struct {
	ID            string    `json:"id"`
	Title         string    `json:"title"` // the first question, shortened; empty until it is asked
	ConnectionID  *string   `json:"connection_id"`
	AccountID     *string   `json:"account_id"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
	MessageCount  int       `json:"message_count"`
	PendingDrafts int       `json:"pending_drafts"`
}

// Message is a stored message: one that the user sees, or a call of our tools with its result.
type Message struct {
	Role       string            `json:"role"`
	Content    string            `json:"content"`
	ToolCalls  []openai.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string            `json:"tool_call_id,omitempty"`
	Results    []json.RawMessage `json:"results,omitempty"` // complete tools.Result values, the source of the figures
	Figures    []openai.Figure   `json:"figures,omitempty"` // in Content
	CreatedAt  time.Time         `json:"created_at"`

	images   []openai.Image // of a client's message; not stored
	position int            // in the session, from 1; 0 if not stored
}
