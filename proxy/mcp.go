package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/proxy/mcp"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools"
)

// lastWords is how long a call whose time is up has to say so itself.
const lastWords = time.Second

// newMCP is the Model Context Protocol over the same accounts, drafts and refusals as everything else.
func (s *Server) newMCP() *mcp.Server {
	return mcp.New(mcp.Config{
		Version:  s.cfg.Version,
		Tools:    s.cfg.Tools,
		Accounts: s.cfg.Accounts,
		Drafts:   s.cfg.Drafts,
		Now:      s.cfg.Now,
		Log:      s.cfg.Log,
		PublicError: func(ctx context.Context, err error, language string) mcp.PublicError {
			p := problemOf(ctx, err).in(language)
			if p.status >= http.StatusInternalServerError {
				s.cfg.Log.WarnContext(ctx, "mcp call failed", "code", p.detail.Code, "error", err)
			}
			return mcp.PublicError{Code: p.detail.Code, Message: p.detail.Message + " " + p.detail.Hint, Detail: p.detail}
		},
	})
}

// exchangeMCP hands a message of the protocol to the SDK, which speaks net/http, and gives its answer: a stream as soon as
// the first event is there, otherwise whole.
func (s *Server) exchangeMCP(ctx context.Context, r *request) (answer, error) {
	if err := s.fromKnownOrigin(r); err != nil {
		return answer{}, err
	}
	connection, err := r.header("X-Connection-Id")
	if err != nil {
		return answer{}, err
	}
	session, err := r.header("X-Session-Id")
	if err != nil {
		return answer{}, err
	}
	language, _, _ := strings.Cut(string(r.fast.Request.Header.Peek(fasthttp.HeaderAcceptLanguage)), "-")
	if language != "ru" && language != "en" {
		language = ""
	}
	// The SDK's own wait outlasts the call a little, so that a call whose time is up is answered.
	waiting, end := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(lastWords, end) })
	sent, err := r.asNetHTTP(waiting)
	if err != nil {
		return answer{}, err
	}
	body := bytes.Clone(r.fast.PostBody())
	if err := s.chargeBatch(r, body); err != nil {
		return answer{}, err
	}
	ran := &ranTools{}
	w := newHandover()
	exchange := &mcp.Exchange{
		Caller: r.caller, ConnectionID: connection, Language: language, OnToolRun: ran.add, Context: ctx,
		WithReports: func(ctx context.Context) context.Context {
			return s.cfg.Sessions.Within(ctx, r.caller.OrganizationID, session)
		},
	}
	go w.run(func() { s.mcp.Serve(w, sent, body, exchange) })

	select {
	case <-w.streaming:
		return s.relayed(r, w, ran), nil
	case <-w.ended:
		ran.into(&r.record)
		if a, unknown := w.unknownMethod(body); unknown {
			return a, nil
		}
		return w.whole(ctx)
	}
}

// mostInBatch is how many messages one request may have. Batches were in one revision of the protocol only; clients that send
// them send a few.
const mostInBatch = 20

// chargeBatch counts each message of a batch as a request of the key.
func (s *Server) chargeBatch(r *request, body []byte) error {
	var batch []json.RawMessage
	if json.Unmarshal(body, &batch) != nil { // one message
		return nil
	}
	if len(batch) > mostInBatch {
		return invalid(fmt.Sprintf("The batch has %d messages, more than %d.", len(batch), mostInBatch), "Send fewer at once.")
	}
	return s.charge(r, max(len(batch)-1, 0)) // the request itself was counted with the key
}

// fromKnownOrigin keeps out scripts of web pages that nobody allowed: whoever opened the page may not know of them. The
// protocol demands it of every server.
func (s *Server) fromKnownOrigin(r *request) error {
	origin, err := r.header(fasthttp.HeaderOrigin)
	if err != nil || origin == "" || slices.Contains(s.cfg.Origins, origin) {
		return err
	}
	return denied(fmt.Sprintf("Pages of %s may not use this address.", origin), "Name the origin in KOPECK_CORS_ORIGINS.")
}

// asNetHTTP is the request without its body, in memory of its own.
func (r *request) asNetHTTP(ctx context.Context) (*http.Request, error) {
	sent, err := http.NewRequestWithContext(ctx, r.method(), "http://"+string(r.fast.Host())+r.path(), nil)
	if err != nil {
		return nil, invalid("The request cannot be read: "+err.Error()+".", "Correct it and send it again.")
	}
	for name, value := range r.fast.Request.Header.All() {
		sent.Header.Add(string(name), string(value))
	}
	sent.Header.Del(fasthttp.HeaderContentEncoding) // the body has been unpacked
	return sent, nil
}

// ranTools are the tools that ran for a request, for its record. The SDK may give a request up while one still runs.
type ranTools struct {
	mu  sync.Mutex
	all []*tools.Result
}

func (ran *ranTools) add(result *tools.Result) {
	ran.mu.Lock()
	defer ran.mu.Unlock()
	ran.all = append(ran.all, result)
}

