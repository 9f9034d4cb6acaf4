// Package agent answers conversations with the help of tools. Nothing is written to MoySklad before a person confirms
// it.
//
// A langchaingo executor runs the steps of an answer. In a step the model asks for tools, the calls run in parallel, and
// their results go back to the model. The answer is streamed as it is written, with a value in place of each reference to a
// report (package answer). Whatever the model does, a run ends with an answer or with an error for the caller, and
// never writes to MoySklad.
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

// The model names of the agent.
const (
	ModelName      = "kopeck"
	ModelNameAlias = "kopeck-agent"
)

// ErrUnknownModel is returned for a model name that is not the agent's.
var ErrUnknownModel = errors.New("no such model")

// Config configures an agent. Model, Accounts and Sessions are required.
type Config struct {
	Model            llms.Model                   // used for [Models]; includes the fallback, if any
	ModelByName      func(name string) llms.Model // used for "kopeck/NAME"; may be nil or return nil
	Accounts         Accounts
	Sessions         *Store
	Tools            []tools.Tool     // nil means tools.All
	Now              func() time.Time // nil means time.Now
	ProgressInterval time.Duration    // between two [ToolProgress] events of a call; 0 means 3 seconds
	Log              *slog.Logger     // nil means slog.Default; never gets the text of messages

	// Execute runs a tool for a caller; nil means the tool's own Execute. A custom one can check the key again before
	// each call of a long run.
	Execute func(ctx context.Context, who keys.Caller, t tools.Tool, a *tools.Account, args json.RawMessage) (*tools.Result, error)

	// DraftStates returns the current state of a conversation's drafts, wherever they were confirmed; nil means no
	// drafts.
	DraftStates func(ctx context.Context, organizationID, sessionID string) ([]*tools.Result, error)

	// NearlyConfirmed returns the codes of the waiting drafts that a message of a conversation can mean to confirm, though not with
	// the exact command. other is the code in the message if no waiting draft has it. answer is the assistant's last one. nil means
	// no drafts.
	NearlyConfirmed func(ctx context.Context, organizationID, sessionID, message, answer string) (codes []string, other string, err error)

	// CountReferences gets the counts of references after each text of a model; it may be nil.
	CountReferences func(answer.Counts)

	// IsFatal reports whether a tool's error, such as a revoked token, ends the run and is returned to the caller. The
	// model gets all other errors. nil means that no error is fatal.
	IsFatal func(error) bool
}

// Agent answers conversations. It is safe for concurrent use.
type Agent struct {
	Config
	allTools, readTools toolset // readTools leaves out tools that make drafts, for answers with a format
}

// New creates an agent.
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

// Models returns the fixed names for [Request.Chat.Model]. [ModelNameOver] returns further ones.
func Models() []string { return []string{ModelName, ModelNameAlias} }

// ModelNameOver returns the name of the agent with a model other than the configured one.
func ModelNameOver(model string) string { return ModelName + "/" + model }

func (a *Agent) withModel(name string) (*Agent, error) {
	if slices.Contains(Models(), name) {
		return a, nil
	}
	if other, is := strings.CutPrefix(name, ModelNameOver("")); is && a.ModelByName != nil {
		if model := a.ModelByName(other); model != nil {
			b := *a
			b.Model = model
			return &b, nil
		}
	}
	return nil, fmt.Errorf("model %.80q: %w", name, ErrUnknownModel)
}

// Request is one question to the agent, with the conversation before it.
type Request struct {
	Chat         openai.ChatRequest
	SessionID    string // X-Session-Id; unless it is one of ours, the earlier messages identify the session
	ConnectionID string // X-Connection-Id or metadata.connection_id; empty means the session's, or the only one
	AfterMessage int    // continue after this message of the session, in a new session if there are later ones; 0 means the last
}

// Language returns the language of the user's last message, "ru" or "en".
func (r Request) Language() string {
	for _, m := range slices.Backward(r.Chat.Messages) {
		if m.Role == openai.RoleUser {
			return render.Language(string(m.Content))
		}
	}
	return render.Language("")
}

// Run answers the last message of the conversation and yields events in order: one [Started], then tool calls and text
// as they come, then one [Finished]. An error is the last pair. It wraps [ErrUnknownModel], [ErrNotFound] (the
// session), provider.ErrUnavailable or provider.ErrRefused, or is an error of ctx or of [Accounts]. Stopping the
// iteration or cancelling ctx cancels the model's request and the tools; text that was already sent stays in the
// session.
func (a *Agent) Run(ctx context.Context, who keys.Caller, req Request) iter.Seq2[Event, error] {
	return events(ctx, func(ctx context.Context, out *output) error { return a.answer(ctx, who, req, out) })
}

// events iterates over the events that run emits, and an error that it returns.
func events(ctx context.Context, run func(context.Context, *output) error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		out := &output{yield: yield, cancel: cancel}
		if err := run(ctx, out); err != nil && !out.stopped {
			yield(nil, err)
		}
	}
}

func (a *Agent) answer(ctx context.Context, who keys.Caller, req Request, out *output) error {
	a, err := a.withModel(req.Chat.Model)
	if err != nil {
		return err
	}
	if chore, is := readChore(req.Chat); is {
		return a.runChore(ctx, chore, req.Chat, out)
	}
	return a.converse(ctx, who, req, out)
}

// output passes events to the caller until it stops the iteration.
type output struct {
	yield   func(Event, error) bool
	cancel  context.CancelFunc
	stopped bool
}

var errStopped = errors.New("the caller stopped the iteration")

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
