// Package mcp is the service over the Model Context Protocol: the tools with their schemas, the questions that owners ask
// as prompts, and the names that arguments take as resources.
//
// A tool runs the same way as over REST. No tool confirms a draft: a person does, by typing the draft's code into a form
// that the client shows (an elicitation), or elsewhere. What the upstream wrote (names, comments) is data here; what a
// reader cannot see is taken out of it.
//
// Clients of protocol 2026-07-28 and later keep no session, nor do older ones that could not show a form. Older ones that
// could are given one, in this process's memory, since the form reaches them on the stream of the call that is waiting.
package mcp

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/places"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
)

// What sessions may take of the process's memory. A client without one is served all the same, but for forms.
const (
	mostSessions = 1000
	mostOfOne    = 100 // of one organization
	sessionIdle  = 30 * time.Minute
)

// Accounts opens sets of books and runs tools on them, for callers of any protocol.
type Accounts interface {
	Open(ctx context.Context, who keys.Caller, connectionID string) (*tools.Account, error)
	Execute(ctx context.Context, who keys.Caller, t tools.Tool, on *tools.Account, args json.RawMessage) (*tools.Result, error)
}

// Refusal is an error as callers of any protocol see it.
type Refusal struct {
	Code    string
	Message string // with what to do next
	Detail  any    // the error object of the REST API
}

// Config is what the server stands on; all of it is required.
type Config struct {
	Version  string
	Tools    []tools.Tool
	Accounts Accounts
	Drafts   *drafts.Creator
	Refusal  func(ctx context.Context, err error, language string) Refusal
	Now      func() time.Time
	Log      *slog.Logger
}

// Server answers the protocol's messages.
type Server struct {
	cfg       Config
	keeping   func() *sdk.Server // for clients with a session; made for the first of them, like the other
	sessions  http.Handler
	stateless http.Handler
	room      *places.Room
}

// New makes a server.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, room: places.New(mostSessions, mostOfOne, 0)}
	s.keeping = sync.OnceValue(s.offering)
	s.sessions = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.keeping() },
		&sdk.StreamableHTTPOptions{SessionTimeout: sessionIdle, DisableLocalhostProtection: true})
	sessionless := sync.OnceValue(s.offering)
	s.stateless = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return sessionless() },
		&sdk.StreamableHTTPOptions{Stateless: true, DisableLocalhostProtection: true})
	return s
}

//go:embed instructions.md
var instructions string

// offering is a server of the SDK with all there is.
func (s *Server) offering() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "kopeck", Title: "Kopeck", Version: s.cfg.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		// The SDK would let caches between us and the client give one organization's warehouses to another.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
		Capabilities: &sdk.ServerCapabilities{
			Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{},
		}, // the lists never change, and there is no log
	})
	for _, t := range s.cfg.Tools {
		server.AddTool(described(t), s.call(t))
	}
	offerPrompts(server)
	s.offerResources(server)
	server.AddReceivingMiddleware(s.admitting)
	return server
}

// Exchange is one HTTP request with a message: who sent it, and how long it may take.
type Exchange struct {
	Caller       keys.Caller
	ConnectionID string                                // named by the request; a call's own argument wins
	Language     string                                // "ru" or "en", if the request says
	Ran          func(*tools.Result)                   // hears of each tool that ran
	Within       func(context.Context) context.Context // has the reports of the session that the request names
	Context      context.Context                       // ends with the time for the request, with the client, or with the service

	place atomic.Pointer[func()] // gives back the place of the session that the request opens
}

// Serve answers one HTTP request whose body has been read. Its sender is x's caller, whatever the header says.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, body []byte, x *Exchange) {
	r.Body = http.NoBody
	if len(body) > 0 {
		r.Body = readCloser{bytes.NewReader(body)}
	}
	handler := s.stateless
	if r.Header.Get("Mcp-Session-Id") != "" || wantsForms(body) && s.place(x) {
		handler = s.sessions
		defer x.giveUp()
	}
	known := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) {
		// The SDK lets nobody but its user into a session.
		return &auth.TokenInfo{UserID: x.Caller.KeyID + "@" + x.Caller.OrganizationID, Extra: map[string]any{"": x}}, nil
	}
	auth.RequireBearerToken(known, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(handler).ServeHTTP(w, r)
}

// exchangeOf is the HTTP request that a message came with.
func exchangeOf(extra *sdk.RequestExtra) *Exchange { return extra.TokenInfo.Extra[""].(*Exchange) }

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

// wantsForms tells whether a body opens a session with a client that can show forms.
func wantsForms(body []byte) bool {
	var opening struct {
		Method string
		Params sdk.InitializeParams
	}
	if json.Unmarshal(body, &opening) != nil || opening.Method != "initialize" {
		return false
	}
	return showsForms(opening.Params.Capabilities)
}

// showsForms tells whether a client shows forms to a person. One that names no kind of elicitation means forms.
func showsForms(can *sdk.ClientCapabilities) bool {
	return can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

// place takes a place for the session that a request opens.
func (s *Server) place(x *Exchange) bool {
	leave, ok := s.room.Try(x.Caller.OrganizationID)
	if ok {
		x.place.Store(&leave)
	}
	return ok
}

// giveUp gives back a place that no session took.
func (x *Exchange) giveUp() {
	if leave := x.place.Swap(nil); leave != nil {
		(*leave)()
	}
}

// begin hands the request's place to the session that it opened, until that ends.
func (x *Exchange) begin(session sdk.Session, log *slog.Logger) {
	opened, ok := session.(*sdk.ServerSession)
	if !ok {
		return
	}
	if leave := x.place.Swap(nil); leave != nil {
		go func() {
			defer (*leave)()
			caught.Logged(log, "the end of an MCP session", func() { _ = opened.Wait() }) // how it ended is of no matter
		}()
	}
}

// Close ends the sessions there are.
func (s *Server) Close() {
	for session := range s.keeping().Sessions() {
		_ = session.Close() // it is going away either way
	}
}
