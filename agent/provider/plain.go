package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpproxy"
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

	endpoint endpoint
	settings Settings
	host     *fasthttp.HostClient
	requests sync.Pool // *fasthttp.Request that lack only their body
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
	provider, name, ok := strings.Cut(spec, "/")
	if !ok || name == "" {
		return nil, fmt.Errorf("%q is not PROVIDER/NAME", spec)
	}
	at, err := s.endpoint(provider)
	if err != nil {
		return nil, err
	}
	at.model = name
	base, err := url.Parse(at.base)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" { // only OpenAI's can be any
		return nil, errors.New("OPENAI_BASE_URL is not an address; allowed: one of http or https, such as https://api.openai.com/v1")
	}
	secure := base.Scheme == "https"
	dial, err := dialer(base)
	if err != nil {
		return nil, err
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		panic(err) // a string
	}
	p := &Plain{Name: name, Quoted: string(quoted), OldMaxTokens: at.oldMaxTokens, endpoint: at, settings: s.withDefaults()}
	p.host = &fasthttp.HostClient{
		Addr:                fasthttp.AddMissingPort(base.Host, secure),
		IsTLS:               secure,
		Dial:                dial,
		MaxConns:            maxPlainConns,
		MaxIdleConnDuration: 30 * time.Second,
		ConnPoolStrategy:    fasthttp.LIFO, // in turns, as by default, none of them would ever be idle for long
		ReadBufferSize:      maxHeadBytes,
	}
	p.requests.New = func() any { return p.request() }
	return p, nil
}

// request is everything that a request to the provider says but its body. Nothing of the client's own head goes on.
func (p *Plain) request() *fasthttp.Request {
	r := &fasthttp.Request{}
	r.Header.SetMethod(http.MethodPost)
	r.SetRequestURI(strings.TrimRight(p.endpoint.base, "/") + "/chat/completions")
	r.Header.Set(fasthttp.HeaderAuthorization, "Bearer "+p.endpoint.key)
	r.Header.SetContentType("application/json")
	r.Header.SetUserAgent("kopeck")
	return r
}

// Secret is what must not stand in an answer; empty when the provider needs no key.
func (p *Plain) Secret() string {
	if p.endpoint.key == keyless {
		return ""
	}
	return p.endpoint.key
}

// Refused is the error that an event of a stream tells of; nil if it tells of none.
func (p *Plain) Refused(data []byte) error {
	var event struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, &event) != nil || len(event.Error) == 0 || string(event.Error) == "null" {
		return nil
	}
	refused := cmp.Or(parseError(data), &Error{Message: shortened(string(event.Error))})
	refused.Message = p.redacted(refused.Message)
	return refused
}

// Ask sends a request's body and gives the answer, asking again as often as other models are. An answer that is to be
// streamed is given when its head is there, or unread after within, so that the caller need not be silent meanwhile. The
// error is the context's cause or an [*Error]. The reply must be closed; body is not used afterwards.
func (p *Plain) Ask(ctx context.Context, body []byte, streamed bool, within time.Duration) (*Reply, error) {
	return retried(ctx, p.endpoint, p.settings, func() (*Reply, bool, error) {
		reply, err := p.begin(ctx, body, streamed, within)
		return reply, false, err
	})
}

// begin sends a request's body and waits for the answer's beginning. Where the provider has closed a connection while
// nobody used it, another is taken at once.
func (p *Plain) begin(ctx context.Context, body []byte, streamed bool, within time.Duration) (*Reply, error) {
	for {
		reply, err := p.connect(ctx, streamed)
		if err != nil {
			return nil, err
		}
		if err = reply.send(body); err == nil {
			err = reply.first(within)
		}
		if err == nil {
			return reply, nil
		}
		_ = reply.Close()
		if !reply.stale || ctx.Err() != nil {
			return nil, err
		}
	}
}

// connect takes a connection for a request.
func (p *Plain) connect(ctx context.Context, streamed bool) (*Reply, error) {
	acquire := p.host.AcquireConn
	if p.host.IdleConnsCount() == 0 {
		acquire = abandonable(ctx, acquire, p.host.ReleaseConn)
	}
	conn, err := acquire(0, false)
	if err != nil {
		return nil, p.broken(ctx, err)
	}
	r := &Reply{
		plain:    p,
		ctx:      ctx,
		conn:     conn.Conn(),
		used:     !conn.LastUseTime().IsZero(),
		streamed: streamed,
		heard:    time.Now(),
		response: fasthttp.AcquireResponse(),
		giveBack: func(whole bool) {
			if whole {
				p.host.ReleaseConn(conn)
			} else {
				p.host.CloseConn(conn)
			}
		},
	}
	r.uncut = context.AfterFunc(ctx, func() { _ = r.conn.Close() })
	r.reader = p.host.AcquireReader(r.conn)
	return r, nil
}

// abandonable acquires a connection for as long as the context lasts: fasthttp's dialling knows of no context, and would hold
// a request for ten seconds whose client has left. A connection that comes later is kept for the next.
func abandonable[C any](ctx context.Context, acquire func(time.Duration, bool) (C, error), release func(C)) func(time.Duration, bool) (C, error) {
	type acquired struct {
		conn C
		err  error
	}
	return func(timeout time.Duration, closing bool) (C, error) {
		done := make(chan acquired)
		go func() {
			conn, err := acquire(timeout, closing)
			select {
			case done <- acquired{conn, err}:
			case <-ctx.Done():
				if err == nil {
					release(conn)
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
		return &Error{Message: fmt.Sprintf("the provider sent nothing for %s", p.settings.Silence)}
	}
	return &Error{Message: p.redacted(err.Error())}
}

// redacted takes the key out of a provider's text, some of which quote it.
func (p *Plain) redacted(text string) string {
	if p.endpoint.key == keyless || p.endpoint.key == "" {
		return text
	}
	return strings.ReplaceAll(text, p.endpoint.key, "***")
}
