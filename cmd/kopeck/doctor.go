package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type doctorCommand struct {
	storage
	upstream
	models
	listening
	bounds
	logging
	tracing
	Audit bool     `help:"Also verify the audit and the records of keys."`
	Head  []string `help:"Compare the audit with a signed head of the log, which shows a cut. May be repeated. Implies --audit."`
}

// Run checks one thing a line and fails if one of them does. The model is not asked anything, which would cost money: it
// is checked that it could be.
func (c *doctorCommand) Run(ctx context.Context, p *program) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	type check struct {
		name string
		run  func(context.Context) (string, error)
	}
	checks := []check{
		{"configuration", c.checkSettings},
		{"database", c.checkDatabase},
		{"upstream", c.checkUpstream},
		{"model", c.checkModel},
	}
	if c.Audit || c.Head != nil {
		checks = append(checks, check{"audit", c.checkAudit})
	}
	healthy := true
	for _, check := range checks {
		found, err := check.run(ctx)
		if err != nil {
			healthy, found = false, oneLine(err)
		}
		mark := map[bool]string{true: "ok  ", false: "FAIL"}[err == nil]
		fmt.Fprintf(p.Out, "%s  %-13s  %s\n", mark, check.name, found)
	}
	if !healthy {
		return errReported
	}
	return nil
}

func (c *doctorCommand) checkSettings(context.Context) (string, error) {
	if _, err := c.masterKey(); err != nil {
		return "", err
	}
	if _, err := c.logger(nil); err != nil {
		return "", err
	}
	return "complete", errors.Join(c.listening.check(), c.bounds.check(), c.tracing.check(), c.upstream.check())
}

func (c *doctorCommand) checkDatabase(ctx context.Context) (string, error) {
	db, err := c.storage.open(ctx)
	if err != nil {
		return "", err
	}
	defer db.Close()
	if master, err := c.masterKey(); err == nil { // else the configuration's line tells
		if err := wrongMasterKey(keys.NewStore(db.DB, master, time.Now).CompareMasterKey(ctx)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s, migrated", db.Engine), db.PingContext(ctx)
}

// checkUpstream asks who owns a token that cannot exist: being refused is the healthy answer.
func (c *doctorCommand) checkUpstream(ctx context.Context) (string, error) {
	pool, err := c.pool(nil, nil, nil)
	if err != nil {
		return "", err
	}
	_, err = pool.Probe("0000000000000000000000000000000000000000").Employee(ctx)
	switch {
	case errors.Is(err, moysklad.ErrTokenRefused):
		return c.UpstreamURL + " answers", nil
	case err == nil:
		return "", fmt.Errorf("%s took a token that cannot exist: is it the upstream?", c.UpstreamURL)
	default:
		return "", fmt.Errorf("%s: %w", c.UpstreamURL, err)
	}
}

func (c *doctorCommand) checkModel(context.Context) (string, error) {
	found, err := c.models.open(nil, nil)
	if err != nil {
		return "", err
	}
	said := c.Model
	if c.Model != provider.Offline {
		said += " is set; it was not asked anything, which would cost money"
	}
	if c.Models != "" {
		said += fmt.Sprintf("; %d models in %s", len(found.registry.Set().Names()), c.Models)
	}
	return said, nil
}

func (c *doctorCommand) checkAudit(ctx context.Context) (string, error) {
	return "the chain is whole, keys and limits are as they were written", c.withKeys(ctx, func(store *keys.Store) error {
		problems := []error{store.VerifyAudit(ctx), store.VerifyKeys(ctx), store.VerifyLimits(ctx)}
		for _, head := range c.Head {
			problems = append(problems, store.CheckAuditHead(ctx, head))
		}
		return errors.Join(problems...)
	})
}
