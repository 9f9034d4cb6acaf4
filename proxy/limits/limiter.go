package limits

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/schemas/database"
)

// Limiter applies limits to model requests. Each process has its own limiter, and they share a database.
type Limiter struct {
	db  *sql.DB
	now func() time.Time

	mu       sync.Mutex
	counters map[limitRef]*counter
}

// New returns a limiter on a migrated database.
func New(db *sql.DB, now func() time.Time) *Limiter {
	return &Limiter{db: db, now: now, counters: map[limitRef]*counter{}}
}

func (l *Limiter) counterFor(r limitRef) *counter {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.counters[r]
	if c == nil {
		c = newCounter(r)
		l.counters[r] = c
	}
	return c
}

func (l *Limiter) allCounters() []*counter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.counters))
}

func (l *Limiter) remove(c *counter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.counters, c.ref)
}

// AllowsModel reports whether all of the limits allow the model.
func AllowsModel(subjects []keys.SubjectLimits, model string) bool {
	return !slices.ContainsFunc(subjects, func(b keys.SubjectLimits) bool { return b.Models != nil && !slices.Contains(b.Models, model) })
}

// Estimate is the expected use of a request.
type Estimate struct {
	Minimum Use
	Default Use // used until there is an average of earlier requests
}

// Admission represents an admitted request. Call [Admission.Settle] exactly once when the request has ended.
type Admission struct {
	limiter      *Limiter
	rules        []*Rule
	reservations []reservation
}

// Admit admits a model request, or returns a [*ModelError], [*PriceError] or [*ExceededError]. The admission is nil if no
// limit applies. If there is an error, the admission can only be used for [Admission.Level].
func (l *Limiter) Admit(ctx context.Context, subjects []keys.SubjectLimits, model string, estimate Estimate) (*Admission, error) {
	if !AllowsModel(subjects, model) {
		return nil, &ModelError{model}
	}
	a := &Admission{limiter: l, rules: make([]*Rule, 0, len(subjects)*maxRules)}
	for _, subject := range subjects {
		for _, r := range Rules(subject) {
			if r.Measure != Money || !estimate.Minimum.isFree() { // what is free needs no money
				a.rules = append(a.rules, &r)
			}
		}
	}
	if len(a.rules) == 0 {
		return nil, nil
	}
	for _, r := range a.rules {
		if r.Measure == Money && !r.knowsCost(estimate.Minimum) {
			return nil, &PriceError{model, r.Currency}
		}
	}
	a.reservations = make([]reservation, 0, len(a.rules))
	for _, r := range a.rules {
		h, err := l.hold(ctx, l.counterFor(r.ref), r, ruleEstimate{r.amountOf(estimate.Minimum), r.amountOf(estimate.Default)})
		if err != nil {
			for _, h := range a.reservations {
				h.cancel()
			}
			a.reservations = nil
			return a, err
		}
		a.reservations = append(a.reservations, h)
	}
	return a, nil
}

// Settle records what the request has used, which is nothing if it was not sent. It does nothing for a nil admission.
func (a *Admission) Settle(used ...Use) {
	if a == nil {
		return
	}
	now := a.limiter.now()
	for _, h := range a.reservations {
		h.settle(h.rule.amountOf(used...), now)
	}
	a.reservations = nil
}

// Level says how much of a limit is left.
type Level struct {
	Max, Left int64
	Reset     time.Duration // until the limit resets; 0 means never
}

// Level returns how much is left for a measure. If several limits apply, it reports the one with the shortest period, and
// among those the one with the least left.
func (a *Admission) Level(m Measure) (level Level, ok bool) {
	if a == nil {
		return Level{}, false
	}
	var period Period
	for _, r := range a.rules {
		if r.Measure != m || ok && r.Period > period {
			continue
		}
		left := a.limiter.counterFor(r.ref).left().Units
		if !ok || r.Period < period || left < level.Left {
			level, period, ok = Level{r.Max.Units, left, r.Period.remaining(a.limiter.now())}, r.Period, true
		}
	}
	return level, ok
}

// Taken is how much of a limit is gone. What is left is the limit less both.
type Taken struct {
	Used     spend.Sum // by requests that have ended
	Reserved spend.Sum // by replicas, for running and coming requests
}

// Taken returns how much of each limit of a subject is gone in the current period, by the limit's name. What was used in the
// last two seconds can still be part of Reserved.
func (l *Limiter) Taken(ctx context.Context, subject keys.SubjectLimits) (map[string]Taken, error) {
	type row struct {
		rule          string
		since         int64
		sum, reserved spend.Sum
	}
	rows, err := database.Rows(ctx, l.db, func(r database.Row) (found row, err error) {
		err = r.Scan(&found.rule, &found.since, &found.sum.Units, &found.sum.Parts, &found.reserved.Units, &found.reserved.Parts)
		return found, err
	}, `SELECT rule, since, units, parts, reserved_units, reserved_parts FROM limit_uses WHERE subject = $1`, subject.CountedAs)
	if err != nil {
		return nil, err
	}
	now, taken := l.now(), map[string]Taken{}
	for _, r := range Rules(subject) {
		for _, found := range rows {
			if found.rule == r.ref.rule && found.since >= r.Period.start(now).UnixMicro() {
				taken[r.Name()] = Taken{found.sum.Minus(found.reserved), found.reserved}
			}
		}
	}
	return taken, nil
}
