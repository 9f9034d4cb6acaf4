// Package limits holds requests for models to the limits of their keys and organizations.
//
// Each limit of a subject, a key or an organization, has one row in the database, which all replicas share. A replica takes a
// share of what is left there in one write, lets many requests use it, and gives back what it does not need. What a request
// will use is not known when it begins: as much is held for it as its kind used lately, and settled when it ends. A request
// that crosses a limit ends as it is; the next one is refused.
package limits

import (
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/spend"
)

// Measure is what a limit counts.
type Measure int

// The measures.
const (
	Requests Measure = iota
	Tokens
	Money
)

// Period is after how long a limit begins anew.
type Period int

// The periods; the last never begins anew.
const (
	Minute Period = iota
	Day
	Month
	Ever
)

// Rule is one limit of a key or an organization.
type Rule struct {
	Measure      Measure
	Period       Period
	Most         spend.Sum
	Currency     string // of money
	Organization bool   // whose it is: an organization's or a key's
	ref          ref
}

// Name is the limit's, such as tokens_per_day.
func (r Rule) Name() string {
	name, _, _ := strings.Cut(r.ref.rule, " ")
	return name
}

// ref names what is counted.
type ref struct{ subject, rule string }

// rules is how many a subject may have.
const rules = 8

// Rules are a subject's limits.
func Rules(b keys.SubjectLimits) []Rule {
	all := make([]Rule, 0, rules)
	add := func(name string, m Measure, p Period, most spend.Sum) {
		all = append(all, Rule{Measure: m, Period: p, Most: most, Organization: b.Organization, ref: ref{b.CountedAs, name}})
	}
	count := func(name string, m Measure, p Period, most *int64) {
		if most != nil {
			add(name, m, p, spend.Whole(*most))
		}
	}
	money := func(name string, p Period, most *decimal.Decimal) {
		if most != nil {
			add(name+" "+b.Currency, Money, p, spend.SumOf(*most))
			all[len(all)-1].Currency = b.Currency
		}
	}
	count("requests_per_minute", Requests, Minute, b.RequestsPerMinute)
	count("tokens_per_minute", Tokens, Minute, b.TokensPerMinute)
	count("tokens_per_day", Tokens, Day, b.TokensPerDay)
	count("tokens_per_month", Tokens, Month, b.TokensPerMonth)
	count("tokens_in_all", Tokens, Ever, b.TokensInAll)
	money("money_per_day", Day, b.MoneyPerDay)
	money("money_per_month", Month, b.MoneyPerMonth)
	money("money_in_all", Ever, b.MoneyInAll)
	return all
}

// began is when the period began that a moment is in.
func (p Period) began(now time.Time) time.Time {
	now = now.UTC()
	switch p {
	case Minute:
		return now.Truncate(time.Minute)
	case Day:
		return now.Truncate(24 * time.Hour)
	case Month:
		return time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	return time.UnixMicro(0).UTC()
}

// left is how long the period lasts that a moment is in; 0 for one that does not end.
func (p Period) left(now time.Time) time.Duration {
	began := p.began(now)
	switch p {
	case Minute:
		return began.Add(time.Minute).Sub(now)
	case Day:
		return began.AddDate(0, 0, 1).Sub(now)
	case Month:
		return began.AddDate(0, 1, 0).Sub(now)
	}
	return 0
}

// Use is what a request uses.
type Use struct {
	Tokens   int64
	Cost     *spend.Sum // nil is unknown
	Currency string
}

// of is what a rule counts of a use.
func (r Rule) of(u Use) spend.Sum {
	switch {
	case r.Measure == Requests:
		return spend.Whole(1)
	case r.Measure == Tokens:
		return spend.Whole(u.Tokens)
	case u.Cost != nil && u.Currency == r.Currency:
		return *u.Cost
	}
	return spend.Sum{}
}

// ModelError refuses a model that a key or its organization may not ask.
type ModelError struct{ Model string }

func (e *ModelError) Error() string { return fmt.Sprintf("model %.80q is not allowed", e.Model) }

// PriceError refuses a model whose cost cannot be held against a limit of money.
type PriceError struct{ Model, Currency string }

func (e *PriceError) Error() string {
	return fmt.Sprintf("model %.80q has no price in %s", e.Model, e.Currency)
}

// ExceededError refuses a request since a limit is used up.
type ExceededError struct {
	Rule  Rule
	Wait  time.Duration // until it may be worth trying again; 0 is never by itself
	Taken bool          // the rest is held by requests under way, which may leave some of it
}

func (e *ExceededError) Error() string {
	return fmt.Sprintf("the limit %s is reached", e.Rule.ref.rule)
}
