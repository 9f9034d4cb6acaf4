package main

import (
	"context"
	"time"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy"
	"github.com/kopeck/kopeck/proxy/digests"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/accounts"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/pace"
)

// stores are those parts of the service that use its database.
type stores struct {
	sessions *agent.Store
	drafts   *drafts.Store
	webhooks *webhooks.Store
	digests  *digests.Store
	spend    *spend.Store
	limits   *limits.Limiter
}

func (c *serveCommand) stores(s *service) stores {
	outgoing := webhooks.NewStore(s.db.DB, s.keys, time.Now)
	outgoing.AllowPrivate = c.WebhookPrivate
	stores := stores{
		sessions: agent.NewStore(s.db.DB, time.Now),
		drafts:   drafts.NewStore(s.db.DB, s.keys, time.Now, c.DraftTTL),
		webhooks: outgoing,
		digests:  digests.NewStore(s.db.DB, s.keys, outgoing, time.Now),
		spend:    spend.NewStore(s.db.DB, time.Now),
		limits:   limits.New(s.db.DB, time.Now),
	}
	stores.drafts.Clock = s.db.Clock
	if c.Storage > 0 {
		room := keys.NewStorageQuota(s.db.DB, int64(c.Storage)<<20)
		stores.sessions.Storage, stores.drafts.Storage = room, room
	}
	return stores
}

// assemble creates the server and everything that it depends on.
func (c *serveCommand) assemble(s *service, models *agentModels) error {
	accounts, err := c.accounts(s)
	if err != nil {
		return err
	}
	stores := c.stores(s)
	s.creator = &drafts.Creator{Store: stores.drafts, Upstreams: accounts, Log: s.log, Lease: c.DraftLease, Quiet: c.DraftQuiet}
	config, err := c.proxyConfig(s, models, accounts, stores)
	if err != nil {
		return err
	}
	if s.http, err = proxy.New(config); err != nil {
		return err
	}
	s.background = append(s.background, c.backgroundWork(s, stores)...)
	if c.Models != "" {
		s.background = append(s.background, func(ctx context.Context) { models.watch(ctx, s.log) })
	}
	return nil
}

func (c *serveCommand) proxyConfig(s *service, models *agentModels, accounts *accounts.Accounts, stores stores) (proxy.Config, error) {
	offered, direct := toolsOf(stores.drafts)
	trusted, err := c.proxies()
	if err != nil {
		return proxy.Config{}, err
	}
	config := proxy.Config{
		Keys: s.keys,
		Agent: agent.New(agent.Config{
			Model:           models.standard,
			ModelByName:     models.byName,
			Accounts:        accounts,
			Sessions:        stores.sessions,
			Tools:           offered,
			Log:             s.log,
			Execute:         accounts.Execute,
			IsFatal:         accounts.IsFatal,
			CountReferences: s.counts.answerWritten,
			DraftStates:     stores.drafts.Decided,
			NearlyConfirmed: stores.drafts.NearlyConfirmed,
		}),
		Models:          models.registry,
		AgentModel:      c.Model,
		Sessions:        stores.sessions,
		Accounts:        accounts,
		Drafts:          s.creator,
		Webhooks:        stores.webhooks,
		Digests:         stores.digests,
		Tools:           direct,
		Version:         version,
		Idempotency:     keys.NewIdempotency(s.db.DB, time.Now),
		Spend:           stores.spend,
		Limits:          stores.limits,
		Ready:           s.db.Ready,
		Origins:         c.origins(),
		Metrics:         s.counts.Registry,
		TrustedProxies:  trusted,
		SeparateMetrics: c.MetricsAddr != "",
		RequestsPerKey:  c.KeyRequests,

		RefuseSecrets:    c.ModelSecrets == "refuse",
		CacheLifetime:    c.ModelCache,
		RunningQuestions: c.Questions,
		MaxConnections:   c.Connections,
		MaxPerAddress:    c.PerAddress,
		BodyMemory:       int64(c.BodyMemory) << 20,
		Log:              s.log,
	}
	if s.traces != nil {
		config.Traces = s.traces
	}
	return config, nil
}

func (c *serveCommand) backgroundWork(s *service, stores stores) []func(context.Context) {
	work := []func(context.Context){
		s.creator.Run,
		webhooks.NewSender(stores.webhooks, s.keys, stores.drafts, s.log).Run,
		digests.NewRunner(stores.digests, s.http.Ask, s.log).Run,
		func(ctx context.Context) { s.publishAuditHeads(ctx, stores.webhooks) },
		s.logged("save when keys were last used", s.keys.Run),
		s.logged("save the usage of models", stores.spend.Run),
		s.logged("return shares of limits", stores.limits.Run),
	}
	if c.Retention > 0 {
		work = append(work, func(ctx context.Context) { stores.sessions.RunRetention(ctx, c.Retention, s.log) })
	}
	return work
}

// accounts returns what opens MoySklad accounts. All replicas share the rate limit of an account.
func (c *serveCommand) accounts(s *service) (*accounts.Accounts, error) {
	ledgers := c.ledgers // nil means that the ledgers are in memory, which is enough for a single process
	if ledgers == nil && s.db.Engine == database.Postgres {
		shared := pace.New(s.db.DB)
		ledgers, s.background = shared, append(s.background, func(ctx context.Context) { shared.Run(ctx, s.log) })
	}
	restarted := s.db.CreatedFile == ""
	pool, err := c.pool(ledgers, restarted, s.log, s.counts.upstreamCalled)
	if err != nil {
		return nil, err
	}
	opened := accounts.New(s.keys, pool, tools.NewCache(time.Now), proxy.NewToolQueue(), time.Now)
	opened.Observe = s.counts.toolRan
	return opened, nil
}

// logged returns a function that calls work and logs the errors that it reports. In the log, what describes the work.
func (s *service) logged(what string, work func(context.Context, func(error))) func(context.Context) {
	return func(ctx context.Context) {
		work(ctx, func(err error) { s.log.Error(what, "error", err) })
	}
}
