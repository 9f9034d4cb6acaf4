// Package proxy serves Kopeck's HTTP API. schemas/openapi.yaml describes its paths; request bodies are validated against
// it.
//
// A request takes these steps: [Server.handlerFor] gives it an id, a deadline and a log record. auth.go finds the caller.
// The function in the route table handles it. response.go or stream.go writes the response. Functions return values and
// errors. Only package problem decides what an error looks like to the client.
package proxy

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/trace"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/clients"
	"github.com/kopeck/kopeck/proxy/digests"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/mcp"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/accounts"
	"github.com/kopeck/kopeck/tools/drafts"
)

// The limits of a request. They allow for slow connections, but end connections that are only held open.
const (
	maxHeaders     = 16 << 10
	writeBuffer    = 4<<10 + 64        // fasthttp reads 4 KiB of a stream at a time, and adds up to 64 bytes
	headTime       = 10 * time.Second  // for the headers, from their first byte; the limit for the body is in receive.go
	idleTimeout    = 120 * time.Second // between two requests on a connection
	writeTimeout   = 30 * time.Second  // for a complete response, or one event of a stream
	drainTimeout   = 20 * time.Second  // for running requests at shutdown
	closingTimeout = 3 * time.Second   // for streams to report the shutdown to their clients
)

// Config configures a server. A field is required unless its comment says what its zero value means.
type Config struct {
	Keys     *keys.Store
	Agent    *agent.Agent
	Models   *models.Registry // models to pass requests through to; nil means none
	Sessions *agent.Store
	Accounts *accounts.Accounts // the same as the agent's
	Drafts   *drafts.Creator

	Webhooks *webhooks.Store
	Digests  *digests.Store

	Idempotency *keys.Idempotency
	Spend       *spend.Store
	Limits      *limits.Limiter

	AgentModel string // the model of Models that the agent uses unless a request names another; one that Models lacks means the offline model

	Version          string // of the service, for MCP clients
	Tools            []tools.Tool
	Ready            func(context.Context) error // an additional check for /readyz; nil means none
	Origins          []string                    // whose scripts may read responses; nil means all, since keys are sent in a header
	Metrics          *prometheus.Registry        // nil means a new registry
	Traces           trace.TracerProvider        // nil means no traces
	SeparateMetrics  bool                        // /metrics is not a path of this server; use Server.Metrics
	TrustedProxies   []netip.Prefix              // the proxies whose X-Forwarded-For is trusted; nil means none
	RequestsPerKey   int                         // per minute, counted by this process; 0 means no limit
	RunningQuestions int                         // at once per organization, on all replicas; 0 means no limit

	RefuseSecrets bool          // refuse pass-through requests that contain secrets; otherwise the secrets are masked
	CacheLifetime time.Duration // for responses to repeatable pass-through requests; 0 means no cache

	MaxConnections int   // at once; 0 means no limit
	MaxPerAddress  int   // at once from one address, except trusted proxies; 0 means no limit
	BodyMemory     int64 // bytes for all request bodies and long model responses; 0 means 48 MiB

	Deadline time.Duration    // for one request's work; 0 means 5 minutes
	Ping     time.Duration    // between comments on a silent stream; 0 means 10 seconds
	Now      func() time.Time // nil means time.Now
	Log      *slog.Logger
}

// Server serves the API. Create it with [New].
type Server struct {
	cfg           Config
	http          *fasthttp.Server
	dispatch      fasthttp.RequestHandler // to the route of a request
	mcp           *mcp.Server
	metrics       *metrics
	bodySchemas   func() map[*route]bodySchema // reads the schemas on the first call
	connector     connectorType
	running       running
	disconnects   clients.Watcher
	sharedRuns    sharedRuns
	guard         *guard
	bodyMemory    *bodyMemory
	responseCache *modelCache
	connections   *clients.Limit
	keyQuota      *quota[string] // nil means no limit
	questionLimit *questionLimit
	stopping      atomic.Bool
	startedAt     time.Time
	baseContext   context.Context // the parent of all request contexts; cancelled if shutdown takes too long
	endBase       context.CancelCauseFunc

	listening sync.Mutex
	listener  net.Listener
}

