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
	serviceSettings
	capacity
	logging
	tracing
	Audit bool     `help:"Also verify the audit and the records of keys."`
	Head  []string `help:"Compare the audit with a signed head from the log, to find removed records. Can be repeated. Implies --audit."`
}

// modelTimeout is how long the model may take to answer. A local model that must be loaded first can take longer.
const modelTimeout = 20 * time.Second

// Run prints a line for each check, and fails if a check fails. It changes nothing. Its question to the model costs as much
// as any short question.
func (c *doctorCommand) Run(ctx context.Context, p *program) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
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
	return "complete", errors.Join(c.serviceSettings.check(), c.capacity.check(), c.tracing.check(), c.upstream.check())
}

func (c *doctorCommand) checkDatabase(ctx context.Context) (string, error) {
	db, err := c.openExisting(ctx)
	if err != nil {
		return "", err
	}
	defer db.Close()
	if master, err := c.masterKey(); err == nil { // if it is invalid, checkSettings has already reported it
		if err := wrongMasterKey(keys.NewStore(db.DB, master, time.Now).CompareMasterKey(ctx)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s, migrated", db.Engine), db.PingContext(ctx)
}

// checkUpstream sends a token that cannot exist. MoySklad must refuse it.
func (c *doctorCommand) checkUpstream(ctx context.Context) (string, error) {
	pool, err := c.pool(nil, false, nil, nil)
	if err != nil {
		return "", err
	}
	_, err = pool.Probe("0000000000000000000000000000000000000000").Employee(ctx)
	switch {
	case errors.Is(err, moysklad.ErrTokenRefused):
		return c.UpstreamURL + " answers", nil
	case err == nil:
		return "", fmt.Errorf("%s accepted a token that cannot exist: is it MoySklad?", c.UpstreamURL)
	default:
		return "", fmt.Errorf("%s: %w", c.UpstreamURL, err)
	}
}

func (c *doctorCommand) checkModel(ctx context.Context) (string, error) {
	found, err := c.models.open(nil, nil)
	if err != nil {
		return "", err
	}
	status := c.Model
	if c.Model != provider.Offline {
		status += " answers"
		ctx, cancel := context.WithTimeoutCause(ctx, modelTimeout, fmt.Errorf("no answer in %s", modelTimeout))
		defer cancel()
		if err := found.registry.Find(c.Model).Check(ctx); err != nil {
			return "", err
		}
	}
	if c.Models != "" {
		status += fmt.Sprintf("; %d models in %s", len(found.registry.Set().Names()), c.Models)
	}
	return status, nil
}

func (c *doctorCommand) checkAudit(ctx context.Context) (string, error) {
	master, err := c.masterKey()
	if err != nil {
		return "", err
	}
	db, err := c.openExisting(ctx)
	if err != nil {
		return "", err
	}
	defer db.Close()
	store := keys.NewStore(db.DB, master, time.Now)
	if err := wrongMasterKey(store.CompareMasterKey(ctx)); err != nil {
		return "", err
	}
	problems := []error{store.VerifyAudit(ctx), store.VerifyKeys(ctx), store.VerifyLimits(ctx)}
	for _, head := range c.Head {
		problems = append(problems, store.CheckAuditHead(ctx, head))
	}
	return "the chain is whole, keys and limits are as they were written", errors.Join(problems...)
}
