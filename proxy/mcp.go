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
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools"
)

// replyGrace is how long after its deadline a call may still send its reply.
const replyGrace = time.Second

// newMCP returns a server for the Model Context Protocol with the same accounts, drafts and errors as the REST API.
func (s *Server) newMCP() *mcp.Server {
	return mcp.New(mcp.Config{
		Version:  s.cfg.Version,
		Tools:    s.cfg.Tools,
		Accounts: s.cfg.Accounts,
		Drafts:   s.cfg.Drafts,
		Now:      s.cfg.Now,
		Log:      s.cfg.Log,
		PublicError: func(ctx context.Context, err error, language string) mcp.PublicError {
			p := problem.Of(ctx, err).InLanguage(language)
			if p.Status >= http.StatusInternalServerError {
				s.cfg.Log.WarnContext(ctx, "mcp call failed", "code", p.Detail.Code, "error", err)
			}
			return mcp.PublicError{Code: p.Detail.Code, Message: p.Detail.Message + " " + p.Detail.Hint, Detail: p.Detail}
		},
	})
}

// serveMCP passes a message to the SDK, which uses net/http, and returns the SDK's response: a stream as soon as it has its
// first event, and anything else once it is complete.
func (s *Server) serveMCP(ctx context.Context, r *request) (httpResponse, error) {
	if err := s.checkOrigin(r); err != nil {
		return httpResponse{}, err
	}
	connection, err := r.header("X-Connection-Id")
	if err != nil {
		return httpResponse{}, err
	}
	session, err := r.header("X-Session-Id")
	if err != nil {
		return httpResponse{}, err
	}
	// The context for the SDK ends a little later than the call's, so that a call that has timed out can still reply.
	replyCtx, end := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(replyGrace, end) })
	netRequest, err := r.asNetHTTP(replyCtx)
	if err != nil {
		return httpResponse{}, err
	}
	body := bytes.Clone(r.fast.PostBody())
	if err := s.chargeBatch(r, body); err != nil {
		return httpResponse{}, err
	}
	results := &toolResults{}
	w := newResponseRelay()
	exchange := &mcp.Exchange{
		Caller: r.caller, ConnectionID: connection, Language: r.language, OnToolRun: results.add, Context: ctx,
		WithReports: func(ctx context.Context) context.Context {
			return s.cfg.Sessions.WithReports(ctx, r.caller.OrganizationID, session)
		},
	}
	go w.run(func() { s.mcp.Serve(w, netRequest, body, exchange) })

	select {
	case <-w.streaming:
		return s.relayStream(r, w, results), nil
	case <-w.ended:
		results.addTo(&r.record)
		if response, unknown := w.unknownMethod(body); unknown {
			return response, nil
		}
		return w.bufferedResponse(ctx, netRequest.Header.Get("Mcp-Session-Id"))
	}
}

// maxBatch is the largest number of messages in a request. Only one revision of the protocol has batches, and its clients
// send a few messages at a time.
const maxBatch = 20

// chargeBatch counts each message of a batch as a request with the key.
func (s *Server) chargeBatch(r *request, body []byte) error {
	var batch []json.RawMessage
	if json.Unmarshal(body, &batch) != nil { // not a batch but a single message
		return nil
	}
	if len(batch) > maxBatch {
		return problem.Invalid(fmt.Sprintf("The batch has %d messages, more than %d.", len(batch), maxBatch), "Send fewer at once.")
	}
	return s.chargeKey(r, max(len(batch)-1, 0)) // the HTTP request itself was already counted as one
}

// checkOrigin refuses requests by scripts of web pages whose origin is not configured. The protocol requires this.
func (s *Server) checkOrigin(r *request) error {
	origin, err := r.header(fasthttp.HeaderOrigin)
	if err != nil || origin == "" || slices.Contains(s.cfg.Origins, origin) {
		return err
	}
	return problem.Denied(fmt.Sprintf("Pages of %s may not use this endpoint.", origin), "Add the origin to KOPECK_CORS_ORIGINS.")
}

// asNetHTTP copies the request without its body.
func (r *request) asNetHTTP(ctx context.Context) (*http.Request, error) {
	sent, err := http.NewRequestWithContext(ctx, r.method(), "http://"+string(r.fast.Host())+r.path(), nil)
	if err != nil {
		return nil, problem.Invalid("The request is malformed: "+err.Error()+".", "Correct it and send it again.")
	}
	for name, value := range r.fast.Request.Header.All() {
		sent.Header.Add(string(name), string(value))
	}
	sent.Header.Del(fasthttp.HeaderContentEncoding) // the body has been unpacked
	return sent, nil
}

// toolResults collects the results of the tools that a request has run. It needs a mutex, because the SDK may give up a
// request while a tool is still running.
type toolResults struct {
	mu  sync.Mutex
	all []*tools.Result
}

func (results *toolResults) add(result *tools.Result) {
	results.mu.Lock()
	defer results.mu.Unlock()
	results.all = append(results.all, result)
}

func (results *toolResults) addTo(r *record) {
	results.mu.Lock()
	defer results.mu.Unlock()
	for _, result := range results.all {
		r.noteTool(result)
	}
}

// responseRelay is the http.ResponseWriter that the SDK gets. Events of a stream can be read from frames while the SDK
// writes them. Any other response is buffered.
type responseRelay struct {
	header    http.Header
	status    int
	body      bytes.Buffer
	stream    sync.Once     // makes sure that streaming is closed only once
	streaming chan struct{} // closed before the first frame
	frames    chan []byte
	ended     chan struct{} // closed when nothing more will be written
	panicErr  error         // a panic of the SDK's handler
}

