// Package proxy is Kopeck over HTTP: it authenticates, routes, decodes, calls one thing and encodes. What the addresses
// are called and answer is in schemas/openapi.yaml, which the package also enforces on request bodies.
//
// Every request takes one way: [Server.enter] gives it an id, a deadline and a record in the log, auth.go finds the
// caller, a function of the route table in routes.go answers, and answer.go or sse.go writes. A function returns values
// and errors; errors.go alone decides what an error looks like outside.
package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/router"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/trace"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/digests"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/mcp"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/accounts"
	"github.com/kopeck/kopeck/tools/drafts"
)

// The limits of a request. They are generous to people and mean to connections that hold a place without using it.
const (
	maxHeaders     = 16 << 10
	writeBuffer    = 4<<10 + 64        // what fasthttp reads of a stream at once, and what it puts around that
	headTime       = 10 * time.Second  // for a request's head, from its first byte; receive.go bounds the body's time
	idleTimeout    = 120 * time.Second // between the requests of a connection
	writeTimeout   = 30 * time.Second  // for a whole answer, or for one event of a stream
	drainTimeout   = 20 * time.Second  // for running requests when the server stops
	closingTimeout = 3 * time.Second   // for streams to say that the server stops
)

// Config is what the server stands on. Fields without a comment on nil are required.
type Config struct {
	Keys     *keys.Store
	Agent    *agent.Agent
	Models   *models.Registry // that are passed through, without agent or tools; nil is none
	Sessions *agent.Store
	Accounts *accounts.Accounts // the same that the agent opens accounts with
	Drafts   *drafts.Creator

	Webhooks *webhooks.Store
	Digests  *digests.Store

	Idempotency *keys.Idempotency
	Spend       *spend.Ledger
	Limits      *limits.Limiter

	Behind func(name string) *models.Model // the model behind this name of the agent; nil is the offline one for all

	Version string                      // of the service, as MCP clients are told it
	Tools   []tools.Tool                // nil is tools.All
	Ready   func(context.Context) error // what /readyz asks besides; nil asks nothing
	Origins []string                    // browsers' origins that may read answers; nil is any, for keys travel in a header
	Metrics *prometheus.Registry        // nil is one of the server's own
	Traces  trace.TracerProvider        // where spans go; nil is nowhere
	Apart   bool                        // /metrics is served elsewhere, from Server.Metrics
	Proxies []netip.Prefix              // whose X-Forwarded-For is believed; nil is nobody's
	PerKey  int                         // requests a minute of one key, counted by this process; 0 is no bound
	Running int                         // questions of one organization at once, on all replicas; 0 is no bound

	RefuseSecrets bool          // in requests for models that are passed through; else they are masked
	CacheFor      time.Duration // how long an answer of such a model to a repeatable request is kept; 0 is not at all

	Connections int   // at once; 0 is no bound
	PerAddress  int   // of these, from one address that is none of Proxies; 0 is no bound
	Bodies      int64 // bytes that the bodies of all requests under way, and long answers of models, may take; 0 is 48 MiB

	Deadline time.Duration    // for one request's work; 0 is 5 minutes
	Ping     time.Duration    // between comments on a silent stream; 0 is 10 seconds
	Now      func() time.Time // nil is time.Now
	Log      *slog.Logger     // nil is silent
}

// Server answers the API. Make it with [New].
type Server struct {
	cfg       Config
	http      *fasthttp.Server
	router    *router.Router
	mcp       *mcp.Server
	metrics   *metrics
	bodies    func() map[*route]bodySchema // read once, beside the first requests
	connector connectorType
	running   running
	watching  watching
	deadlines deadlines
	sharing   sharing
	guard     *guard
	arriving  *arriving
	cached    *modelCache
	held      *held
	perKey    *quota[string] // by key; nil is no bound
	questions *questions
	stopping  atomic.Bool
	began     time.Time
	base      context.Context // of every request's work; ended when stopping takes too long
	end       context.CancelCauseFunc

	listening sync.Mutex
	listener  net.Listener
}

