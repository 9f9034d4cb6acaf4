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

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// inShop runs a test against an account over HTTP through pipes, inside a synctest bubble: the pace waits in the bubble's
// time, so that a question of hundreds of calls takes none.
func inShop(t *testing.T, config sandbox.Config, test func(t *testing.T, s *shop)) {
	t.Helper()
	inShopThrough(t, config, nil, test)
}

// inShopThrough lets a test change what the account answers; nil changes nothing.
func inShopThrough(t *testing.T, config sandbox.Config, answers retold, test func(t *testing.T, s *shop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{t: t}
		config.Now = s.clock
		s.Sandbox = sandbox.New(config)
		s.account = s.newAccount(pipedPool(t, s.Handler(), answers), config)
		test(t, s)
	})
}

// pipedPool reaches a simulated upstream without a network; answers may change what it says.
func pipedPool(t *testing.T, upstream http.Handler, answers retold) *moysklad.Pool {
	listener := newPipes()
	server := &http.Server{Handler: answers.of(upstream)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	pool, err := moysklad.NewPool(moysklad.Config{URL: "http://sandbox/api/remap/1.2", Dial: listener.dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("sandbox: %v", err)
		}
	})
	return pool
}

// retold changes an answer before it is sent, given what was asked. A nil one changes nothing.
type retold func(asked *url.URL, answer map[string]any)

// of is an upstream whose answers are changed.
func (change retold) of(upstream http.Handler) http.Handler {
	if change == nil {
		return upstream
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told := httptest.NewRecorder()
		upstream.ServeHTTP(told, r)
		text, err := retell(told, r.URL, change)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		maps.Copy(w.Header(), told.Header())
		w.Header().Del("Content-Encoding")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		w.WriteHeader(told.Code)
		_, _ = w.Write(text)
	})
}

func retell(told *httptest.ResponseRecorder, asked *url.URL, change retold) ([]byte, error) {
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
	if decoder.Decode(&object) == nil { // short reports are lists
		change(asked, object)
		return json.Marshal(object)
	}
	return text, nil
}

// eachRow calls a function for every row of an answer's list.
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
		ID: id, ConnectionID: "connection", Name: "shop", Now: s.clock,
		Rights: Rights{Cost: config.Role != sandbox.NoCost, Money: !config.NoMoneyRight},
		Client: pool.Client(id, moysklad.Token(s.Token())),
		Books:  NewLibrary(s.clock).Books(id, "sight"),
	}
}

// refused asks with arguments that the tool must refuse.
func (s *shop) mustRefuse(tool, arguments string) *ArgumentError {
	s.t.Helper()
	_, err := s.call(tool, arguments)
	var wrong *ArgumentError
	if !errors.As(err, &wrong) {
		s.t.Fatalf("%s %s: %v, want an ArgumentError", tool, arguments, err)
	}
	return wrong
}

// pipes is a listener without a network.
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
