package tools

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
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
	server := &http.Server{Handler: upstream}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	transport := &http.Transport{DialContext: listener.dial}
	var through http.RoundTripper = transport
	if answers != nil {
		through = &retelling{transport, answers}
	}
	pool, err := moysklad.NewPool(moysklad.Config{URL: "http://sandbox/api/remap/1.2", Transport: through})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("sandbox: %v", err)
		}
	})
	return pool
}

// retold changes an answer before it is read, given what was asked.
type retold func(asked *url.URL, answer map[string]any)

type retelling struct {
	http.RoundTripper
	change retold
}

func (r *retelling) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := r.RoundTripper.RoundTrip(request)
	if err != nil || answer.StatusCode != http.StatusOK {
		return answer, err
	}
	defer answer.Body.Close()
	var body io.Reader = answer.Body
	if answer.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(answer.Body); err != nil {
			return nil, err
		}
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	if decoder.Decode(&object) == nil { // short reports are lists
		r.change(request.URL, object)
		if text, err = json.Marshal(object); err != nil {
			return nil, err
		}
	}
	answer.Header.Del("Content-Encoding")
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return answer, nil
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
func (s *shop) refused(tool, arguments string) *ArgumentError {
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

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
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
