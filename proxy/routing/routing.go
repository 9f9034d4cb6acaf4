// Package routing chooses which of a model's routes a request takes, a route being one model at one provider.
//
// Routes share requests by their weights; of those with the same weight the one with the fewest requests under way is
// next. A route that fails is left alone, at first for a second and for twice as long after each further failure, and then
// tried by one request. Where a route fails before anything of an answer was handed on, the request goes to the next,
// and to the routes of the model's fallbacks after that. Only a provider's failure counts: an error
// in the request is returned at once.
package routing

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/provider"
)

// MostRoutes is how many routes a model may have, with those of its fallbacks.
const MostRoutes = 64

// Bounds of how long a route that fails is left alone.
const (
	firstRest = time.Second
	lastRest  = time.Minute
	// longestRest bounds what a provider may ask for.
	longestRest = 10 * time.Minute
)

// Route is one way to a model. It may be shared by several models, which then know of each other's failures.
type Route struct {
	*provider.Plain
	// Name is PROVIDER/NAME.
	Name string

	busy atomic.Int64 // requests under way

	mu       sync.Mutex
	failures int       // since the last success
	until    time.Time // it is left alone
	probed   bool      // one request tries it
}

// Share is a route with its part of a model's requests.
type Share struct {
	*Route
	Weight int
}

// Model is what clients ask for by name. Make it with [New].
type Model struct {
	Name     string
	groups   []*group // the model's own routes, then those of its fallbacks
	settings provider.Settings
	now      func() time.Time
}

// group are routes that share requests.
type group struct {
	shares []Share
	mu     sync.Mutex
	owed   []int // of each share: how much more it should have had
}

// New makes a model of its own routes and those of each fallback. Of settings only the log and the wait before a repetition
// count. A nil clock is time.Now.
func New(name string, own []Share, fallbacks [][]Share, s provider.Settings, now func() time.Time) *Model {
	m := &Model{Name: name, settings: s, now: now}
	if now == nil {
		m.now = time.Now
	}
	for _, shares := range append([][]Share{own}, fallbacks...) {
		m.groups = append(m.groups, &group{shares: shares, owed: make([]int, len(shares))})
	}
	return m
}

// Serves tells whether any route is to a provider of a kind that suits.
func (m *Model) Serves(suits func(*Route) bool) bool {
	return slices.ContainsFunc(m.groups, func(g *group) bool {
		return slices.ContainsFunc(g.shares, func(s Share) bool { return suits(s.Route) })
	})
}

// Answer is an answer with the route that gave it. It must be closed.
type Answer struct {
	*provider.Reply
	Route  *Route
	Tries  int // how many routes were asked, this one included
	closed atomic.Bool
}

// Close ends the request.
func (a *Answer) Close() error {
	if a.closed.CompareAndSwap(false, true) {
		a.Route.busy.Add(-1)
		return a.Reply.Close()
	}
	return nil
}

// Broke tells that the answer broke off: the route is left alone for a while.
func (a *Answer) Broke(now time.Time) { a.Route.failed(now, 0) }

// Ask sends a request by one route after the other until one of them answers; call makes it for a route. Only routes that
// suit are asked; nil is all. The error is the context's cause or a [*provider.Error]. While there is another route, Ask
// waits for an answer only as long as the route may be silent at first, if it has such a limit.
func (m *Model) Ask(ctx context.Context, suits func(*Route) bool, call func(*Route) provider.Call) (*Answer, error) {
	tries := 0
	return provider.Retried(ctx, m.Name, m.settings, func() (*Answer, bool, error) {
		return round(ctx, m, suits, func(r *Route, more bool) (*Answer, bool, error) {
			tries++
			c := call(r)
			if first := r.FirstByte(); more && first > 0 {
				c.Within = first
			}
			r.busy.Add(1)
			reply, err := r.Plain.Ask(ctx, c)
			if err != nil {
				r.busy.Add(-1)
				return nil, false, err
			}
			return &Answer{Reply: reply, Route: r, Tries: tries}, false, nil
		})
	})
}

// GenerateContent asks in the agent's name. It makes a Model one of langchaingo's.
func (m *Model) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	var asked llms.CallOptions
	for _, option := range options {
		option(&asked)
	}
	return provider.Retried(ctx, m.Name, m.settings, func() (*llms.ContentResponse, bool, error) {
		return round(ctx, m, nil, func(r *Route, _ bool) (*llms.ContentResponse, bool, error) {
			r.busy.Add(1)
			defer r.busy.Add(-1)
			return r.Generate(ctx, messages, asked)
		})
	})
}

