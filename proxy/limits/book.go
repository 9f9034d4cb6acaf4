package limits

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/schemas/database"
)

// Book holds requests to limits. Any number of books, one a process, may share a database.
type Book struct {
	db  *sql.DB
	now func() time.Time

	mu       sync.RWMutex
	counters map[ref]*counter
	rules    map[string]ruled // by subject
}

// ruled are the rules that a record of limits was last found to have: requests share them until the record is read anew.
type ruled struct {
	by    *keys.SubjectLimits
	rules []Rule
}

// New works on migrated tables.
func New(db *sql.DB, now func() time.Time) *Book {
	return &Book{db: db, now: now, counters: map[ref]*counter{}, rules: map[string]ruled{}}
}

func (b *Book) counter(r ref) *counter {
	b.mu.RLock()
	c := b.counters[r]
	b.mu.RUnlock()
	if c != nil {
		return c
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.counters[r] == nil {
		b.counters[r] = newCounter(r)
	}
	return b.counters[r]
}

// rulesOf are the rules of a record that nobody changes.
func (b *Book) rulesOf(by *keys.SubjectLimits) []Rule {
	b.mu.RLock()
	known := b.rules[by.CountedAs]
	b.mu.RUnlock()
	if known.by == by {
		return known.rules
	}
	known = ruled{by, Rules(*by)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rules[by.CountedAs] = known
	return known.rules
}

func (b *Book) all() []*counter {
	b.mu.RLock()
	defer b.mu.RUnlock()
	all := make([]*counter, 0, len(b.counters))
	for _, c := range b.counters {
		all = append(all, c)
	}
	return all
}

func (b *Book) forget(c *counter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.counters, c.ref)
	delete(b.rules, c.ref.subject)
}

// Allows tells whether limits let a model be asked.
func Allows(bounded []keys.SubjectLimits, model string) bool {
	return !slices.ContainsFunc(bounded, func(b keys.SubjectLimits) bool { return b.Models != nil && !slices.Contains(b.Models, model) })
}

// Looks is what a request is likely to use.
type Looks struct {
	Least Use
	First Use // while nothing is known of what such requests use
}

// Admission is a request that limits count. It must be settled once.
type Admission struct {
	book  *Book
	rules []*Rule
	holds []hold
}

// Admit lets a request for a model begin, or refuses it by a [*ModelError], [*PriceError] or [*ExceededError]. looks is what it
// is likely to use. The admission is nil where nothing is counted; with an error it tells only of levels.
func (b *Book) Admit(ctx context.Context, bounded []keys.SubjectLimits, model string, looks Looks) (*Admission, error) {
	if !Allows(bounded, model) {
		return nil, &ModelError{model}
	}
	a := &Admission{book: b, rules: make([]*Rule, 0, len(bounded)*rules)}
	for i := range bounded {
		of := b.rulesOf(&bounded[i])
		for j := range of {
			a.rules = append(a.rules, &of[j])
		}
	}
	if len(a.rules) == 0 {
		return nil, nil
	}
	for _, r := range a.rules {
		if r.Measure == Money && (looks.Least.Cost == nil || looks.Least.Currency != r.Currency) {
			return nil, &PriceError{model, r.Currency}
		}
	}
	a.holds = make([]hold, 0, len(a.rules))
	for _, r := range a.rules {
		h, err := b.admit(ctx, b.counter(r.ref), r, guess{r.of(looks.Least), r.of(looks.First)})
		if err != nil {
			for _, h := range a.holds {
				h.drop()
			}
			a.holds = nil
			return a, err
		}
		a.holds = append(a.holds, h)
	}
	return a, nil
}

// Settle counts what the request has used. A nil admission counts nothing.
func (a *Admission) Settle(used Use) {
	if a == nil {
		return
	}
	now := a.book.now()
	for _, h := range a.holds {
		h.settle(h.rule.of(used), now)
	}
	a.holds = nil
}

// Level is how much of a limit is left.
type Level struct {
	Most, Left int64
	Reset      time.Duration // until the limit begins anew; 0 is never
}

// Level is that of the limit of a measure which ends first, and of such the one of which least is left.
func (a *Admission) Level(m Measure) (found Level, ok bool) {
	if a == nil {
		return Level{}, false
	}
	var period Period
	for _, r := range a.rules {
		if r.Measure != m || ok && r.Period > period {
			continue
		}
		left := a.book.counter(r.ref).left().Units
		if !ok || r.Period < period || left < found.Left {
			found, period, ok = Level{r.Most.Units, left, r.Period.left(a.book.now())}, r.Period, true
		}
	}
	return found, ok
}

// Used is how much of a subject's limits is taken in their present periods, by their names. Shares that replicas have taken and
// not used yet are in it.
func (b *Book) Used(ctx context.Context, of keys.SubjectLimits) (map[string]spend.Sum, error) {
	type row struct {
		rule  string
		since int64
		sum   spend.Sum
	}
	rows, err := database.Rows(ctx, b.db, func(r database.Row) (found row, err error) {
		err = r.Scan(&found.rule, &found.since, &found.sum.Units, &found.sum.Parts)
		return found, err
	}, `SELECT rule, since, units, parts FROM limit_uses WHERE subject = $1`, of.CountedAs)
	if err != nil {
		return nil, err
	}
	now, used := b.now(), map[string]spend.Sum{}
	for _, r := range Rules(of) {
		for _, found := range rows {
			if found.rule == r.ref.rule && found.since >= r.Period.began(now).UnixMicro() {
				used[r.Name()] = found.sum
			}
		}
	}
	return used, nil
}
