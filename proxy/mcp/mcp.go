// Package mcp serves the Model Context Protocol. It offers the tools with their schemas, common questions as prompts, and
// the valid values of arguments as resources.
//
// A tool runs as it does over REST. No tool can confirm a draft. Only a person can, by typing the draft's code into a form
// that the client shows (an elicitation), or outside of MCP. Text from the upstream, such as names and comments, is treated
// as data, and invisible characters are removed from it.
//
// Most clients have no session. Only clients that use a protocol before 2026-07-28 and can show forms get one, in this
// process's memory. In these protocols a form is sent on the stream of the call that waits for its answer.
package mcp

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/clients"
	"github.com/kopeck/kopeck/proxy/places"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
)

// The limits of sessions, each of which takes memory. A client that gets no session can use everything except forms.
const (
	maxSessions                = 1000
	maxSessionsPerOrganization = 100
	sessionIdle                = 30 * time.Minute
)

// Accounts opens upstream accounts and runs tools on them.
type Accounts interface {
	Open(ctx context.Context, who keys.Caller, connectionID string) (*tools.Account, error)
	Execute(ctx context.Context, who keys.Caller, t tools.Tool, on *tools.Account, args json.RawMessage) (*tools.Result, error)
}

// PublicError is an error in the form that callers get, independent of the protocol.
type PublicError struct {
	Code    string
	Message string // says what to do next
	Detail  any    // the error object of the REST API
}

// Config holds the server's dependencies; all are required.
type Config struct {
	Version     string
	Tools       []tools.Tool
	Accounts    Accounts
	Drafts      *drafts.Creator
	PublicError func(ctx context.Context, err error, language string) PublicError
	Now         func() time.Time
	Log         *slog.Logger
}

// Server serves the protocol.
type Server struct {
	cfg           Config
	sessionServer func() *sdk.Server // for clients with a session; created on first use
	sessions      http.Handler
	stateless     http.Handler
	sessionPlaces *places.Queue
	openSessions  sync.Map // :: the session's key → [openSession]
}

// openSession is a session that has not ended. Its context ends when the client ends the session.
type openSession struct {
	ctx context.Context
	end context.CancelCauseFunc
}

// New returns a server.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, sessionPlaces: places.New(maxSessions, maxSessionsPerOrganization, 0)}
	s.sessionServer = sync.OnceValue(s.newSDKServer)
	s.sessions = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sessionServer() },
		&sdk.StreamableHTTPOptions{SessionTimeout: sessionIdle, DisableLocalhostProtection: true})
	sessionless := sync.OnceValue(s.newSDKServer)
	s.stateless = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return sessionless() },
		&sdk.StreamableHTTPOptions{Stateless: true, DisableLocalhostProtection: true})
	return s
}

//go:embed instructions.md
var instructions string

// newSDKServer returns an SDK server with all tools, prompts and resources.
func (s *Server) newSDKServer() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "kopeck", Title: "Kopeck", Version: s.cfg.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		// Without this, the SDK lets shared caches return one organization's warehouses to another.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
		Capabilities: &sdk.ServerCapabilities{
			Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{},
		}, // no other capabilities: the lists never change, and the server does not log to clients
	})
	for _, t := range s.cfg.Tools {
		server.AddTool(toolDefinition(t), s.toolHandler(t))
	}
	addPrompts(server)
	s.addResources(server)
	server.AddReceivingMiddleware(s.authorize)
	return server
}

// Exchange is an HTTP request that carries a message, as far as it is needed here.
type Exchange struct {
	Caller       keys.Caller
	ConnectionID string                                // from the request; an argument of the call overrides it
	Language     string                                // "ru" or "en", or empty if the request does not say
	OnToolRun    func(*tools.Result)                   // called after each tool
	WithReports  func(context.Context) context.Context // adds the reports of the request's session
	Context      context.Context                       // ends on timeout, disconnect or shutdown

	sessionPlace atomic.Pointer[func()] // frees the place reserved for a new session
}

// Serve handles one HTTP request whose body has been read. The caller is x.Caller; the Authorization header is ignored.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, body []byte, x *Exchange) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	handler := s.stateless
	session := r.Header.Get("Mcp-Session-Id")
	if session != "" || opensFormSession(body) && s.reserveSession(x) {
		handler = s.sessions
		defer x.releaseUnused()
	}
	if open, ok := s.openSessions.Load(x.sessionKey(session)); ok && r.Method == http.MethodDelete {
		open.(openSession).end(clients.ErrLeft) // the SDK does not cancel the session's calls, but waits for them
	}
	known := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) {
		// The SDK ties a session to this user.
		return &auth.TokenInfo{UserID: x.userID(), Extra: map[string]any{"": x}}, nil
	}
	auth.RequireBearerToken(known, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(handler).ServeHTTP(w, r)
}

func (x *Exchange) userID() string { return x.Caller.KeyID + "@" + x.Caller.OrganizationID }

// sessionKey identifies a session of this user. With another user's session id it finds nothing.
func (x *Exchange) sessionKey(id string) string { return x.userID() + " " + id }

// exchangeFor returns the HTTP request that carried a message.
func exchangeFor(extra *sdk.RequestExtra) *Exchange { return extra.TokenInfo.Extra[""].(*Exchange) }

// opensFormSession reports whether a body opens a session of a client that can show forms.
func opensFormSession(body []byte) bool {
	var opening struct {
		Method string
		Params sdk.InitializeParams
	}
	if json.Unmarshal(body, &opening) != nil || opening.Method != "initialize" {
		return false
	}
	return showsForms(opening.Params.Capabilities)
}

// showsForms reports whether a client can show forms. Elicitation without a mode means forms.
func showsForms(can *sdk.ClientCapabilities) bool {
	return can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

// reserveSession reserves a place for the session that a request will open.
func (s *Server) reserveSession(x *Exchange) bool {
	leave, ok := s.sessionPlaces.TryEnter(x.Caller.OrganizationID)
	if ok {
		x.sessionPlace.Store(&leave)
	}
	return ok
}

// releaseUnused frees the reserved place if no session was opened.
func (x *Exchange) releaseUnused() {
	if leave := x.sessionPlace.Swap(nil); leave != nil {
		(*leave)()
	}
}

// keepSession keeps the session that the request has opened, and its place, until it ends.
func (s *Server) keepSession(x *Exchange, session sdk.Session) {
	opened, ok := session.(*sdk.ServerSession)
	if !ok {
		return
	}
	if leave := x.sessionPlace.Swap(nil); leave != nil {
		key := x.sessionKey(opened.ID())
		ctx, end := context.WithCancelCause(context.Background())
		s.openSessions.Store(key, openSession{ctx, end})
		go func() {
			defer (*leave)()
			defer s.openSessions.Delete(key)
			defer end(nil)
			caught.Logged(s.cfg.Log, "the end of an MCP session", func() { _ = opened.Wait() }) // the reason why it ended does not matter
		}()
	}
}

// Close ends all sessions.
func (s *Server) Close() {
	for session := range s.sessionServer().Sessions() {
		_ = session.Close() // the server is shutting down anyway
	}
}
