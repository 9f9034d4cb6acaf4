package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpproxy"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/caught"
)

const (
	dialTimeout = 10 * time.Second
	// maxPlainConns is no limit of ours: fasthttp's own, 512, would refuse requests beyond it.
	maxPlainConns = 1 << 16
	// maxHeadBytes bounds the head of a provider's answer.
	maxHeadBytes = 8 << 10
)

// Plain is a model that requests are passed on to as they are, bytes in and bytes out: no langchaingo, and fasthttp's
// client in the place of net/http's, which costs more than all the rest of such a request. The models of [New] are asked
// by it too.
type Plain struct {
	// Name is the model's, as its provider knows it.
	Name string
	// Quoted is Name as JSON.
	Quoted string
	// OldMaxTokens tells that the provider knows max_tokens only, not max_completion_tokens.
	OldMaxTokens bool

	target  Target
	host    *fasthttp.HostClient
	secrets []string
	heads   [len(paths)]sync.Pool // *fasthttp.RequestHeader that lack only their body's length
}

// dialer makes connections to a provider, by way of the proxy that the environment names for it. One that cannot be used
// is an error at once: beside a NO_PROXY, fasthttpproxy tells of it only when it dials.
func dialer(base *url.URL) (fasthttp.DialFunc, error) {
	secure := base.Scheme == "https"
	variable := map[bool]string{true: "HTTPS_PROXY", false: "HTTP_PROXY"}[secure]
	const allowed = "allowed: http://HOST:PORT or socks5://HOST:PORT"
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: base})
	if err != nil { // in words that hold the proxy's password
		return nil, fmt.Errorf("%s cannot be read; %s", variable, allowed)
	}
	if proxy != nil && proxy.Scheme != "http" && proxy.Scheme != "socks5" && proxy.Scheme != "socks5h" {
		return nil, fmt.Errorf("%s holds %q; %s", variable, proxy.Redacted(), allowed)
	}
	through := fasthttpproxy.Dialer{DialDualStack: true, Timeout: dialTimeout, ConnectTimeout: dialTimeout}
	return through.GetDialFuncForTLS(true, secure)
}

// NewPlain finds the model behind a spec: PROVIDER/NAME as in [New].
func NewPlain(spec string, s Settings) (*Plain, error) {
	to, err := s.target(spec)
	if err != nil {
		return nil, err
	}
	to.Silence = s.Silence
	p, err := Open(to)
	if err != nil && to.Kind == OpenAI { // only its address can be any
		err = fmt.Errorf("OPENAI_BASE_URL: %w", err)
	}
	return p, err
}

// Open makes a target one that can be asked. Nothing is sent yet.
func Open(to Target) (*Plain, error) {
	base, err := to.address()
	if err != nil {
		return nil, err
	}
	secure := base.Scheme == "https"
	dial, err := dialer(base)
	if err != nil {
		return nil, err
	}
	quoted, err := json.Marshal(to.Model)
	if err != nil {
		panic(err) // a string
	}
	to.Silence = cmp.Or(to.Silence, silence)
	p := &Plain{Name: to.Model, Quoted: string(quoted), OldMaxTokens: to.oldMaxTokens(), target: to, secrets: to.secrets()}
	redact.AddSecrets(to.Key)
	p.host = &fasthttp.HostClient{
		Addr:                fasthttp.AddMissingPort(base.Host, secure),
		IsTLS:               secure,
		Dial:                dial,
		MaxConns:            maxPlainConns,
		MaxIdleConnDuration: 30 * time.Second,
		ConnPoolStrategy:    fasthttp.LIFO, // in turns, as by default, none of them would ever be idle for long
		ReadBufferSize:      maxHeadBytes,
	}
	for path := range p.heads {
		p.heads[path].New = func() any { return to.head(base, Path(path)) }
	}
	return p, nil
}

// Kind is the provider's.
func (p *Plain) Kind() string { return p.target.Kind }

// FirstByte is how long the provider may be silent at first; 0 is as long as later.
func (p *Plain) FirstByte() time.Duration { return p.target.FirstByte }

// WithoutSecrets is a text of the provider, or of a proxy between, without what we are known by to it.
func (p *Plain) WithoutSecrets(text []byte) []byte {
	for _, secret := range p.secrets {
		if bytes.Contains(text, []byte(secret)) {
			text = bytes.ReplaceAll(text, []byte(secret), []byte("***"))
		}
	}
	return text
}

// redacted is [Plain.WithoutSecrets] for a message.
func (p *Plain) redacted(text string) string {
	for _, secret := range p.secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return text
}

var (
	errorKey = []byte(`"error"`)
	noErrors = []string{"", "null", `""`, "false", "{}"} // as servers write that there is none
)

