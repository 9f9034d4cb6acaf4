package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/cmd/kopeck/evaluation"
	"github.com/kopeck/kopeck/tools/sandbox"
)

type evalCommand struct {
	models
	logging
	Questions string `type:"existingfile" placeholder:"FILE" help:"Your own questions, in the form described in cmd/kopeck/evaluation/README.md."`
	JSON      bool   `help:"Print everything as JSON, with all questions and answers."`
}

// Run starts the service with simulated shops in this process, and asks the questions. The model has no fallback, and
// MoySklad has no rate limit. It fails if the model is not good enough.
func (c *evalCommand) Run(ctx context.Context, p *program) error {
	questions, err := c.questions()
	if err != nil {
		return err
	}
	c.ModelFallback = "none"
	serving := serveCommand{
		models:          c.models,
		logging:         c.logging,
		upstream:        upstream{UpstreamRate: 6, UpstreamStockRate: 2, UpstreamParallel: 4},
		capacity:        capacity{BodyMemory: minBodyMemory},
		serviceSettings: serviceSettings{Addr: "127.0.0.1:0", DraftTTL: time.Hour},
		ledgers:         sandbox.Unpaced{},
	}
	shop := sandbox.New(sandbox.Config{Seed: 1, Products: 200, Unlimited: true})
	other := sandbox.New(sandbox.Config{Seed: 2, Products: 100, Unlimited: true})
	d, err := serving.startWithShops(ctx, p, shop, other)
	if err != nil {
		return err
	}
	report, err := c.ask(ctx, p, d, questions, other)
	if err := errors.Join(c.print(p, report), err, d.stop(context.WithoutCancel(ctx))); err != nil || report.GoodEnough {
		return err
	}
	return errReported
}

func (c *evalCommand) questions() ([]evaluation.Question, error) {
	if c.Questions == "" {
		return evaluation.Standard()
	}
	file, err := os.Open(c.Questions)
	if err != nil {
		return nil, fmt.Errorf("--questions: %w", err)
	}
	defer file.Close()
	questions, err := evaluation.Read(file)
	if err != nil {
		return nil, fmt.Errorf("--questions: %s: %w", c.Questions, err)
	}
	return questions, nil
}

func (c *evalCommand) ask(
	ctx context.Context, p *program, d *demo, questions []evaluation.Question, other *sandbox.Sandbox,
) (evaluation.Report, error) {
	two, err := d.addOrganization(ctx, "Two shops", namedShop{"Main shop", d.shop}, namedShop{"Branch", other})
	if err != nil {
		return evaluation.Report{}, err
	}
	turns := 0
	for _, q := range questions {
		turns += len(q.Turns)
	}
	status := p.status("kopeck: eval")
	defer status.End()
	done := 0
	outcomes, err := evaluation.Run(ctx, evaluation.Config{
		Books:     evaluation.NewBooks(d.shop.Books(), time.Now()),
		Questions: questions,
		Ask: map[int]evaluation.Ask{
			1: (&client{URL: "http://" + d.address, Key: d.secret}).complete,
			2: (&client{URL: "http://" + d.address, Key: two}).complete,
		},
		ReadCounters: d.counts.evaluationCounters,
		OnOutcome: func(o evaluation.Outcome) {
			done++
			status.Say(fmt.Sprintf("%d of %d: %s: %s", done, turns, o.ID, o.Class))
		},
		Now: time.Now,
	})
	return evaluation.Summarize(c.Model, outcomes, c.prices()), err
}

// prices returns the model's prices in the models file, or nil.
func (c *evalCommand) prices() *evaluation.Prices {
	if c.Model == provider.Offline {
		return nil
	}
	registry, err := c.registry(nil)
	if err != nil {
		return nil // cannot happen, because the service has started with these settings
	}
	found := registry.Find(c.Model)
	if found == nil || found.Prices == nil {
		return nil
	}
	return &evaluation.Prices{Input: found.Prices.Input, Output: found.Prices.Output, Currency: found.Prices.Currency}
}

func (c *evalCommand) print(p *program, report evaluation.Report) error {
	switch {
	case report.Turns == 0:
		return nil
	case c.JSON:
		encoder := json.NewEncoder(p.Out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	}
	return report.Print(p.Out)
}

// evaluationCounters returns the counters that an evaluation reports.
func (m *metrics) evaluationCounters() (evaluation.Counters, error) {
	families, err := m.Gather()
	if err != nil {
		return evaluation.Counters{}, err
	}
	work := evaluation.Counters{Causes: map[string]int{}}
	for _, family := range families {
		for _, one := range family.Metric {
			counted := int(one.GetCounter().GetValue())
			switch family.GetName() {
			case "kopeck_model_seconds":
				work.ModelCalls += int(one.GetHistogram().GetSampleCount())
			case "kopeck_answer_references_total":
				switch one.Label[0].GetValue() {
				case "mended":
					work.Mended += counted
				case "marked":
					work.Marked += counted
				}
			case "kopeck_answer_problems_total":
				work.Causes[one.Label[0].GetValue()] += counted
			}
		}
	}
	return work, nil
}