// errStopping is the cause of a context that ends because the server stops.
var errStopping = errors.New("the server is stopping")

// New builds the server; the error names a field of cfg that cannot be.
func New(cfg Config) (*Server, error) {
	if cfg.Keys == nil || cfg.Agent == nil || cfg.Sessions == nil || cfg.Accounts == nil || cfg.Drafts == nil ||
		cfg.Idempotency == nil || cfg.Spend == nil ||
		cfg.Limits == nil || cfg.Webhooks == nil ||
		cfg.Digests == nil {
		return nil, errors.New(
			"proxy: Keys, Agent, Sessions, Accounts, Drafts, Idempotency, Spend, Limits, Webhooks and Digests are required",
		)
	}
	if cfg.Tools == nil {
		cfg.Tools = tools.All()
	}
	if cfg.Models == nil {
		cfg.Models = models.Fixed(nil)
	}
	if cfg.Deadline == 0 {
		cfg.Deadline = 5 * time.Minute
	}
	if cfg.Bodies == 0 {
		cfg.Bodies = 48 << 20
	}
	if cfg.Ping == 0 {
		cfg.Ping = 10 * time.Second
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		cfg:       cfg,
		metrics:   newMetrics(cfg.Metrics),
		bodies:    sync.OnceValue(bodySchemas),
		connector: readConnectors(),
		began:     cfg.Now(),
		sharing:   sharing{patience: patienceWithRetries},
		guard:     newGuard(),
		arriving:  newArriving(cfg.Bodies),
		cached:    newModelCache(),
		questions: newQuestions(cfg.Running, cfg.Sessions),
	}
	if cfg.PerKey > 0 {
		s.perKey = newQuota[string](cfg.PerKey)
	}
	s.base, s.end = context.WithCancelCause(context.Background())
	s.mcp = s.newMCP()
	s.router = s.routed()
	s.held = newHeld(cfg.Connections, cfg.PerAddress, s.cfg.trusts)
	s.http = &fasthttp.Server{
		Handler:                      s.handle,
		ConnState:                    s.held.changed,
		ErrorHandler:                 s.unreadable,
		ReadTimeout:                  headTime,
		IdleTimeout:                  idleTimeout,
		WriteTimeout:                 writeTimeout,
		ReadBufferSize:               maxHeaders,
		WriteBufferSize:              writeBuffer,
		StreamRequestBody:            true,
		MaxRequestBodySize:           1, // what fasthttp reads of a body by itself, before the key has been looked at
		DisablePreParseMultipartForm: true,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
		SecureErrorLogMessage:        true,
		CloseOnShutdown:              true,
		Logger:                       slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	return s, nil
}

// Serve answers on ln until [Server.Shutdown].
func (s *Server) Serve(ln net.Listener) error {
	gentle := &lingering{Listener: ln, held: s.held}
	s.listening.Lock()
	s.listener = gentle
	s.listening.Unlock()
	go caught.Logged(
		s.cfg.Log, "the first look at the room for bodies", func() { s.bodies() },
	) // so that the first body need not wait for it
	return s.http.Serve(gentle)
}

// Metrics serves the Prometheus page, for an address of its own.
func (s *Server) Metrics() http.Handler { return s.metrics.handler() }

// Shutdown stops in good order: new connections are refused and new requests on open ones are answered 503 at once,
// running ones have 20 seconds (or less, if ctx ends before), then their work is cancelled and streams end with an error
// event.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stopping.Store(true)
	s.refuseConnections()
	s.running.wait(ctx, drainTimeout)
	s.end(errStopping)
	s.running.wait(context.WithoutCancel(ctx), closingTimeout)
	s.mcp.Close()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTimeout)
	defer cancel()
	return s.http.ShutdownWithContext(closing)
}

// refuseConnections closes the address, so that a load balancer sends new requests elsewhere at once.
func (s *Server) refuseConnections() {
	s.listening.Lock()
	defer s.listening.Unlock()
	if s.listener != nil {
		s.listener.Close()
	}
}
