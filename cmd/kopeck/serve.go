package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type serveCommand struct {
	storage
	upstream
	models
	serviceSettings
	capacity
	logging
	tracing
	Demo bool `help:"Everything in one process, with a simulated shop: no setting, network, database server or model needed."`

	ledgers moysklad.Ledgers // nil means in PostgreSQL, or in memory with SQLite
}

func (c *serveCommand) Run(ctx context.Context, p *program) error {
	if c.Demo {
		return c.runDemo(ctx, p)
	}
	s, err := c.start(ctx, p)
	if err != nil {
		return err
	}
	noteCreated(p.Out, s.db)
	fmt.Fprintf(p.Out, "kopeck answers at http://%[1]s (OpenAI's clients: http://%[1]s/v1, all other requests: http://%[1]s/api/v1)\n",
		reachable(s.address))
	return errors.Join(s.wait(ctx), s.stop(context.WithoutCancel(ctx)))
}

// reachable returns an address at which this machine reaches a listener. A listener on all interfaces has an address that no
// client can use.
func reachable(listener string) string {
	host, port, err := net.SplitHostPort(listener)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return listener
}

// service is a running server and everything that belongs to it.
type service struct {
	address string // HOST:PORT
	keys    *keys.Store
	creator *drafts.Creator
	http    *proxy.Server
	db      *database.DB
	log     *slog.Logger
	counts  *metrics
	traces  *trace.TracerProvider // nil if traces are not exported

	background []func(context.Context) // work that runs in the background until its context ends

	restartPause   time.Duration // pause before work that has panicked is restarted
	serving        chan error
	stopBackground context.CancelFunc
	backgroundDone sync.WaitGroup
	stopMetrics    func() error // stops the metrics listener; nil if there is none
}

func (c *serveCommand) start(ctx context.Context, p *program) (*service, error) {
	if err := errors.Join(c.upstream.check(), c.serviceSettings.check(), c.capacity.check(), c.tracing.check()); err != nil {
		return nil, err
	}
	log, err := c.logger(p.log())
	if err != nil {
		return nil, err
	}
	master, err := c.masterKey()
	if err != nil {
		return nil, err
	}
	counts := newMetrics()
	answering, err := c.models.open(log, counts.modelAnswered)
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
	if err := db.Serve(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("KOPECK_DATABASE_URL: %w; stop the other kopeck serve, or use PostgreSQL for several replicas", err)
	}
	counts.MustRegister(&databaseCollector{db})
	s := &service{
		db:           db,
		keys:         keys.NewStore(db.DB, master, time.Now).UseReadDB(db.ReadPool),
		log:          log,
		counts:       counts,
		traces:       traces,
		restartPause: time.Second,
		serving:      make(chan error, 1),
	}
	s.keys.Clock = db.Clock
	err = wrongMasterKey(s.keys.CheckMasterKey(ctx))
	if err == nil {
		err = s.logKeysWithoutMAC(ctx)
	}
	if err == nil {
		err = c.assemble(s, answering)
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

// listen starts the server and the background work.
func (c *serveCommand) listen(ctx context.Context, s *service) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return settingError("KOPECK_ADDR", fmt.Sprintf("holds %q, which cannot be listened on (%v)", c.Addr, err), "a free HOST:PORT")
	}
	s.address = listener.Addr().String()
	if c.MetricsAddr != "" {
		mux := http.NewServeMux()
		mux.Handle("/metrics", s.http.Metrics())
		if _, s.stopMetrics, err = serveHTTP(ctx, c.MetricsAddr, mux); err != nil {
			listener.Close()
			return fmt.Errorf("KOPECK_METRICS_ADDR: %w", err)
		}
	}
	background, end := context.WithCancel(context.WithoutCancel(ctx))
	s.stopBackground = end
	for _, work := range s.background {
		s.backgroundDone.Go(func() { s.keepRunning(background, work) })
	}
	go func() { s.serving <- caught.Call(func() error { return s.http.Serve(listener) }) }()
	s.log.Info("serving", "address", s.address, "version", version)
	return nil
}

// keepRunning runs work until its context ends. If work panics, it logs the panic and restarts work.
func (s *service) keepRunning(ctx context.Context, work func(context.Context)) {
	for caught.Logged(s.log, "work in the background", func() { work(ctx) }) {
		select {
		case <-time.After(s.restartPause):
		case <-ctx.Done():
			return
		}
	}
}

// wait waits until ctx ends or serving fails.
func (s *service) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case failed := <-s.serving:
		return failed
	}
}

// stop waits for running requests. Then it ends the background work and closes the database.
func (s *service) stop(ctx context.Context) error {
	s.log.Info("stopping")
	err := s.http.Shutdown(ctx)
	if s.stopMetrics != nil {
		err = errors.Join(err, s.stopMetrics())
	}
	s.stopBackground()
	s.backgroundDone.Wait()
	if s.traces != nil {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := s.traces.Shutdown(last); err != nil {
			s.log.Warn("send the last traces", "error", err)
		}
	}
	return errors.Join(err, s.db.Close())
}
