package openai

import "time"

// Extension is what the service adds to OpenAI's answers under the key "kopeck", for programs that follow the progress.
// Other clients ignore it; in a stream it is sent on chunks with an empty delta.
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

// ToolProgress counts a tool's requests to MoySklad. The total can grow.
type ToolProgress struct {
	Calls       int `json:"calls"`
	Of          int `json:"of"`
	SecondsLeft int `json:"seconds_left"`
}

// ToolActivity is the state of a tool that the service runs for the answer. It is never an entry of tool_calls, because
// clients would try to run it.
type ToolActivity struct {
	CallID    string `json:"call_id"`
	Tool      string `json:"tool"`
	State     string `json:"state"`
	Arguments string `json:"arguments,omitempty"` // JSON text of the model

	Progress *ToolProgress `json:"progress,omitempty"` // in streams, while the tool runs
	Result   any           `json:"result,omitempty"`   // the ToolResult, when finished
	Error    any           `json:"error,omitempty"`    // the error's detail, when failed
}

// MessageExtension is what the service adds to a message, or to a delta of one, under "kopeck".
type MessageExtension struct {
	Figures []Figure `json:"figures"`
}

// Figure is a value in the text of an answer, and its origin. Start and End are positions in the whole text, in Unicode
// code points.
type Figure struct {
	Start      int      `json:"start"`
	End        int      `json:"end"`
	Expression string   `json:"expression"`
	Kind       string   `json:"kind,omitempty"`
	Marked     bool     `json:"marked,omitempty"` // no report has the value, and the text says so
	Origins    []Origin `json:"origins,omitempty"`
	More       int      `json:"more,omitempty"` // number of origins left out, for sums over many rows
}

// Origin is a field of a report that a figure is based on.
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
