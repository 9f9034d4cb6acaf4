package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/encoded"
	"github.com/kopeck/kopeck/schemas/wire"
)

const (
	connectionIdle = 30 * time.Second
	maxHeadBytes   = 8 << 10 // limit for the headers of an answer
)

// Client sends requests to one model of a provider without changing them. It uses fasthttp's client, because that of
// net/http would cost more than the rest of a request.
type Client struct {
	// Name is the name by which the provider knows the model.
	Name string
	// QuotedName is Name as JSON.
	QuotedName string
	// OldMaxTokens reports whether the provider supports only max_tokens, not max_completion_tokens.
	OldMaxTokens bool

	target  Target
	host    *wire.Host
	secrets []string
	heads   [len(paths)]sync.Pool // *fasthttp.RequestHeader for each path, complete except for the length
}

// NewClient returns a client for a spec of the form PROVIDER/NAME. Addresses and credentials come from s.
func NewClient(spec string, s Settings) (*Client, error) {
	to, err := s.target(spec)
	if err != nil {
		return nil, err
	}
	to.Silence = s.Silence
	p, err := Open(to)
	if err != nil && to.Kind == OpenAI { // only this address comes from a setting
		err = fmt.Errorf("OPENAI_BASE_URL: %w", err)
	}
	return p, err
}

// Open returns a client for a target. It sends nothing.
func Open(to Target) (*Client, error) {
	base, err := to.address()
	if err != nil {
		return nil, err
	}
	dial, err := wire.Dialer(base)
	if err != nil {
		return nil, err
	}
	to.Silence = cmp.Or(to.Silence, silence)
	p := &Client{
		Name: to.Model, QuotedName: string(encoded.JSON(to.Model)), OldMaxTokens: to.oldMaxTokens(), target: to, secrets: to.secrets(),
	}
	redact.AddSecrets(to.Key)
	p.host = wire.New(dial, connectionIdle, 0, maxHeadBytes)
	for path := range p.heads {
		p.heads[path].New = func() any { return to.head(base, Path(path)) }
	}
	return p, nil
}

// Kind returns the kind of provider.
func (p *Client) Kind() string { return p.target.Kind }

// FirstByte returns how long the provider may send nothing before its answer begins. 0 means that the limit is the same
// as afterwards.
func (p *Client) FirstByte() time.Duration { return p.target.FirstByte }

// WithoutSecrets replaces the credentials of this service in a text from the provider or a proxy.
func (p *Client) WithoutSecrets(text []byte) []byte {
	for _, secret := range p.secrets {
		if bytes.Contains(text, []byte(secret)) {
			text = bytes.ReplaceAll(text, []byte(secret), []byte("***"))
		}
	}
	return text
}

// redacted is like [Client.WithoutSecrets], for a string.
func (p *Client) redacted(text string) string { return string(p.WithoutSecrets([]byte(text))) }

var (
	errorKey = []byte(`"error"`)
	noErrors = []string{"", "null", `""`, "false", "{}"} // values that servers send if there is no error
)

// Refused returns the error in an answer or in one event of a stream. It returns nil if there is none.
func (p *Client) Refused(data []byte) error {
	var event struct {
		Error json.RawMessage `json:"error"`
	}
	if !bytes.Contains(data, errorKey) || json.Unmarshal(data, &event) != nil || slices.Contains(noErrors, string(event.Error)) {
		return nil
	}
	refused := cmp.Or(parseError(data), &Error{Message: shortened(string(event.Error))})
	refused.Status = http.StatusOK
	refused.Message = p.redacted(refused.Message)
	return refused
}

// Ask sends a request once. It removes secrets of this service from a JSON body before sending it. It returns the reply
// when its headers have arrived, or without them after Call.HeaderWait. If the provider has closed an idle connection,
// Ask uses another connection. The error is the context's cause or an [*Error]. The caller must close the reply.
func (p *Client) Ask(ctx context.Context, c Call) (*Reply, error) {
	if c.ContentType == "" {
		for i, part := range c.Body {
			c.Body[i] = redact.OwnSecrets(part)
		}
	}
	for {
		reply, err := p.connect(ctx, c.Streamed)
		if err != nil {
			return nil, err
		}
		reply.room = c.Reserve
		if err = reply.send(c); err == nil {
			err = reply.readFirst(c.HeaderWait)
		}
		if err == nil && c.MustBeObject && !reply.Streamed() && !isObject(reply.Body()) {
			got := p.redacted(shortened(string(reply.Body())))
			err = &Error{Status: http.StatusOK, Message: "the provider's answer is not a JSON object: " + got}
		}
		if err == nil && c.MustBeObject && !reply.Streamed() && c.Path != Responses { // in the Responses API, an error is part of the answer
			err = p.Refused(reply.Body())
		}
		if err == nil {
			return reply, nil
		}
		_ = reply.Close()
		if !reply.stale || ctx.Err() != nil {
			if failure, is := errors.AsType[*Error](err); is {
				failure.Sent = reply.sent && failure.Status <= http.StatusOK
			}
			return nil, err
		}
	}
}

// isObject reports whether a text begins and ends like a JSON object.
func isObject(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 1 && text[0] == '{' && text[len(text)-1] == '}'
}

// connect gets a connection for a request.
func (p *Client) connect(ctx context.Context, streamed bool) (*Reply, error) {
	call, err := p.host.Call(ctx)
	if err != nil {
		return nil, p.failure(ctx, err)
	}
	return &Reply{client: p, ctx: ctx, call: call, response: call.Response, streamed: streamed, heard: time.Now()}, nil
}

// failure returns the error of a failed request: the cause if the caller cancelled it, the caller's own error, or an [*Error].
func (p *Client) failure(ctx context.Context, err error) error {
	var known *Error
	var sink *sinkError
	switch {
	case errors.As(err, &sink):
		return sink.err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded):
		known = &Error{Message: "the provider sent nothing for too long"}
	case !errors.As(err, &known):
		known = &Error{Message: err.Error()}
	}
	known.Message = p.redacted(known.Message)
	return known
}
