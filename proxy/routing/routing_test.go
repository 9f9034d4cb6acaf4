package routing_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/routing"
	"github.com/kopeck/kopeck/schemas/clocktest"
)

var (
	quick = provider.Settings{FirstWait: time.Microsecond, Log: slog.New(slog.DiscardHandler)}
	begun = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
)

// server is a provider whose requests are handled by a function.
type server struct {
	*routing.Route
	asked atomic.Int32
	mu    sync.Mutex
	does  http.HandlerFunc
}

func (s *server) do(f http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.does = f
}

func serve(t *testing.T, name string, does http.HandlerFunc) *server {
	t.Helper()
	s := &server{does: does}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // without reading the body, the context would not end when the client disconnects
		s.mu.Lock()
		does := s.does
		s.mu.Unlock()
		does(w, r)
	}))
	t.Cleanup(web.Close)
	client, err := provider.Open(provider.Target{Kind: provider.OpenAI, Base: web.URL, Model: name, FirstByte: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	s.Route = &routing.Route{Client: client, Name: name}
	return s
}

func answer(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) }

func refuse(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if len(header) == 2 {
			w.Header().Set(header[0], header[1])
		}
		http.Error(w, `{"error":{"message":"no"}}`, status)
	}
}

// ask returns the name of the route that responded.
func ask(t *testing.T, m *routing.Model) (string, error) {
	t.Helper()
	got, err := m.Ask(t.Context(), nil, whole)
	if err != nil {
		return "", err
	}
	defer got.Close()
	return got.Route.Name, nil
}

func whole(*routing.Route) provider.Call {
	return provider.Call{Body: [][]byte{[]byte(`{}`)}, MustBeObject: true, HeaderWait: time.Minute}
}

func shares(servers ...*server) []routing.WeightedRoute {
	var all []routing.WeightedRoute
	for _, s := range servers {
		all = append(all, routing.WeightedRoute{Route: s.Route, Weight: 1})
	}
	return all
}

func TestRoutesShareRequestsByWeight(t *testing.T) {
	a, b := serve(t, "a", answer), serve(t, "b", answer)
	m := routing.New("m", []routing.WeightedRoute{{Route: a.Route, Weight: 3}, {Route: b.Route, Weight: 1}}, nil, quick, nil)
	for range 40 {
		if _, err := ask(t, m); err != nil {
			t.Fatal(err)
		}
	}
	if a.asked.Load() != 30 || b.asked.Load() != 10 {
		t.Errorf("a was asked %d times, b %d times", a.asked.Load(), b.asked.Load())
	}
}

// While one of two equal routes is busy, the other one gets the requests.
func TestLeastBusyOfEqualRoutesIsNext(t *testing.T) {
	a, b := serve(t, "a", answer), serve(t, "b", answer)
	m := routing.New("m", shares(a, b), nil, quick, nil)
	open, err := m.Ask(t.Context(), nil, whole)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if by, err := ask(t, m); err != nil || by == open.Route.Name {
			t.Errorf("by %s, which is busy: %v", by, err)
		}
	}
	open.Close()
	by := map[string]int{}
	for range 4 {
		name, _ := ask(t, m)
		by[name]++
	}
	if by["a"] != 2 || by["b"] != 2 {
		t.Errorf("with nothing under way: %v", by)
	}
}

