package agent

import (
	"time"

	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// Event is something that happened while an answer was made. The whole answer is the fold of the same events as the
// stream: all [Text] joined, the calls of [ClientToolCalls], the reason and usage of [Finished].
type Event interface{ event() }

// Started comes first and names the conversation.
type Started struct{ SessionID string }

// ToolStarted tells that one of the service's own tools was called. Arguments are as the model wrote them.
type ToolStarted struct{ CallID, Tool, Arguments string }

// ToolProgress tells how far a call has got that goes on: how many requests to the upstream it has made, how many are known
// so far that it takes, and about how long those will take.
type ToolProgress struct {
	CallID      string
	Made, Known int
	Left        time.Duration
	Text        string // the same for people
}

// ToolFinished tells how that call ended: with a result, or with the error that the model got.
type ToolFinished struct {
	CallID string
	Result *tools.Result
	Err    error
}

// Text is a piece of the answer with the figures in it. It is never taken back.
type Text struct {
	Delta   string
	Figures []openai.Figure // their places are those in the whole answer
}

// Refusal replaces the answer where the client asked for a format and the model gave nothing that fits it. Only [Finished] follows.
type Refusal struct{ Text string }

// ClientToolCalls hands calls of the client's own tools to the client, which runs them. Only [Finished] follows.
type ClientToolCalls struct{ Calls []openai.ToolCall }

// Used tells what the models of the run have used so far. It comes after each of their turns, so that a run which does not end well
// has told what it cost.
type Used struct{ Usage openai.Usage }

// Finished comes last, once. Reason is one of openai's Finish constants.
type Finished struct {
	Reason string
	Usage  openai.Usage
}

func (Started) event()         {}
func (ToolStarted) event()     {}
func (ToolProgress) event()    {}
func (ToolFinished) event()    {}
func (Text) event()            {}
func (Refusal) event()         {}
func (ClientToolCalls) event() {}
func (Used) event()            {}
func (Finished) event()        {}