// New returns a server. It fails if a required field of cfg is missing.
func New(cfg Config) (*Server, error) {
	if cfg.Keys == nil || cfg.Agent == nil || cfg.Sessions == nil || cfg.Accounts == nil || cfg.Drafts == nil ||
		cfg.Webhooks == nil || cfg.Digests == nil || cfg.Idempotency == nil || cfg.Spend == nil || cfg.Limits == nil {
		return nil, errors.New(
			"proxy: Keys, Agent, Sessions, Accounts, Drafts, Webhooks, Digests, Idempotency, Spend and Limits are required")
	}
	if cfg.Models == nil {
		cfg.Models = models.Fixed(nil)
	}
	cfg.Deadline = cmp.Or(cfg.Deadline, 5*time.Minute)
	cfg.BodyMemory = cmp.Or(cfg.BodyMemory, 48<<20)
	cfg.Ping = cmp.Or(cfg.Ping, 10*time.Second)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Server{
		cfg:           cfg,
		metrics:       newMetrics(cfg.Metrics),
		bodySchemas:   sync.OnceValue(readBodySchemas),
		connector:     readConnectors(),
		startedAt:     cfg.Now(),
		sharedRuns:    sharedRuns{grace: retryGrace, runs: map[string]*agentRun{}},
		guard:         newGuard(),
		bodyMemory:    newBodyMemory(cfg.BodyMemory),
		responseCache: newModelCache(),
		questionLimit: newQuestionLimit(cfg.RunningQuestions, cfg.Sessions),
	}
	if cfg.RequestsPerKey > 0 {
		s.keyQuota = newQuota[string](cfg.RequestsPerKey)
	}
	s.baseContext, s.endBase = context.WithCancelCause(context.Background())
	s.mcp = s.newMCP()
	s.dispatch = s.newRouter().Handler
	s.connections = clients.NewLimit(cfg.MaxConnections, cfg.MaxPerAddress, s.cfg.trusts)
	s.http = &fasthttp.Server{
		Handler:                      s.handle,
		ConnState:                    s.connections.StateChanged,
		ErrorHandler:                 s.unreadable,
		ReadTimeout:                  headTime,
		IdleTimeout:                  idleTimeout,
		WriteTimeout:                 writeTimeout,
		ReadBufferSize:               maxHeaders,
		WriteBufferSize:              writeBuffer,
		StreamRequestBody:            true,
		MaxRequestBodySize:           1, // so that fasthttp does not read bodies by itself, before the key is checked
		DisablePreParseMultipartForm: true,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
		SecureErrorLogMessage:        true,
		CloseOnShutdown:              true,
		Logger:                       slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	return s, nil
}

// Serve serves connections of ln until [Server.Shutdown].
func (s *Server) Serve(ln net.Listener) error {
	limited := s.connections.Listen(ln)
	s.listening.Lock()
	s.listener = limited
	s.listening.Unlock()
	// In the background, so that the first request with a body need not wait.
	go caught.Logged(s.cfg.Log, "reading the body schemas", func() { s.bodySchemas() })
	return s.http.Serve(limited)
}

// Metrics returns a handler that serves the Prometheus metrics, for a separate address.
func (s *Server) Metrics() http.Handler { return s.metrics.handler() }

// Shutdown stops the server gracefully. New connections are refused, and new requests on open connections get 503. Running
// requests can continue for 20 seconds, or until ctx ends. Then they are cancelled, and streams end with an error event.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stopping.Store(true)
	s.refuseConnections()
	s.running.wait(ctx, drainTimeout)
	s.endBase(problem.ErrStopping)
	s.running.wait(context.WithoutCancel(ctx), closingTimeout)
	s.mcp.Close()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTimeout)
	defer cancel()
	return s.http.ShutdownWithContext(closing)
}

// refuseConnections closes the listener, so that load balancers stop sending requests at once.
func (s *Server) refuseConnections() {
	s.listening.Lock()
	defer s.listening.Unlock()
	if s.listener != nil {
		s.listener.Close()
	}
}