// Refused is the error that an answer, or an event of a stream, tells of; nil if it tells of none.
func (p *Plain) Refused(data []byte) error {
	var event struct {
		Error json.RawMessage `json:"error"`
	}
	if !bytes.Contains(data, errorKey) || json.Unmarshal(data, &event) != nil || slices.Contains(noErrors, string(event.Error)) {
		return nil
	}
	refused := cmp.Or(parseError(data), &Error{Message: shortened(string(event.Error))})
	refused.Message = p.redacted(refused.Message)
	return refused
}

// Ask sends a request once and gives the answer: when its head is there, or unread if that takes longer than the call
// allows. Where the provider has closed a connection while nobody used it, another is taken at once. The error is the
// context's cause or an [*Error]. The reply must be closed. No secret of this
// service goes out in JSON.
func (p *Plain) Ask(ctx context.Context, c Call) (*Reply, error) {
	if c.Kind == "" {
		for i, part := range c.Body {
			c.Body[i] = redact.OwnSecrets(part)
		}
	}
	for {
		reply, err := p.connect(ctx, c.Streamed)
		if err != nil {
			return nil, err
		}
		reply.room = c.Room
		if err = reply.send(c); err == nil {
			err = reply.first(c.Within)
		}
		if err == nil && c.Object && !reply.Streamed() && !isObject(reply.Body()) {
			err = &Error{Message: "the provider sent what is no JSON object: " + p.redacted(shortened(string(reply.Body())))}
		}
		if err == nil && c.Object && !reply.Streamed() && c.Path != Responses { // these tell of an error as a part of an answer
			err = p.Refused(reply.Body())
		}
		if err == nil {
			return reply, nil
		}
		_ = reply.Close()
		if !reply.stale || ctx.Err() != nil {
			var failure *Error
			if errors.As(err, &failure) {
				failure.Sent = reply.sent && failure.Status == 0
			}
			return nil, err
		}
	}
}

// isObject tells what begins and ends as a JSON object does.
func isObject(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 1 && text[0] == '{' && text[len(text)-1] == '}'
}

// connect takes a connection for a request.
func (p *Plain) connect(ctx context.Context, streamed bool) (*Reply, error) {
	for {
		acquire := p.host.AcquireConn
		if p.host.IdleConnsCount() == 0 {
			acquire = abandonable(ctx, acquire, p.host.ReleaseConn)
		}
		conn, err := acquire(0, false)
		if err != nil {
			return nil, p.broken(ctx, err)
		}
		used := !conn.LastUseTime().IsZero()
		if used && !quiet(conn.Conn()) { // the provider has closed it, or has sent what nobody has asked for
			p.host.CloseConn(conn)
			continue
		}
		return p.reply(ctx, conn.Conn(), used, streamed, func(whole bool) {
			if whole {
				p.host.ReleaseConn(conn)
			} else {
				p.host.CloseConn(conn)
			}
		}), nil
	}
}

// reply is the one that will come over a connection, which is given back when it has.
func (p *Plain) reply(ctx context.Context, conn net.Conn, used, streamed bool, giveBack func(whole bool)) *Reply {
	r := &Reply{
		plain:    p,
		ctx:      ctx,
		conn:     conn,
		used:     used,
		streamed: streamed,
		heard:    time.Now(),
		response: fasthttp.AcquireResponse(),
		giveBack: giveBack,
	}
	r.uncut = context.AfterFunc(ctx, func() { _ = r.conn.Close() })
	r.reader = p.host.AcquireReader(r.conn)
	return r
}

// abandonable acquires a connection for as long as the context lasts: fasthttp's dialling knows of no context, and would hold
// a request for ten seconds whose client has left. A connection that comes later is kept for the next.
func abandonable[C any](
	ctx context.Context, acquire func(time.Duration, bool) (C, error), release func(C),
) func(time.Duration, bool) (C, error) {
	type acquired struct {
		conn C
		err  error
	}
	return func(timeout time.Duration, closing bool) (C, error) {
		done := make(chan acquired)
		go func() {
			var a acquired
			a.err = caught.Call(func() (err error) {
				a.conn, err = acquire(timeout, closing)
				return err
			})
			select {
			case done <- a:
			case <-ctx.Done():
				if a.err == nil {
					release(a.conn)
				}
			}
		}()
		select {
		case a := <-done:
			return a.conn, a.err
		case <-ctx.Done():
			var none C
			return none, ctx.Err()
		}
	}
}

// broken is the error of a request whose connection failed.
func (p *Plain) broken(ctx context.Context, err error) error {
	var known *Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &known):
		return known
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Error{Message: "the provider sent nothing for too long"}
	}
	return &Error{Message: p.redacted(err.Error())}
}
