// Package limits applies the limits of keys and organizations to model requests.
//
// Each limit of a subject (a key or an organization) has one row in the database, which all replicas share. With one write,
// a replica reserves a share of what is left. It uses the share for many requests, and returns what it does not need. Every
// two seconds it writes how much of the share is used.
//
// How much a request uses is known only when it ends. When it begins, the limiter reserves the recent average. A request
// that exceeds a limit is not cut off, but the next one is refused.
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

// Period says when a limit resets.
type Period int

// The periods. A limit with the period Ever never resets.
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
	Max          spend.Sum
	Currency     string // of a money limit
	Organization bool   // the limit is an organization's, not a key's
	ref          limitRef
}

// Name returns the name of the limit, such as tokens_per_day.
func (r Rule) Name() string {
	name, _, _ := strings.Cut(r.ref.rule, " ")
	return name
}

// limitRef identifies a row of limit_uses.
type limitRef struct{ subject, rule string }

// maxRules is the largest number of rules of a subject.
const maxRules = 8

// Rules returns the rules that a subject's limits consist of.
func Rules(b keys.SubjectLimits) []Rule {
	all := make([]Rule, 0, maxRules)
	add := func(name string, m Measure, p Period, most spend.Sum) {
		all = append(all, Rule{Measure: m, Period: p, Max: most, Organization: b.Organization, ref: limitRef{b.CountedAs, name}})
	}
	count := func(name string, m Measure, p Period, most *int64) {
		if most != nil {
			add(name, m, p, spend.FromUnits(*most))
		}
	}
	money := func(name string, p Period, most *decimal.Decimal) {
		if most != nil {
			add(name+" "+b.Currency, Money, p, spend.FromDecimal(*most))
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

// start returns the start of the period that contains now.
func (p Period) start(now time.Time) time.Time {
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

// remaining returns the time until the period ends; 0 if it never ends.
func (p Period) remaining(now time.Time) time.Duration {
	began := p.start(now)
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

// Use is what a request used.
type Use struct {
	Tokens   int64
	Cost     *spend.Sum // nil if unknown
	Currency string     // empty if the model is free
}

func (u Use) isFree() bool { return u.Cost != nil && u.Currency == "" }

// knowsCost reports whether the cost is known in the rule's currency.
func (r Rule) knowsCost(u Use) bool { return u.Cost != nil && u.Currency == r.Currency }

// amountOf returns how much of one request counts against the rule. The request may have used several models.
func (r Rule) amountOf(uses ...Use) spend.Sum {
	if r.Measure == Requests {
		return spend.FromUnits(1)
	}
	total := spend.Sum{}
	for _, u := range uses {
		switch {
		case r.Measure == Tokens:
			total = total.Plus(spend.FromUnits(u.Tokens))
		case r.knowsCost(u):
			total = total.Plus(*u.Cost)
		}
	}
	return total
}

// ModelError reports a model that the limits do not allow.
type ModelError struct{ Model string }

func (e *ModelError) Error() string { return fmt.Sprintf("model %.80q is not allowed", e.Model) }

// PriceError reports a model without a price in the currency of a money limit.
type PriceError struct{ Model, Currency string }

func (e *PriceError) Error() string {
	return fmt.Sprintf("model %.80q has no price in %s", e.Model, e.Currency)
}

// ExceededError reports that a limit is used up.
type ExceededError struct {
	Rule    Rule
	Wait    time.Duration // until a retry may succeed; 0 if only raising the limit helps
	Pending bool          // running requests have reserved what is left, but may not need all of it
}

func (e *ExceededError) Error() string {
	return fmt.Sprintf("the limit %s is reached", e.Rule.ref.rule)
}
