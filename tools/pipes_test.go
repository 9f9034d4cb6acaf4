package tools

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// inShop runs a test in a synctest bubble, on an account that is served over in-memory pipes. In the bubble, waiting
// for the rate limit takes no real time.
func inShop(t *testing.T, config sandbox.Config, test func(t *testing.T, s *shop)) {
	t.Helper()
	inShopThrough(t, config, nil, test)
}

// inShopThrough is like [inShop], but calls a function that can change the account's answers. The function may be nil.
func inShopThrough(t *testing.T, config sandbox.Config, answers rewriteAnswer, test func(t *testing.T, s *shop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{t: t}
		config.Now = s.clock
		s.Sandbox = sandbox.New(config)
		s.account = s.newAccount(pipedPool(t, s.Handler(), answers), config)
		test(t, s)
	})
}

// pipedPool returns a client pool for a simulated upstream without a network. If answers is not nil, it can change the
// upstream's answers.
func pipedPool(t *testing.T, upstream http.Handler, answers rewriteAnswer) *moysklad.Pool {
	listener := newPipes()
	server := &http.Server{Handler: answers.wrap(upstream)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	pool, err := moysklad.NewPool(moysklad.Config{URL: "http://sandbox/api/remap/1.2", Dial: listener.dial})
	must(t, err)
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("sandbox: %v", err)
		}
	})
	return pool
}

// rewriteAnswer changes an answer before it is sent. A nil one changes nothing.
type rewriteAnswer func(asked *url.URL, answer map[string]any)

// wrap returns an upstream whose answers are changed.
func (change rewriteAnswer) wrap(upstream http.Handler) http.Handler {
	if change == nil {
		return upstream
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		upstream.ServeHTTP(recorder, r)
		text, err := applyRewrite(recorder, r.URL, change)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		maps.Copy(w.Header(), recorder.Header())
		w.Header().Del("Content-Encoding")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(text)
	})
}

func applyRewrite(told *httptest.ResponseRecorder, asked *url.URL, change rewriteAnswer) ([]byte, error) {
	var body io.Reader = told.Body
	if told.Header().Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(told.Body)
		if err != nil {
			return nil, err
		}
		body = unpacked
	}
	text, err := io.ReadAll(body)
	if err != nil || told.Code != http.StatusOK {
		return text, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	if decoder.Decode(&object) == nil { // short reports are JSON arrays and are not changed
		change(asked, object)
		return json.Marshal(object)
	}
	return text, nil
}

// eachRow calls a function for every row of a list in an answer.
func eachRow(answer map[string]any, do func(row map[string]any)) {
	rows, _ := answer["rows"].([]any)
	for _, row := range rows {
		if object, ok := row.(map[string]any); ok {
			do(object)
		}
	}
}

func (s *shop) newAccount(pool *moysklad.Pool, config sandbox.Config) *Account {
	id := s.Books().AccountID
	return &Account{
		ID: id, ConnectionID: "connection", Now: s.clock,
		Rights: Rights{Cost: config.Role != sandbox.NoCost, Money: !config.NoMoneyRight},
		Client: pool.Client(id, moysklad.Token(s.Token())),
		Cache:  NewCache(s.clock).For(id, "role"),
	}
}

// mustRefuse calls a tool with invalid arguments and returns the error.
func (s *shop) mustRefuse(tool, arguments string) *check.InvalidError {
	s.t.Helper()
	_, err := s.call(tool, arguments)
	var wrong *check.InvalidError
	if !errors.As(err, &wrong) {
		s.t.Fatalf("%s %s: %v, want an check.InvalidError", tool, arguments, err)
	}
	return wrong
}

// pipes is a listener for in-memory connections.
type pipes struct {
	connections chan net.Conn
	closed      chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.connections <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.connections:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return pipeAddress{} }

type pipeAddress struct{}

func (pipeAddress) Network() string { return "pipe" }
func (pipeAddress) String() string  { return "sandbox" }
