package openai

import "time"

// Extension is what the service adds to OpenAI's answers under the key "kopeck": the progress of its tools, and who answered
// if that was not the language model. Other clients ignore it. In a stream it comes in chunks with an empty delta.
type Extension struct {
	SessionID  string         `json:"session_id,omitempty"`
	Tools      []ToolActivity `json:"tools,omitempty"`
	AnsweredBy string         `json:"answered_by,omitempty"` // "offline" if the language model failed and the built-in one answered
}

// The states of a tool that the service itself runs.
const (
	ToolStarted  = "started"
	ToolFinished = "finished"
	ToolFailed   = "failed"
)

// ToolProgress counts a tool's requests to MoySklad. The total can grow while the tool runs.
type ToolProgress struct {
	Calls       int `json:"calls"`
	Of          int `json:"of"`
	SecondsLeft int `json:"seconds_left"`
}

// ToolActivity is the state of a tool that the service runs for an answer. Such tools are never in tool_calls, because
// clients would try to run them.
type ToolActivity struct {
	CallID    string `json:"call_id"`
	Tool      string `json:"tool"`
	State     string `json:"state"`
	Arguments string `json:"arguments,omitempty"` // JSON text, as the model wrote it

	Progress *ToolProgress `json:"progress,omitempty"` // only in streams, while the tool runs
	Result   any           `json:"result,omitempty"`   // the ToolResult, when finished
	Error    any           `json:"error,omitempty"`    // the error's detail, when failed
}

// MessageExtension is what the service adds to a message, or to a delta of one, under "kopeck".
type MessageExtension struct {
	Figures []Figure `json:"figures"`
}

// Figure is a value in the text of an answer, and where it comes from. Start and End are positions in the whole text,
// counted in Unicode code points.
type Figure struct {
	Start      int      `json:"start"`
	End        int      `json:"end"`
	Expression string   `json:"expression"`
	Kind       string   `json:"kind,omitempty"`
	Marked     bool     `json:"marked,omitempty"` // no report has the value, and the text says so
	Origins    []Origin `json:"origins,omitempty"`
	More       int      `json:"more,omitempty"` // how many more origins there are, for sums over many rows
}

// Origin is a field of a report from which a figure was taken or computed.
type Origin struct {
	Report string    `json:"report"`           // R1, R2 and so on, in the order of the session's tool calls
	Source string    `json:"source,omitempty"` // the report's name and period in the answer's language
	Tool   string    `json:"tool"`
	Field  string    `json:"field"`
	Row    int       `json:"row,omitempty"` // counted from 1
	Name   string    `json:"name,omitempty"`
	Code   string    `json:"code,omitempty"`
	AsOf   time.Time `json:"as_of"`
}