func (ran *ranTools) into(r *record) {
	ran.mu.Lock()
	defer ran.mu.Unlock()
	for _, result := range ran.all {
		r.tool(result)
	}
}

// handover is the http.ResponseWriter in which the SDK's answer is handed over. An answer of events is read from frames
// while it is written; any other is kept whole.
type handover struct {
	header    http.Header
	status    int
	body      bytes.Buffer
	begun     sync.Once
	streaming chan struct{} // closed before the first frame
	frames    chan []byte
	ended     chan struct{} // closed when nothing more will be written
	crash     error
}

func newHandover() *handover {
	return &handover{
		header:    http.Header{},
		streaming: make(chan struct{}),
		frames:    make(chan []byte),
		ended:     make(chan struct{}),
	}
}

// run writes the answer by calling serve. It is another goroutine than the request's, so a panic is caught here.
func (w *handover) run(serve func()) {
	defer close(w.ended)
	w.crash = caught.Call(func() error {
		serve()
		return nil
	})
}

func (w *handover) Header() http.Header { return w.header }

func (w *handover) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *handover) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if !strings.HasPrefix(w.header.Get("Content-Type"), "text/event-stream") {
		return w.body.Write(p)
	}
	w.begun.Do(func() { close(w.streaming) })
	w.frames <- bytes.Clone(p) // read to the end, whether or not anyone is left to get it
	return len(p), nil
}

// Flush has nothing to do: frames are not held back.
func (w *handover) Flush() {}

// whole is an answer that is no stream. What the SDK refuses in plain text is refused in the form of every error.
func (w *handover) whole(ctx context.Context) (answer, error) {
	switch {
	case w.crash != nil:
		return answer{}, w.crash
	case w.status == 0:
		return answer{}, errors.Join(context.Cause(ctx), errors.New("the protocol's handler gave no answer"))
	case w.status >= http.StatusBadRequest && !strings.HasPrefix(w.header.Get("Content-Type"), "application/json"):
		return answer{}, protocolProblem(w.status, strings.TrimSpace(w.body.String()))
	}
	return answer{status: w.status, header: w.chosen(), raw: w.body.Bytes()}, nil
}

// unknownMethod is the protocol's own answer to a method that the SDK does not know, which it refuses in plain text before
// the revision 2026-07-28: clients try what a server has by that answer. A notification is let go.
func (w *handover) unknownMethod(sent []byte) (answer, bool) {
	if w.status != http.StatusBadRequest || !strings.HasPrefix(w.body.String(), "JSON RPC not handled") {
		return answer{}, false
	}
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(sent, &message) != nil { // several messages
		return answer{}, false
	}
	if message.ID == nil {
		return answer{status: http.StatusAccepted}, true
	}
	refused := jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("method not found: %.100q", message.Method)}
	return answer{status: http.StatusOK, value: map[string]any{"jsonrpc": "2.0", "id": message.ID, "error": refused}}, true
}

// chosen are the headers of the SDK's answer that matter to its receiver.
func (w *handover) chosen() map[string]string {
	header := map[string]string{}
	for _, name := range []string{"Content-Type", "Cache-Control", "Mcp-Session-Id", "Allow"} {
		if value := w.header.Get(name); value != "" {
			header[name] = value
		}
	}
	return header
}

// protocolProblem is what the SDK refuses before it reads the message.
func protocolProblem(status int, text string) *problem {
	text = capital(text) + "."
	switch status {
	case http.StatusNotFound:
		return refuse(status, "NOT_FOUND", text, "Sessions end after a while and with the service: initialize again, without Mcp-Session-Id.")
	case http.StatusForbidden:
		return denied(text, "Use the key that the session was begun with, or initialize again.")
	case http.StatusMethodNotAllowed:
		return refuse(status, "METHOD_NOT_ALLOWED", text, "Send messages with POST.")
	case http.StatusUnsupportedMediaType:
		return unsupported(text, "Send one JSON-RPC message with Content-Type: application/json.")
	}
	return invalid(text, "Send one JSON-RPC message, with Accept: application/json, text/event-stream.")
}

// relayed is an answer whose events go on as they are written.
func (s *Server) relayed(r *request, w *handover, ran *ranTools) answer {
	header := w.chosen()
	header["X-Accel-Buffering"] = "no" // nginx would hold the events back
	return answer{status: http.StatusOK, header: header, stream: &stream{
		conn: r.fast.Conn(),
		ping: s.cfg.Ping,
		next: func(silence <-chan time.Time) ([]byte, bool) {
			select {
			case f := <-w.frames:
				return f, true
			case <-w.ended:
				return nil, false
			case <-silence:
				return nil, true
			}
		},
		end: func(finish func()) { go w.toTheEnd(r, ran, finish) },
	}}
}

// toTheEnd lets the SDK's handler end, and then the request.
func (w *handover) toTheEnd(r *request, ran *ranTools, finish func()) {
	for {
		select {
		case <-w.frames:
		case <-w.ended:
			ran.into(&r.record)
			finish()
			return
		}
	}
}