// Call asks with a single text.
func (m *Model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// round asks each route at most once: first those that are well, then those that are left alone, for they are all there is.
// ask gets whether there are more routes, and returns whether it has handed on a part of the answer.
func round[T any](
	ctx context.Context, m *Model, suits func(*Route) bool, ask func(r *Route, more bool) (T, bool, error),
) (answer T, said bool, err error) {
	var tried []*Route
	all := m.count(suits)
	err = &provider.Error{Message: "the model has no route for such a request"}
	for left := all; ; left-- {
		r := m.next(tried, suits)
		if r == nil {
			return answer, false, err
		}
		var failed error
		answer, said, failed = ask(r, left > 1)
		elsewhere := r.learn(ctx, m.now(), failed)
		if failed == nil || said || !elsewhere || left == 1 {
			return answer, said, failed
		}
		tried = append(tried, r)
		err = failed
		m.settings.Logger().WarnContext(ctx, "a route of the model fails", "model", m.Name, "model_route", r.Name, "error", failed)
	}
}

// count is how many routes suit.
func (m *Model) count(suits func(*Route) bool) int {
	n := 0
	for _, g := range m.groups {
		for _, s := range g.shares {
			if suits == nil || suits(s.Route) {
				n++
			}
		}
	}
	return n
}

// next is the route to ask; nil when all have been.
func (m *Model) next(tried []*Route, suits func(*Route) bool) *Route {
	now := m.now()
	for _, last := range []bool{false, true} {
		for _, g := range m.groups {
			for {
				r := g.next(func(r *Route) bool {
					return !slices.Contains(tried, r) && (suits == nil || suits(r)) && (last || r.well(now))
				})
				if r == nil {
					break
				}
				if r.take(now) || last {
					return r
				}
			}
		}
	}
	return nil
}

// next chooses among those that may be asked. Which is owed most is a smooth turn by weights, as nginx has it.
func (g *group) next(may func(*Route) bool) *Route {
	if len(g.shares) == 1 {
		if r := g.shares[0].Route; may(r) {
			return r
		}
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	best, total := -1, 0
	for i, s := range g.shares {
		if !may(s.Route) {
			continue
		}
		g.owed[i] += s.Weight
		total += s.Weight
		if best < 0 || g.owed[i] > g.owed[best] {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	g.owed[best] -= total // also where another takes its turn: it is not to be made up for later
	for i, s := range g.shares {
		if s.Weight == g.shares[best].Weight && s.busy.Load() < g.shares[best].busy.Load() && may(s.Route) {
			best = i
		}
	}
	return g.shares[best].Route
}

// well tells whether the route may be asked as any other: it has not failed, or has been left alone for long enough and
// nobody tries it yet.
func (r *Route) well(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wellLocked(now)
}

func (r *Route) wellLocked(now time.Time) bool {
	return r.failures == 0 || !r.probed && !now.Before(r.until)
}

// take is for the request that asks a route: of several that find a failed one ready to be tried, one gets it.
func (r *Route) take(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	well := r.wellLocked(now)
	r.probed = r.failures > 0 && (r.probed || well)
	return well
}

// learn takes in what came of a request, and tells whether another route may do better.
func (r *Route) learn(ctx context.Context, now time.Time, err error) (elsewhere bool) {
	var failure *provider.Error
	switch {
	case err == nil, errors.As(err, &failure) && !failure.Elsewhere():
		r.mu.Lock()
		defer r.mu.Unlock()
		r.failures, r.probed = 0, false
		return false
	case failure == nil, ctx.Err() != nil: // nothing has been learnt
		r.mu.Lock()
		defer r.mu.Unlock()
		r.probed = false
		return false
	}
	r.failed(now, failure.RetryAfter)
	return true
}

// failed has the route left alone, for as long as it asked if it did. Requests that fail together are one failure.
func (r *Route) failed(now time.Time, asked time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.probed = false
	if r.failures == 0 || !now.Before(r.until) {
		r.failures++
	}
	rest := lastRest
	if n := r.failures - 1; n < 6 { // 2^6 s are more than the last
		rest = firstRest << n
	}
	if until := now.Add(max(rest, min(asked, longestRest))); until.After(r.until) {
		r.until = until
	}
}
