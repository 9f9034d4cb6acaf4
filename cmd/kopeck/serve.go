package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy"
	"github.com/kopeck/kopeck/proxy/digests"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/pace"
)

type serveCommand struct {
	storage
	upstream
	models
	listening
	bounds
	logging
	tracing
	Demo bool `help:"Everything in one process, with a simulated shop: no setting, network, database server or model needed."`
}

// models are what answers.
type models struct {
	Model         string `env:"KOPECK_MODEL" default:"offline" help:"offline, or PROVIDER/NAME with openai, anthropic, googleai or ollama."`
	ModelFallback string `env:"KOPECK_MODEL_FALLBACK" default:"offline" help:"What answers when the provider is away: offline or none."`

	OpenAIBaseURL   string `env:"OPENAI_BASE_URL" name:"openai-base-url" hidden:""`
	OpenAIAPIKey    string `env:"OPENAI_API_KEY" name:"openai-api-key" hidden:""`
	AnthropicAPIKey string `env:"ANTHROPIC_API_KEY" hidden:""`
	GoogleAPIKey    string `env:"GOOGLE_API_KEY" hidden:""`
	OllamaHost      string `env:"OLLAMA_HOST" hidden:""`
}

// open is the agent's model with its fallback, and the models that are passed through plainly.
func (m models) open(log *slog.Logger, see func(provider.Observation)) (llms.Model, map[string]*provider.Plain, error) {
	if m.ModelFallback != provider.Offline && m.ModelFallback != "none" {
		return nil, nil, setting("KOPECK_MODEL_FALLBACK", fmt.Sprintf("holds %q", m.ModelFallback), "offline or none")
	}
	settings := provider.Settings{
		OpenAIBaseURL:   m.OpenAIBaseURL,
		OpenAIAPIKey:    m.OpenAIAPIKey,
		AnthropicAPIKey: m.AnthropicAPIKey,
		GoogleAPIKey:    m.GoogleAPIKey,
		OllamaHost:      m.OllamaHost,
		Log:             log,
	}
	model, err := provider.New(m.Model, settings)
	if err != nil {
		return nil, nil, fmt.Errorf("KOPECK_MODEL: %w", err)
	}
	model = provider.Observed(model, m.Model, see)
	if m.Model == provider.Offline {
		return model, nil, nil
	}
	plain, err := provider.NewPlain(m.Model, settings)
	if err != nil {
		return nil, nil, fmt.Errorf("KOPECK_MODEL: %w", err)
	}
	if m.ModelFallback == provider.Offline {
		model = provider.WithFallback(model, provider.Observed(offline.New(time.Now), provider.Offline, see), log)
	}
	return model, map[string]*provider.Plain{m.Model: plain}, nil
}

func (c *serveCommand) Run(ctx context.Context, p *program) error {
	boundGarbage()
	if c.Demo {
		return c.runDemo(ctx, p)
	}
	s, err := c.start(ctx, p, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Out, "kopeck answers at http://%s/api/v1\n", s.address)
	return s.wait(ctx)
}

// service is a running server with what it stands on.
type service struct {
	address string // host:port it listens on
	keys    *keys.Store
	creator *drafts.Creator
	http    *proxy.Server
	db      *database.DB
	log     *slog.Logger
	counts  *metrics
	traces  *trace.TracerProvider // nil when none are sent

	background []func(context.Context) // work beside the requests, until its context ends

	serving chan error
	ending  context.CancelFunc // of the work in the background
	working sync.WaitGroup
	metrics func() error // stops the metrics listener
}

