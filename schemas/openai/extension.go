package openai

import "time"

// Extension is what the service adds to OpenAI's answers, under the one key "kopeck": for machines that want to follow
// the work. Clients that do not know the key pass over it; in a stream it travels on chunks whose delta is empty.
type Extension struct {
	SessionID string         `json:"session_id,omitempty"`
	Tools     []ToolActivity `json:"tools,omitempty"`
}

// The states of a tool that the service runs itself.
const (
	ToolStarted  = "started"
	ToolFinished = "finished"
	ToolFailed   = "failed"
)

// ToolProgress is how far a tool has got with its requests to the upstream. More may turn out to be needed.
type ToolProgress struct {
	Calls       int `json:"calls"`
	Of          int `json:"of"`
	SecondsLeft int `json:"seconds_left"`
}

// ToolActivity is what became of one tool that the service ran for the answer. It is never a tool_calls entry: clients
// would try to run it.
type ToolActivity struct {
	CallID    string `json:"call_id"`
	Tool      string `json:"tool"`
	State     string `json:"state"`
	Arguments string `json:"arguments,omitempty"` // JSON text as the model wrote it

	Progress *ToolProgress `json:"progress,omitempty"` // in streams, while it goes on
	Result   any           `json:"result,omitempty"`   // the ToolResult, when finished
	Error    any           `json:"error,omitempty"`    // the error's detail, when failed
}

// MessageExtension is what the service adds to a message, or to a delta of one, under "kopeck".
type MessageExtension struct {
	Figures []Figure `json:"figures"`
}

// Figure is a value in the text of an answer and where it comes from. Start and End are its place in the whole text, in
// Unicode code points.
type Figure struct {
	Start      int      `json:"start"`
	End        int      `json:"end"`
	Expression string   `json:"expression"`
	Kind       string   `json:"kind,omitempty"`
	Marked     bool     `json:"marked,omitempty"` // the reports do not have it; the text says so in its place
	Origins    []Origin `json:"origins,omitempty"`
	More       int      `json:"more,omitempty"` // origins that are not listed, of a sum over many rows
}

// Origin is a field of a report that a figure rests on.
type Origin struct {
	Report string    `json:"report"`           // R1, R2, … in the order of the session's tool calls
	Source string    `json:"source,omitempty"` // the report for people, with its period, in the answer's language
	Tool   string    `json:"tool"`
	Field  string    `json:"field"`
	Row    int       `json:"row,omitempty"` // from 1
	Name   string    `json:"name,omitempty"`
	Code   string    `json:"code,omitempty"`
	AsOf   time.Time `json:"as_of"`
}