// If a route fails in any way, the next one answers. If all of the model's own routes fail, a fallback's route answers.
func TestFailingRouteIsSkipped(t *testing.T) {
	for name, fails := range map[string]http.HandlerFunc{
		"429":                refuse(429),
		"429 with a wait":    refuse(429, "Retry-After", "3600"),
		"out of money":       refuse(402),
		"our key is refused": refuse(401),
		"500":                refuse(500),
		"silent":             func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"reset":              func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"a page":             func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>Sign in</html>") },
		"half of the JSON":   func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"choices":[{"mess`) },
		"less than announced": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			fmt.Fprint(w, `{}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad, worse, good := serve(t, "bad", fails), serve(t, "worse", fails), serve(t, "good", answer)
			m := routing.New("m", shares(bad, worse), [][]routing.WeightedRoute{shares(good)}, quick, nil)
			got, err := m.Ask(t.Context(), nil, whole)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Close()
			if got.Route.Name != "good" || got.Tries != 3 || bad.asked.Load() != 1 || worse.asked.Load() != 1 {
				t.Errorf("by %s after %d tries, of the failing ones %d and %d", got.Route.Name, got.Tries, bad.asked.Load(), worse.asked.Load())
			}
		})
	}
}

// An invalid request would fail on every route. So no other route is asked, and the route is not paused.
func TestClientErrorIsNotRetried(t *testing.T) {
	for _, status := range []int{400, 404, 409, 413, 422} {
		a, b := serve(t, "a", refuse(status)), serve(t, "b", refuse(status))
		m := routing.New("m", shares(a, b), nil, quick, nil)
		for range 2 {
			_, err := ask(t, m)
			var failure *provider.Error
			if !errors.As(err, &failure) || failure.Status != status {
				t.Errorf("%d: %v", status, err)
			}
		}
		if a.asked.Load() != 1 || b.asked.Load() != 1 {
			t.Errorf("%d: a was asked %d times, b %d times", status, a.asked.Load(), b.asked.Load())
		}
	}
}

// A failed route is paused and then probed by one request. If the probe succeeds, the route is used as before.
func TestFailedRouteIsPausedAndProbedByOneRequest(t *testing.T) {
	at := clocktest.At(begun)
	bad, good := serve(t, "bad", refuse(500)), serve(t, "good", answer)
	m := routing.New("m", []routing.WeightedRoute{{Route: bad.Route, Weight: 100}, {Route: good.Route, Weight: 1}}, nil, quick, at.Now)
	askAll := func(times int) {
		t.Helper()
		for range times {
			if by, err := ask(t, m); err != nil || by != "good" {
				t.Fatalf("by %q: %v", by, err)
			}
		}
	}
	askAll(10)
	if n := bad.asked.Load(); n != 1 {
		t.Fatalf("it was asked %d times before it had its rest", n)
	}
	at.Advance(time.Second)
	held, release := make(chan struct{}), make(chan struct{})
	bad.do(func(w http.ResponseWriter, r *http.Request) { close(held); <-release; refuse(500)(w, r) })
	var trying sync.WaitGroup
	trying.Go(func() { _, _ = ask(t, m) })
	<-held
	askAll(10)
	close(release)
	trying.Wait()
	if n := bad.asked.Load(); n != 2 {
		t.Fatalf("it was tried by %d requests", n-1)
	}
	at.Advance(time.Second) // the second failure pauses it for two seconds
	askAll(1)
	if n := bad.asked.Load(); n != 2 {
		t.Fatal("a second failure has no longer rest than the first")
	}
	at.Advance(time.Second)
	bad.do(answer)
	for range 10 {
		if by, err := ask(t, m); err != nil || by != "bad" {
			t.Fatalf("when it is well again, by %q: %v", by, err)
		}
	}
}

// A provider may ask for a longer pause.
func TestRouteIsPausedForAsLongAsItAsks(t *testing.T) {
	at := clocktest.At(begun)
	busy, good := serve(t, "busy", refuse(429, "Retry-After", "30")), serve(t, "good", answer)
	m := routing.New("m", []routing.WeightedRoute{{Route: busy.Route, Weight: 100}, {Route: good.Route, Weight: 1}}, nil, quick, at.Now)
	for _, wait := range []time.Duration{0, 29 * time.Second} {
		at.Advance(wait)
		if by, err := ask(t, m); err != nil || by != "good" {
			t.Errorf("by %q: %v", by, err)
		}
	}
	if n := busy.asked.Load(); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
	busy.do(answer)
	at.Advance(time.Second)
	if by, err := ask(t, m); err != nil || by != "busy" {
		t.Errorf("after that, by %q: %v", by, err)
	}
}

// If all routes are paused, they are asked anyway.
func TestPausedRoutesAreUsedWhenThereAreNoOthers(t *testing.T) {
	a, b := serve(t, "a", refuse(500)), serve(t, "b", refuse(401))
	m := routing.New("m", shares(a, b), nil, quick, nil)
	if _, err := ask(t, m); err == nil {
		t.Fatal("it is answered")
	}
	b.do(answer)
	if by, err := ask(t, m); err != nil || by != "b" {
		t.Errorf("by %q: %v", by, err)
	}
}

// A client that disconnects does not count as a failure of the route.
func TestCancelledRequestDoesNotPauseRoute(t *testing.T) {
	asked := make(chan struct{})
	a, b := serve(t, "a", func(_ http.ResponseWriter, r *http.Request) { close(asked); <-r.Context().Done() }), serve(t, "b", answer)
	m := routing.New("m", []routing.WeightedRoute{{Route: a.Route, Weight: 100}, {Route: b.Route, Weight: 1}}, nil, quick, nil)
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-asked; leave() }()
	if _, err := m.Ask(ctx, nil, whole); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	a.do(answer)
	if by, err := ask(t, m); err != nil || by != "a" {
		t.Errorf("by %q: %v", by, err)
	}
}

// With a fallback at hand, the agent does not wait for a provider that asks for seconds of rest.
func TestLongPauseIsLeftToTheFallback(t *testing.T) {
	yes := func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"choices":[{"message":{"content":"yes"}}]}`)
	}
	busy, built := serve(t, "busy", refuse(429, "Retry-After", "7")), serve(t, "built-in", yes)
	of := func(s *server) *routing.Model { return routing.New("m", shares(s), nil, quick, nil) }
	model := provider.WithFallback(of(busy), of(built), quick.Log)
	if _, err := model.GenerateContent(t.Context(), nil); err != nil || busy.asked.Load() != 1 || built.asked.Load() != 1 {
		t.Errorf("the provider was asked %d times, the fallback %d times: %v", busy.asked.Load(), built.asked.Load(), err)
	}
}

// A check of the routes ends with its context, whose cause says why.
func TestCheckEndsWithItsContext(t *testing.T) {
	ctx, end := context.WithCancelCause(t.Context())
	defer end(nil)
	silent := serve(t, "silent", func(_ http.ResponseWriter, r *http.Request) {
		end(errors.New("no answer in time"))
		<-r.Context().Done()
	})
	m := routing.New("m", shares(silent), nil, quick, nil)
	if err := m.Check(ctx); err == nil || err.Error() != "silent: no answer in time" {
		t.Errorf("got %v", err)
	}
}
