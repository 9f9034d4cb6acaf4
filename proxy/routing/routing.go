// Package routing chooses the route of a model request. A route is one model at one provider.
//
// Routes share requests by weight. Among routes of equal weight, the one with the fewest requests underway is next. A route
// that fails is paused for a second, and for twice as long after each further failure. After the pause, one request probes
// it.
//
// If a route fails before any part of the answer was sent to the client, the next route gets the request. After the model's
// own routes come those of its fallbacks. Only failures of the provider count: an error in the request is returned at once.
package routing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/provider"
)

// longestWait is the longest pause of a provider that [Model.Ask] waits for, because its clients can wait themselves, and know
// better whether they want to. It also applies to the agent's requests that a fallback would answer.
const longestWait = 2 * time.Second

// MaxRoutes is the largest number of routes of a model, including those of its fallbacks.
const MaxRoutes = 64

// How long a failed route is paused.
const (
	minPause = time.Second
	maxPause = time.Minute
	// maxRequestedPause limits the pause that a provider may ask for.
	maxRequestedPause = 10 * time.Minute
)

// Route is a model at a provider. If several models share a route, they also share its failures.
type Route struct {
	*provider.Client
	// Name is PROVIDER/NAME.
	Name string

	underway atomic.Int64 // number of requests underway

	mu          sync.Mutex
	failures    int       // since the last success
	pausedUntil time.Time // while failures > 0
	probing     bool      // a request is probing the route
}

// WeightedRoute is a route with its weight in a model.
type WeightedRoute struct {
	*Route
	Weight int
}

// Model is a model that clients request by name. Create it with [New].
type Model struct {
	Name     string
	groups   []*group // the model's own routes, then one group for each fallback
	settings provider.Settings
	now      func() time.Time
}

// group is a set of routes that share requests by weight.
type group struct {
	routes []WeightedRoute
	mu     sync.Mutex
	credit []int // by route, for the weighted round robin
}

// New returns a model with its own routes and those of each fallback. Of s it uses only the log and the retry delay. A nil
// now means time.Now.
func New(name string, own []WeightedRoute, fallbacks [][]WeightedRoute, s provider.Settings, now func() time.Time) *Model {
	m := &Model{Name: name, settings: s, now: now}
	if now == nil {
		m.now = time.Now
	}
	for _, shares := range append([][]WeightedRoute{own}, fallbacks...) {
		m.groups = append(m.groups, &group{routes: shares, credit: make([]int, len(shares))})
	}
	return m
}

// HasRoute reports whether accepts returns true for any route of the model.
func (m *Model) HasRoute(accepts func(*Route) bool) bool {
	return slices.ContainsFunc(m.groups, func(g *group) bool {
		return slices.ContainsFunc(g.routes, func(s WeightedRoute) bool { return accepts(s.Route) })
	})
}

// Response is a provider's response and the route that it came from. It must be closed.
type Response struct {
	*provider.Reply
	Route  *Route
	Tries  int // number of routes asked, including this one
	closed atomic.Bool
}

// Close ends the request.
func (r *Response) Close() error {
	if r.closed.CompareAndSwap(false, true) {
		r.Route.underway.Add(-1)
		return r.Reply.Close()
	}
	return nil
}

// MarkBroken pauses the route, because its response broke off.
func (r *Response) MarkBroken(now time.Time) { r.Route.pause(now, 0) }

// Ask sends a request to one route after another until one responds. call builds the request for a route. Only routes for
// which accepts returns true are asked; a nil accepts allows all. The error is the context's cause or a [*provider.Error].
//
// A route's time limit for the first byte applies only as long as another route is left.
func (m *Model) Ask(ctx context.Context, accepts func(*Route) bool, call func(*Route) provider.Call) (*Response, error) {
	tries := 0
	return provider.Retry(ctx, m.Name, m.settings, longestWait, func() (*Response, bool, error) {
		return tryRoutes(ctx, m, accepts, func(r *Route, more bool) (*Response, bool, error) {
			tries++
			c := call(r)
			if first := r.FirstByte(); more && first > 0 {
				c.HeaderWait = first
			}
			r.underway.Add(1)
			reply, err := r.Client.Ask(ctx, c)
			if err != nil {
				r.underway.Add(-1)
				return nil, false, err
			}
			return &Response{Reply: reply, Route: r, Tries: tries}, false, nil
		})
	})
}

// GenerateContent sends the agent's requests. It implements langchaingo's llms.Model.
func (m *Model) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	asked := provider.Asked(options)
	longest := provider.MaxPause
	if provider.HasFallback(asked) {
		longest = longestWait
	}
	var first *Route
	return provider.Retry(ctx, m.Name, m.settings, longest, func() (*llms.ContentResponse, bool, error) {
		return tryRoutes(ctx, m, nil, func(r *Route, _ bool) (*llms.ContentResponse, bool, error) {
			if first == nil {
				first = r
			}
			provider.NoteAnswerer(asked, provider.Answerer{Route: r.Name, Fallback: r != first})
			r.underway.Add(1)
			defer r.underway.Add(-1)
			return r.Generate(ctx, messages, asked)
		})
	})
}