func newResponseRelay() *responseRelay {
	return &responseRelay{
		header:    http.Header{},
		streaming: make(chan struct{}),
		frames:    make(chan []byte),
		ended:     make(chan struct{}),
	}
}

// run calls serve, and catches its panics because it runs in a goroutine of its own.
func (w *responseRelay) run(serve func()) {
	defer close(w.ended)
	w.panicErr = caught.Call(func() error {
		serve()
		return nil
	})
}

func (w *responseRelay) Header() http.Header { return w.header }

func (w *responseRelay) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *responseRelay) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if !strings.HasPrefix(w.header.Get("Content-Type"), "text/event-stream") {
		return w.body.Write(p)
	}
	w.stream.Do(func() { close(w.streaming) })
	w.frames <- bytes.Clone(p) // drain receives all frames, even after the client has gone
	return len(p), nil
}

// Flush does nothing: frames are not buffered.
func (w *responseRelay) Flush() {}

// bufferedResponse returns a response that is not a stream. It turns the SDK's plain text errors into problems. The SDK
// returns nothing if the session ends after it has found it.
func (w *responseRelay) bufferedResponse(ctx context.Context, session string) (httpResponse, error) {
	switch {
	case w.panicErr != nil:
		return httpResponse{}, w.panicErr
	case w.status == 0 && session != "" && ctx.Err() == nil:
		return httpResponse{}, protocolProblem(http.StatusNotFound, "session ended")
	case w.status == 0:
		return httpResponse{}, errors.Join(context.Cause(ctx), errors.New("the MCP handler returned no response"))
	case w.status >= http.StatusBadRequest && !strings.HasPrefix(w.header.Get("Content-Type"), "application/json"):
		return httpResponse{}, protocolProblem(w.status, strings.TrimSpace(w.body.String()))
	}
	return httpResponse{status: w.status, header: w.selectedHeaders(), raw: w.body.Bytes()}, nil
}

// unknownMethod returns the protocol's error for an unknown method, and nothing for an unknown notification. In revisions
// before 2026-07-28 the SDK responds in plain text, but clients need the error to find out what a server supports.
func (w *responseRelay) unknownMethod(sent []byte) (httpResponse, bool) {
	if w.status != http.StatusBadRequest || !strings.HasPrefix(w.body.String(), "JSON RPC not handled") {
		return httpResponse{}, false
	}
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(sent, &message) != nil { // a batch
		return httpResponse{}, false
	}
	if message.ID == nil {
		return httpResponse{status: http.StatusAccepted}, true
	}
	notFound := jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("method not found: %.100q", message.Method)}
	return httpResponse{status: http.StatusOK, value: map[string]any{"jsonrpc": "2.0", "id": message.ID, "error": notFound}}, true
}

// selectedHeaders returns the headers of the SDK's response that the client needs.
func (w *responseRelay) selectedHeaders() map[string]string {
	header := map[string]string{}
	for _, name := range []string{"Content-Type", "Cache-Control", "Mcp-Session-Id", "Allow"} {
		if value := w.header.Get(name); value != "" {
			header[name] = value
		}
	}
	return header
}

// protocolProblem returns the problem for an error that the SDK returns before it reads the message.
func protocolProblem(status int, text string) *problem.Problem {
	text = bilingual.Capital(text) + "."
	switch status {
	case http.StatusNotFound:
		return problem.New(status, "NOT_FOUND", text, "Sessions expire and end with the service: initialize again, without Mcp-Session-Id.")
	case http.StatusForbidden:
		return problem.Denied(text, "Use the key that opened the session, or initialize again.")
	case http.StatusMethodNotAllowed:
		return problem.New(status, "METHOD_NOT_ALLOWED", text, "Send messages with POST.")
	case http.StatusUnsupportedMediaType:
		return unsupported(text, "Send one JSON-RPC message with Content-Type: application/json.")
	}
	return problem.Invalid(text, "Send one JSON-RPC message, with Accept: application/json, text/event-stream.")
}

// relayStream returns a response whose events are passed on as they are written.
func (s *Server) relayStream(r *request, w *responseRelay, results *toolResults) httpResponse {
	header := w.selectedHeaders()
	header["X-Accel-Buffering"] = "no" // stops nginx from buffering
	return httpResponse{status: http.StatusOK, header: header, stream: &sseStream{
		conn: r.fast.Conn(),
		next: func() ([]byte, error) {
			select {
			case f := <-w.frames:
				return f, nil
			case <-w.ended:
				return nil, errStreamEnd
			case <-time.After(s.cfg.Ping):
				return nil, nil
			}
		},
		failed: func(error) []byte { return nil }, // next does not fail
		end:    func(finish func()) { go w.drain(r, results, finish) },
	}}
}

// drain waits until the SDK's handler has ended, then finishes the request. The client has already got the status 200, but a
// panic must still be logged.
func (w *responseRelay) drain(r *request, results *toolResults, finish func()) {
	for {
		select {
		case <-w.frames:
		case <-w.ended:
			if w.panicErr != nil {
				r.noteProblem(problem.Of(context.Background(), w.panicErr))
			}
			results.addTo(&r.record)
			finish()
			return
		}
	}
}
