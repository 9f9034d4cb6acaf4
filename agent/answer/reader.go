package answer

import (
	"context"
	"errors"
	"time"

	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/tools"
)

// Reader is a model that reads reports as Go values instead of text, such as the offline model.
type Reader interface {
	// Reading returns the model for one answer. That model gets the same messages as any other.
	Reading(Conversation) llms.Model
}

// Conversation is what a [Reader] gets besides the messages.
type Conversation struct {
	Book   *reference.Book // reports of this answer and of earlier ones
	Names  Names           // nil if the account's names are unknown
	Lang   string
	Now    time.Time
	Form   bool                  // a program reads the answer, so it must be JSON or call the client's own tools
	Cite   func(names ...string) // called with names from the account that the text will contain; may be nil
	Writes func()                // called if the reader itself writes the text; may be nil
}

// ErrForm means that a [Reader] cannot answer in a form for programs.
var ErrForm = errors.New("the model writes no JSON and calls no tools of clients")

// Names has the names in the account's books. They are read on first use and cached for minutes.
type Names interface {
	Warehouses(context.Context) ([]string, error)
	Channels(context.Context) ([]string, error)
	Suppliers(context.Context) ([]string, error)
	Goods(context.Context) (*tools.Goods, error)
}

// ReadBy returns the model for a conversation. For a [Reader] this is what its Reading method returns, for others the
// model itself.
func ReadBy(model llms.Model, c Conversation) llms.Model {
	if reader, ok := model.(Reader); ok {
		return reader.Reading(c)
	}
	return model
}
