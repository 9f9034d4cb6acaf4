package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/schemas/database"
)

type limitsCommand struct {
	Show limitsShow `cmd:"" help:"Show limits and their usage."`
	Set  limitsSet  `cmd:"" help:"Set limits; all others are removed."`
}

// limitsTarget is the key or organization that the limits apply to.
type limitsTarget struct {
	Org string `required:"" help:"The organization's id."`
	Key string `help:"The id of a key; without it, the organization itself."`
}

type limitsShow struct {
	storage
	limitsTarget
	JSON bool `help:"Print the record as JSON."`
}

func (c *limitsShow) Run(ctx context.Context, p *program) error {
	return c.withDatabase(ctx, p, func(db *database.DB, store *keys.Store) error {
		found, err := store.Limits(ctx, c.Org, c.Key)
		if err != nil {
			return err
		}
		taken, err := limits.New(db.DB, time.Now).Taken(ctx, found)
		if err != nil {
			return err
		}
		if c.JSON {
			return p.print(true, found.Limits, "")
		}
		rules := limits.Rules(found)
		if len(rules) == 0 && found.Models == nil {
			return p.print(false, nil, "No limits are set.\n")
		}
		table := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
		if found.Models != nil {
			fmt.Fprintf(table, "models\t%v\t\n", found.Models)
		}
		for _, r := range rules {
			of := taken[r.Name()]
			fmt.Fprintf(table, "%s\t%s %s\tused %s\treserved %s\n", r.Name(), r.Max.Decimal(), r.Currency, of.Used.Decimal(), of.Reserved.Decimal())
		}
		return table.Flush()
	})
}

type limitsSet struct {
	storage
	limitsTarget
	Models            []string         `help:"The only models that can be used."`
	RequestsPerMinute *int64           `help:"Requests a minute."`
	TokensPerMinute   *int64           `help:"Tokens a minute."`
	TokensPerDay      *int64           `help:"Tokens a day, in UTC."`
	TokensPerMonth    *int64           `help:"Tokens a month."`
	TokensInAll       *int64           `help:"Tokens in total."`
	MoneyPerDay       *decimal.Decimal `help:"Money a day, such as 2.50."`
	MoneyPerMonth     *decimal.Decimal `help:"Money a month."`
	MoneyInAll        *decimal.Decimal `help:"Money in total."`
	Currency          string           `help:"Currency of the money limits, such as USD."`
}

func (c *limitsSet) Run(ctx context.Context, p *program) error {
	return c.withKeys(ctx, p, func(store *keys.Store) error {
		err := store.SetLimits(ctx, commandLine, c.Org, c.Key, keys.Limits{
			Models: c.Models, RequestsPerMinute: c.RequestsPerMinute, TokensPerMinute: c.TokensPerMinute,
			TokensPerDay: c.TokensPerDay, TokensPerMonth: c.TokensPerMonth, TokensInAll: c.TokensInAll,
			MoneyPerDay: c.MoneyPerDay, MoneyPerMonth: c.MoneyPerMonth, MoneyInAll: c.MoneyInAll, Currency: c.Currency,
		})
		if err != nil {
			return err
		}
		fmt.Fprintln(p.Out, "Set. Running services keep to it within a second.")
		return nil
	})
}