// start brings the service up as the settings say; log overrides theirs.
func (c *serveCommand) start(ctx context.Context, p *program, log *slog.Logger) (*service, error) {
	if err := errors.Join(c.upstream.check(), c.listening.check(), c.bounds.check()); err != nil {
		return nil, err
	}
	if log == nil {
		var err error
		if log, err = c.logger(p.log()); err != nil {
			return nil, err
		}
	}
	master, err := c.masterKey()
	if err != nil {
		return nil, err
	}
	counts := newMetrics()
	model, plain, err := c.models.open(log, counts.modelAnswered)
	if err != nil {
		return nil, err
	}
	traces, err := c.tracing.open(ctx, log)
	if err != nil {
		return nil, err
	}
	db, err := c.storage.open(ctx)
	if err != nil {
		return nil, err
	}
	counts.MustRegister(&stored{db})
	s := &service{db: db, keys: keys.NewStore(db.DB, master, time.Now).ReadWith(db.Reading), log: log, counts: counts, traces: traces, serving: make(chan error, 1)}
	err = wrongMasterKey(s.keys.CheckMasterKey(ctx))
	if err == nil {
		err = c.assemble(s, model, plain)
	}
	if err == nil {
		err = c.listen(ctx, s)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// assemble makes the server of its parts.
func (c *serveCommand) assemble(s *service, model llms.Model, plain map[string]*provider.Plain) error {
	accounts, err := c.accounts(s)
	if err != nil {
		return err
	}
	usage := keys.NewUsage(s.db.DB, time.Now)
	sessions := agent.NewStore(s.db.DB, time.Now).WriteWith(s.db.Writing)
	waiting := drafts.NewStore(s.db.DB, time.Now, c.DraftTTL)
	outgoing := webhooks.NewStore(s.db.DB, s.keys, time.Now)
	outgoing.Private = c.WebhookPrivate
	standing := digests.NewStore(s.db.DB, outgoing, time.Now)
	s.creator = &drafts.Creator{Store: waiting, Upstreams: accounts, Log: s.log, Lease: c.DraftLease, Quiet: c.DraftQuiet}
	offered := append(slices.Clone(tools.All()), waiting.Tools()...)
	serving := proxy.Config{
		Keys: s.keys,
		Agent: agent.New(agent.Config{
			Model:    model,
			Accounts: accounts,
			Sessions: sessions,
			Tools:    offered,
			Log:      s.log,
			Execute:  accounts.Execute,
			Fatal:    accounts.Fatal,
			Checked:  s.counts.checked,
			Drafts:   waiting.Settled,
		}),
		Plain:       plain,
		Sessions:    sessions,
		Accounts:    accounts,
		Drafts:      s.creator,
		Webhooks:    outgoing,
		Digests:     standing,
		Tools:       offered,
		Version:     version,
		Idempotency: keys.NewIdempotency(s.db.DB, time.Now),
		Usage:       usage,
		Ready:       s.db.Ready,
		Origins:     c.origins(),
		Metrics:     s.counts.Registry,
		Apart:       c.MetricsAddr != "",
		PerKey:      c.KeyRequests,
		Running:     c.Questions,
		Log:         s.log,
	}
	if serving.Proxies, err = c.proxies(); err != nil {
		return err
	}
	if s.traces != nil {
		serving.Traces = s.traces
	}
	if s.http, err = proxy.New(serving); err != nil {
		return err
	}
	if c.Retention > 0 {
		s.background = append(s.background, func(ctx context.Context) { sessions.Retain(ctx, c.Retention, s.log) })
	}
	s.background = append(s.background,
		s.creator.Run,
		webhooks.NewSender(outgoing, s.keys, waiting, s.log).Run,
		digests.NewAsker(standing, s.http.Ask, s.log).Run,
		s.logged("keep when keys were last used", s.keys.Run),
		s.logged("keep the usage of models", usage.Run),
	)
	return nil
}

// accounts reach the upstream at the pace that all replicas keep together.
func (c *serveCommand) accounts(s *service) (*proxy.Accounts, error) {
	var ledgers moysklad.Ledgers // one process alone has them in memory
	if s.db.Engine == database.Postgres {
		shared := pace.New(s.db.DB)
		ledgers, s.background = shared, append(s.background, s.logged("delete old ledgers", shared.Run))
	}
	pool, err := c.pool(ledgers, s.log, s.counts.called)
	if err != nil {
		return nil, err
	}
	accounts := proxy.NewAccounts(s.keys, pool, tools.NewLibrary(time.Now), time.Now)
	accounts.Observe = s.counts.toolRan
	return accounts, nil
}

// logged is work whose failure at the end only the log hears of.
func (s *service) logged(what string, work func(context.Context) error) func(context.Context) {
	return func(ctx context.Context) {
		if err := work(ctx); err != nil {
			s.log.Error(what, "error", err)
		}
	}
}

// listen begins to answer and to work in the background.
func (c *serveCommand) listen(ctx context.Context, s *service) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return setting("KOPECK_ADDR", fmt.Sprintf("holds %q, which cannot be listened on (%v)", c.Addr, err), "a free HOST:PORT")
	}
	s.address = listener.Addr().String()
	if c.MetricsAddr != "" {
		mux := http.NewServeMux()
		mux.Handle("/metrics", s.http.Metrics())
		if _, s.metrics, err = serveHTTP(ctx, c.MetricsAddr, mux); err != nil {
			listener.Close()
			return fmt.Errorf("KOPECK_METRICS_ADDR: %w", err)
		}
	}
	background, end := context.WithCancel(context.WithoutCancel(ctx))
	s.ending = end
	for _, work := range s.background {
		s.working.Go(func() { work(background) })
	}
	go func() { s.serving <- s.http.Serve(listener) }()
	s.log.Info("serving", "address", s.address, "version", version)
	return nil
}

// wait serves until ctx ends or serving fails, then stops in good order.
func (s *service) wait(ctx context.Context) error {
	go giveBackWhenIdle(ctx, s.http.Asked)
	var failed error
	select {
	case <-ctx.Done():
	case failed = <-s.serving:
	}
	s.log.Info("stopping")
	return errors.Join(failed, s.stop(context.WithoutCancel(ctx)))
}

// stop lets running requests finish, then ends the work in the background and closes the database.
func (s *service) stop(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if s.metrics != nil {
		err = errors.Join(err, s.metrics())
	}
	s.ending()
	s.working.Wait()
	if s.traces != nil {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := s.traces.Shutdown(last); err != nil {
			s.log.Warn("the last traces were not sent", "error", err)
		}
	}
	return errors.Join(err, s.db.Close())
}
