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

// stores are what the parts of the service keep in its database.
type stores struct {
	sessions *agent.Store
	drafts   *drafts.Store
	webhooks *webhooks.Store
	digests  *digests.Store
	spend    *spend.Ledger
	limits   *limits.Limiter
}

func (c *serveCommand) stores(s *service) stores {
	outgoing := webhooks.NewStore(s.db.DB, s.keys, time.Now)
	outgoing.AllowPrivate = c.WebhookPrivate
	kept := stores{
		sessions: agent.NewStore(s.db.DB, time.Now),
		drafts:   drafts.NewStore(s.db.DB, s.keys, time.Now, c.DraftTTL),
		webhooks: outgoing,
		digests:  digests.NewStore(s.db.DB, s.keys, outgoing, time.Now),
		spend:    spend.NewLedger(s.db.DB, time.Now),
		limits:   limits.New(s.db.DB, time.Now),
	}
	if c.Storage > 0 {
		room := keys.NewStorageQuota(s.db.DB, int64(c.Storage)<<20)
		kept.sessions.Storage, kept.drafts.Storage = room, room
	}
	return kept
}

// assemble makes the server of its parts.
func (c *serveCommand) assemble(s *service, answering *minds) error {
	accounts, err := c.accounts(s)
	if err != nil {
		return err
	}
	kept := c.stores(s)
	s.creator = &drafts.Creator{Store: kept.drafts, Upstreams: accounts, Log: s.log, Lease: c.DraftLease, Quiet: c.DraftQuiet}
	offered, direct := toolsOf(kept.drafts)
	serving := proxy.Config{
		Keys: s.keys,
		Agent: agent.New(agent.Config{
			Model:           answering.usual,
			ModelByName:     answering.named,
			Accounts:        accounts,
			Sessions:        kept.sessions,
			Tools:           offered,
			Log:             s.log,
			Execute:         accounts.Execute,
			IsFatal:         accounts.Fatal,
			CountReferences: s.counts.written,
			DraftStates:     kept.drafts.Settled,
		}),
		Models:          answering.registry,
		ModelBehind:     answering.behind,
		Sessions:        kept.sessions,
		Accounts:        accounts,
		Drafts:          s.creator,
		Webhooks:        kept.webhooks,
		Digests:         kept.digests,
		Tools:           direct,
		Version:         version,
		Idempotency:     keys.NewIdempotency(s.db.DB, time.Now),
		Spend:           kept.spend,
		Limits:          kept.limits,
		Ready:           s.db.Ready,
		Origins:         c.origins(),
		Metrics:         s.counts.Registry,
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
	if serving.TrustedProxies, err = c.proxies(); err != nil {
		return err
	}
	if s.traces != nil {
		serving.Traces = s.traces
	}
	if s.http, err = proxy.New(serving); err != nil {
		return err
	}
	s.background = append(s.background, c.beside(s, kept)...)
	if c.Models != "" {
		s.background = append(s.background, func(ctx context.Context) { answering.watch(ctx, s.log) })
	}
	return nil
}

// beside is the work beside the requests.
func (c *serveCommand) beside(s *service, kept stores) []func(context.Context) {
	work := []func(context.Context){
		s.creator.Run,
		webhooks.NewSender(kept.webhooks, s.keys, kept.drafts, s.log).Run,
		digests.NewRunner(kept.digests, s.http.Ask, s.log).Run,
		func(ctx context.Context) { s.tellHeads(ctx, kept.webhooks) },
		s.logged("keep when keys were last used", s.keys.Run),
		s.logged("keep the usage of models", kept.spend.Run),
		s.logged("return shares of limits", kept.limits.Run),
	}
	if c.Retention > 0 {
		work = append(work, func(ctx context.Context) { kept.sessions.RunRetention(ctx, c.Retention, s.log) })
	}
	return work
}

// accounts reach the upstream at the pace that all replicas keep together.
func (c *serveCommand) accounts(s *service) (*accounts.Accounts, error) {
	ledgers := c.ledgers // one process alone has them in memory
	if ledgers == nil && s.db.Engine == database.Postgres {
		shared := pace.New(s.db.DB)
		ledgers, s.background = shared, append(s.background, s.logged("delete old ledgers", shared.Run))
	}
	pool, err := c.pool(ledgers, s.log, s.counts.called)
	if err != nil {
		return nil, err
	}
	opened := accounts.New(s.keys, pool, tools.NewLibrary(time.Now), proxy.NewToolQueue(), time.Now)
	opened.Observe = s.counts.toolRan
	return opened, nil
}

// logged is work whose failure at the end only the log hears of.
func (s *service) logged(what string, work func(context.Context) error) func(context.Context) {
	return func(ctx context.Context) {
		if err := work(ctx); err != nil {
			s.log.Error(what, "error", err)
		}
	}
}
