package provider

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
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
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("the address of %s, %q, is none", provider, at.base)
	}
	secure := base.Scheme == "https"
	dialer := fasthttpproxy.Dialer{DialDualStack: true, Timeout: dialTimeout, ConnectTimeout: dialTimeout}
	dial, err := dialer.GetDialFuncForTLS(true, secure) // by way of HTTPS_PROXY, if it is set
	if err != nil {
		return nil, fmt.Errorf("the environment's proxy: %w", err)
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

// Reply is a provider's answer while it comes. It is for one goroutine; the end of the context cuts it off.
type Reply struct {
	plain    *Plain
	ctx      context.Context
	conn     net.Conn
	reader   *bufio.Reader
	response *fasthttp.Response
	used     bool // conn has served another request
	stale    bool // and was closed before anything of this one's answer came
	streamed bool
	headed   bool      // the head has been read
	whole    bool      // all of it has
	heard    time.Time // when something came last
	uncut    func() bool
	giveBack func(whole bool)
}

// send hands the request over to the provider.
func (r *Reply) send(body []byte) error {
	p := r.plain
	request := p.requests.Get().(*fasthttp.Request)
	request.SetBodyRaw(body)
	writer := p.host.AcquireWriter(r.conn)
	err := request.Write(writer)
	if err == nil {
		err = writer.Flush()
	}
	p.host.ReleaseWriter(writer)
	request.ResetBody()
	p.requests.Put(request)
	if err != nil {
		return r.unanswered(err)
	}
	return nil
}

// unanswered is the error of a request of whose answer nothing has come.
func (r *Reply) unanswered(err error) error {
	r.stale = r.used && !errors.Is(err, os.ErrDeadlineExceeded)
	return r.plain.broken(r.ctx, err)
}

// first reads the head of a streamed answer if it comes within that time, or all of another.
func (r *Reply) first(within time.Duration) error {
	if r.streamed {
		if there, err := r.Wait(within); err != nil || !there {
			return err
		}
	}
	return r.head()
}

// Wait tells whether something of the answer has come, waiting for it so long. When the provider has been silent for
// longer than it may be, that is an error.
func (r *Reply) Wait(most time.Duration) (bool, error) {
	if r.reader.Buffered() > 0 {
		return true, nil
	}
	left := r.plain.settings.Silence - time.Since(r.heard)
	_ = r.conn.SetReadDeadline(time.Now().Add(min(most, left))) // fails only on a closed connection, as the read will
	_, err := r.reader.Peek(1)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		r.heard = time.Now()
		return true, nil
	case r.ctx.Err() == nil && errors.Is(err, os.ErrDeadlineExceeded) && most < left:
		return false, nil
	}
	return false, r.unanswered(err)
}

// head reads what comes before a streamed body, or all of an answer that is not streamed. A refusal becomes an error.
func (r *Reply) head() error {
	_ = r.conn.SetReadDeadline(time.Now().Add(r.plain.settings.Silence))
	r.response.StreamBody = r.streamed
	if _, err := r.reader.Peek(1); err != nil {
		return r.unanswered(fmt.Errorf("read the model's answer: %w", err))
	}
	if err := r.response.ReadLimitBody(r.reader, maxAnswerBytes); err != nil {
		return r.plain.broken(r.ctx, fmt.Errorf("read the model's answer: %w", err))
	}
	r.headed = true
	ok := r.response.StatusCode() == http.StatusOK
	if r.streamed && (!ok || !isStream(r.ContentType())) {
		body, err := io.ReadAll(io.LimitReader(r.response.BodyStream(), maxAnswerBytes+1))
		if err == nil && len(body) > maxAnswerBytes { // the rest would be taken for the next answer
			err = fasthttp.ErrBodyTooLarge
		}
		if err != nil {
			return r.plain.broken(r.ctx, fmt.Errorf("read the model's answer: %w", err))
		}
		r.response.SetBodyRaw(body)
		r.streamed = false
	}
	if r.whole = !r.streamed; r.whole {
		r.hangUp()
	}
	if !ok {
		return r.refusal()
	}
	return nil
}

func isStream(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	return kind == "text/event-stream"
}

func (r *Reply) refusal() error {
	h := http.Header{}
	for name, value := range r.response.Header.All() {
		h.Set(string(name), string(value))
	}
	failure := refused(r.response.StatusCode(), h, r.response.Body())
	failure.Message = r.plain.redacted(failure.Message)
	return failure
}

// finish waits a moment for the end of a stream whose answer is whole: only when nothing is left to read does the
// connection serve another request. Mostly it is nothing that is left.
func (r *Reply) finish() {
	if !r.streamed {
		return
	}
	_ = r.conn.SetReadDeadline(time.Now().Add(afterEnd))
	_, err := io.CopyN(io.Discard, r.response.BodyStream(), maxErrorBytes)
	r.whole = errors.Is(err, io.EOF)
}

// Buffered tells whether more has come than has been read.
func (r *Reply) Buffered() bool { return r.reader != nil && r.reader.Buffered() > 0 }

// ContentType is the provider's, empty while its head has not come.
func (r *Reply) ContentType() string {
	if !r.headed {
		return ""
	}
	return string(r.response.Header.ContentType())
}

// Streamed tells that the answer is to be read, as far as is known. Some servers answer whole though a stream was asked
// for, and then it is false.
func (r *Reply) Streamed() bool { return r.streamed }

// Body is all of an answer that is not streamed, which the end of the context does not cut off any more. It is valid until
// the reply is closed.
func (r *Reply) Body() []byte { return r.response.Body() }

// Read gives what comes of a streamed body. Call it when [Reply.Wait] has said that something is there. The end of a body
// that is not whole is an error.
func (r *Reply) Read(p []byte) (int, error) {
	if !r.headed {
		if err := r.head(); err != nil {
			return 0, err
		}
		if !r.streamed {
			return 0, &Error{Message: "the provider did not stream its answer"}
		}
	}
	_ = r.conn.SetReadDeadline(time.Now().Add(r.plain.settings.Silence))
	n, err := r.response.BodyStream().Read(p)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		r.whole = true
		return n, io.EOF
	}
	return n, r.plain.broken(r.ctx, err)
}

// Close ends the request. The provider sees its connection closed unless the answer was read to its end.
func (r *Reply) Close() error {
	r.hangUp()
	fasthttp.ReleaseResponse(r.response)
	return nil
}

// hangUp gives the connection back, once.
func (r *Reply) hangUp() {
	if r.reader == nil {
		return
	}
	whole := r.uncut() && r.whole && !r.response.ConnectionClose()
	r.plain.host.ReleaseReader(r.reader)
	r.reader = nil
	r.giveBack(whole)
}
