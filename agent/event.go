package agent

import (
	"time"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// Event is a step of an answer. An answer without streaming is built from the same events: all [Text] joined, the calls
// of [ClientToolCalls], the reason and usage of [Finished].
type Event interface{ event() }

// Started is the first event and names the session.
type Started struct{ SessionID string }

// ToolStarted is sent when one of our tools is called. Arguments are those that the model wrote.
type ToolStarted struct{ CallID, Tool, Arguments string }

// ToolProgress reports on a running call: the requests to MoySklad sent so far, the expected total, and the estimated
// remaining time.
type ToolProgress struct {
	CallID      string
	Sent, Total int
	Remaining   time.Duration
	Text        string // the same as a sentence
}

// ToolFinished is sent when a call ends, with its result or with the error that the model gets.
type ToolFinished struct {
	CallID string
	Result *tools.Result
	Err    error
}

// Text is a piece of the answer with its figures. It is never changed later.
type Text struct {
	Delta   string
	Figures []openai.Figure // positions refer to the whole answer
}

// Refusal replaces the answer if the client asked for a format and the model did not produce it. Only [Finished]
// follows.
type Refusal struct{ Text string }

// ClientToolCalls passes calls of the client's own tools to the client, which runs them. Only [Finished] follows.
type ClientToolCalls struct{ Calls []openai.ToolCall }

// ModelAnswered says what one call of the model has used, and who answered it. It is sent after each step, so that the cost
// of a run that fails is known.
type ModelAnswered struct {
	By    provider.Answerer
	Usage openai.Usage
}

// Finished is the last event. Reason is one of openai's Finish constants. BuiltIn means that the built-in model answered
// because the language model had failed.
type Finished struct {
	Reason  string
	Usage   openai.Usage
	BuiltIn bool
}

func (Started) event()         {}
func (ToolStarted) event()     {}
func (ToolProgress) event()    {}
func (ToolFinished) event()    {}
func (Text) event()            {}
func (Refusal) event()         {}
func (ClientToolCalls) event() {}
func (ModelAnswered) event()   {}
func (Finished) event()        {}
