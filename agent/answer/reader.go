package answer

import (
	"context"
	"errors"
	"time"

	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/tools"
)

// Reader is a model that needs no words of reports, since it reads them as Go values: the offline model is one.
type Reader interface {
	// Reading is the model for one answer. Its messages are those that any model gets.
	Reading(Conversation) llms.Model
}

// Conversation is what a [Reader] knows of a conversation beside its messages.
type Conversation struct {
	Book   *reference.Book // the reports, of this answer and of the ones before
	Names  Names           // nil: nothing is known of the account
	Lang   string
	Now    time.Time
	Form   bool                  // a program reads the answer: JSON, or a call of the client's own tools
	Cite   func(names ...string) // says which names of the account the text will have; nil: nobody wants to know
	Writes func()                // says that the reader itself writes the text; nil: nobody wants to know
}

// ErrForm tells that a [Reader] cannot answer in a form for programs.
var ErrForm = errors.New("the model writes no JSON and calls no tools of clients")

// Names are what things are called in the account's books. They are read on first use and then kept for minutes.
type Names interface {
	Warehouses(context.Context) ([]string, error)
	Channels(context.Context) ([]string, error)
	Suppliers(context.Context) ([]string, error)
	Goods(context.Context) (*tools.Goods, error)
}

// ReadBy is the model for a conversation: what a [Reader] gives for it, or the model itself.
func ReadBy(model llms.Model, c Conversation) llms.Model {
	if reader, ok := model.(Reader); ok {
		return reader.Reading(c)
	}
	return model
}