// Check asks each route of the model a short question, once and all at the same time. This includes the routes of its
// fallbacks. The error joins those of the routes, with their names.
func (m *Model) Check(ctx context.Context) error {
	var routes []*Route
	for _, g := range m.groups {
		for _, s := range g.routes {
			if !slices.Contains(routes, s.Route) {
				routes = append(routes, s.Route)
			}
		}
	}
	failures := make([]error, len(routes))
	var checks sync.WaitGroup
	for i, r := range routes {
		checks.Go(func() { failures[i] = r.check(ctx) })
	}
	checks.Wait()
	return errors.Join(failures...)
}

// check asks the route a short question. The question sets no limit of tokens, because reasoning models refuse a small one.
func (r *Route) check(ctx context.Context) error {
	question := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Reply with OK.")}
	_, _, err := r.Generate(ctx, question, llms.CallOptions{})
	var failure *provider.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failure) && failure.Status == http.StatusUnauthorized:
		return fmt.Errorf("%s: the provider does not accept the key: %w", r.Name, err)
	default:
		return fmt.Errorf("%s: %w", r.Name, err)
	}
}

// Call sends a single text. It implements langchaingo's llms.Model.
func (m *Model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// tryRoutes asks each route at most once: first those that are available, then the paused ones as a last resort. ask gets
// true as more if other routes are left, and returns true as started if it has passed on a part of the answer.
func tryRoutes[T any](
	ctx context.Context, m *Model, accepts func(*Route) bool, ask func(r *Route, more bool) (answer T, started bool, err error),
) (answer T, started bool, err error) {
	var tried []*Route
	all := m.countRoutes(accepts)
	err = &provider.Error{Message: "the model has no route for this kind of request"}
	for left := all; ; left-- {
		r := m.next(tried, accepts)
		if r == nil {
			return answer, false, err
		}
		var failed error
		answer, started, failed = ask(r, left > 1)
		elsewhere := r.recordResult(ctx, m.now(), failed)
		if failed == nil || started || !elsewhere || left == 1 {
			return answer, started, failed
		}
		tried = append(tried, r)
		err = failed
		m.settings.Logger().WarnContext(ctx, "a route of the model failed", "model", m.Name, "model_route", r.Name, "error", failed)
	}
}

// countRoutes returns the number of routes that accepts allows.
func (m *Model) countRoutes(accepts func(*Route) bool) int {
	n := 0
	for _, g := range m.groups {
		for _, s := range g.routes {
			if accepts == nil || accepts(s.Route) {
				n++
			}
		}
	}
	return n
}

// next returns the next route to ask, or nil if all have been asked.
func (m *Model) next(tried []*Route, accepts func(*Route) bool) *Route {
	now := m.now()
	for _, last := range []bool{false, true} {
		for _, g := range m.groups {
			for {
				r := g.next(func(r *Route) bool {
					return !slices.Contains(tried, r) && (accepts == nil || accepts(r)) && (last || r.available(now))
				})
				if r == nil {
					break
				}
				if r.startProbe(now) || last {
					return r
				}
			}
		}
	}
	return nil
}

// next chooses one of the allowed routes by smooth weighted round robin, as nginx does.
func (g *group) next(may func(*Route) bool) *Route {
	if len(g.routes) == 1 {
		if r := g.routes[0].Route; may(r) {
			return r
		}
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	best, total := -1, 0
	for i, s := range g.routes {
		if !may(s.Route) {
			continue
		}
		g.credit[i] += s.Weight
		total += s.Weight
		if best < 0 || g.credit[i] > g.credit[best] {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	g.credit[best] -= total // it loses its turn, even if a route of equal weight takes this request
	for i, s := range g.routes {
		if s.Weight == g.routes[best].Weight && s.underway.Load() < g.routes[best].underway.Load() && may(s.Route) {
			best = i
		}
	}
	return g.routes[best].Route
}

// available reports whether the route can be asked: it has not failed, or its pause is over and no request is probing it.
func (r *Route) available(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.availableLocked(now)
}

func (r *Route) availableLocked(now time.Time) bool {
	return r.failures == 0 || !r.probing && !now.Before(r.pausedUntil)
}

// startProbe must be called before a route is asked. If a paused route is ready for a probe, it returns true to one request
// only.
func (r *Route) startProbe(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	well := r.availableLocked(now)
	r.probing = r.failures > 0 && (r.probing || well)
	return well
}

// recordResult records the outcome of a request, and reports whether it is worth trying another route.
func (r *Route) recordResult(ctx context.Context, now time.Time, err error) (elsewhere bool) {
	var failure *provider.Error
	switch {
	case err == nil, errors.As(err, &failure) && !failure.RetryElsewhere():
		r.mu.Lock()
		defer r.mu.Unlock()
		r.failures, r.probing = 0, false
		return false
	case failure == nil, ctx.Err() != nil: // this says nothing about the route
		r.mu.Lock()
		defer r.mu.Unlock()
		r.probing = false
		return false
	}
	r.pause(now, failure.RetryAfter)
	return true
}

// pause pauses the route, at least for as long as the provider asked. Requests that fail during a pause do not extend it.
func (r *Route) pause(now time.Time, asked time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.probing = false
	if r.failures == 0 || !now.Before(r.pausedUntil) {
		r.failures++
	}
	rest := maxPause
	if n := r.failures - 1; n < 6 { // 2^6 s is more than maxPause
		rest = minPause << n
	}
	if until := now.Add(max(rest, min(asked, maxRequestedPause))); until.After(r.pausedUntil) {
		r.pausedUntil = until
	}
}
