// Package agent holds a conversation that answers by using tools, and waits for a person before anything is written.
//
// A langchaingo executor runs the turns: the model asks for tools, a turn's calls run side by side, their results go back
// to the model, and its answer leaves as it comes, with a value in the place of each reference to a report (package answer).
// Whatever the model does, a run ends with an answer or with the caller's own error; it never reaches what writes to the
// upstream.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// Names under which clients ask for the agent.
const (
	ModelName      = "kopeck"
	ModelNameAlias = "kopeck-agent"
)

// ErrUnknownModel tells that a request names a model that is not the agent.
var ErrUnknownModel = errors.New("no such model")

// Config is what an agent works with. Model, Accounts and Sessions are required.
type Config struct {
	Model    llms.Model                   // behind the names of the agent, with its fallback if there is one
	Named    func(name string) llms.Model // behind "kopeck/NAME"; nil, or a nil model, is none of that name
	Accounts Accounts
	Sessions *Store
	Tools    []tools.Tool     // nil means tools.All
	Now      func() time.Time // nil means time.Now
	Progress time.Duration    // between two events about a call that goes on; 0 means 3 seconds
	Log      *slog.Logger     // nil means slog.Default; gets no message's text

	// Execute runs a tool, on behalf of who; nil means the tool's own Execute. Here a key can be checked again before
	// each call of a long run.
	Execute func(ctx context.Context, who keys.Caller, t tools.Tool, a *tools.Account, args json.RawMessage) (*tools.Result, error)

	// Drafts tells what has become of a conversation's drafts, wherever they were confirmed; nil means that there are
	// none.
	Drafts func(ctx context.Context, organizationID, sessionID string) ([]*tools.Result, error)

	// Written gets what became of the references in a model's text; it may be nil.
	Written func(answer.Counts)

	// Fatal picks the tool errors that end the run and reach the caller, such as a revoked token. The model
	// gets all others. nil means none.
	Fatal func(error) bool
}

// Agent answers conversations. It is safe for concurrent use.
type Agent struct {
	Config
	all, reading toolset // of the service's own tools: without those that draft, where an answer has a format
}

// New makes an agent.
func New(c Config) *Agent {
	if c.Tools == nil {
		c.Tools = tools.All()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Execute == nil {
		c.Execute = func(ctx context.Context, _ keys.Caller, t tools.Tool, a *tools.Account, args json.RawMessage) (*tools.Result, error) {
			return t.Execute(ctx, a, args)
		}
	}
	reading := slices.DeleteFunc(slices.Clone(c.Tools), func(t tools.Tool) bool { return t.Kind == tools.Draft })
	return &Agent{c, newToolset(c.Tools), newToolset(reading)}
}

// Models names what [Request.Chat.Model] may be, besides what [Over] gives.
func Models() []string { return []string{ModelName, ModelNameAlias} }

// Over is the name of the agent over another model than the usual one.
func Over(model string) string { return ModelName + "/" + model }

// over is the agent that is asked for under a name.
func (a *Agent) over(name string) (*Agent, error) {
	if slices.Contains(Models(), name) {
		return a, nil
	}
	if other, is := strings.CutPrefix(name, Over("")); is && a.Named != nil {
		if model := a.Named(other); model != nil {
			b := *a
			b.Model = model
			return &b, nil
		}
	}
	return nil, fmt.Errorf("model %.80q: %w", name, ErrUnknownModel)
}

// Request is one question to the agent with the conversation before it.
type Request struct {
	Chat         openai.ChatRequest
	SessionID    string // X-Session-Id; empty or of another form than ours: found by the earlier messages, or new
	ConnectionID string // X-Connection-Id or metadata.connection_id; empty: the session's, or the only one
	Messages     int    // of the session, from which the conversation goes on in a new one if there are more; 0: all
}

// Language is that of the last message of the user, "ru" or "en".
func (r Request) Language() string {
	for _, m := range slices.Backward(r.Chat.Messages) {
		if m.Role == openai.RoleUser {
			return render.Language(string(m.Content))
		}
	}
	return render.Language("")
}

// Run answers the last message of the conversation and yields what happens in order: one [Started], then tools and text
// as they come, then one [Finished]. An error ends the iteration and is the last pair; it wraps [ErrUnknownModel],
// [ErrNotFound] (the session), provider.ErrUnavailable or ErrRefused, or is the context's or [Accounts]' own. Stopping the iteration
// or cancelling ctx ends the model's request and the tools; what was already said stays in the session.
func (a *Agent) Run(ctx context.Context, who keys.Caller, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		out := &output{yield: yield, cancel: cancel}
		if err := a.answer(ctx, who, req, out); err != nil && !out.stopped {
			yield(nil, err)
		}
	}
}

func (a *Agent) answer(ctx context.Context, who keys.Caller, req Request, out *output) error {
	a, err := a.over(req.Chat.Model)
	if err != nil {
		return err
	}
	if chore, is := readChore(req.Chat); is {
		return a.do(ctx, chore, req.Chat, out)
	}
	return a.converse(ctx, who, req, out)
}

// output is where events go until the caller stops listening.
type output struct {
	yield   func(Event, error) bool
	cancel  context.CancelFunc
	stopped bool
}

var errStopped = errors.New("nobody listens any more")

func (o *output) emit(e Event) error {
	if !o.stopped && !o.yield(e, nil) {
		o.stopped = true
		o.cancel()
	}
	if o.stopped {
		return errStopped
	}
	return nil
}
