package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// Fifty people ask at the same time, with tokens of each weight. In any second the service keeps to both rate limits, and
// it never has more than four calls in flight. MoySklad refuses no call, and everybody gets an answer.
func TestConcurrentQuestionsKeepThePace(t *testing.T) {
	t.Parallel()
	for _, weight := range []int{1, 3, 4} {
		t.Run(fmt.Sprintf("calls of %d units", weight), func(t *testing.T) {
			t.Parallel()
			d := runDemo(t, sandbox.New(sandbox.Config{Seed: 7, Products: 60, UnitWeight: weight, WithoutAttacks: true}),
				func(c *serveCommand) { c.LogLevel = "error" }) // a slow machine causes warnings
			d.shop.ForgetLog()
			var asking sync.WaitGroup
			for n := range 50 {
				asking.Go(func() {
					e := exchange{crowdQuestion(d.shop.Books(), n), n%2 == 0}
					answer, err := askOne(t, d, e)
					for tooBusy(err) {
						answer, err = askOne(t, d, e)
					}
					if err != nil || answer == "" {
						t.Errorf("%v: answered %q: %v", e, answer, err)
					}
				})
				d.waitUntilResponsive(t)
			}
			asking.Wait()
			calls := d.shop.Log()
			t.Logf("%d calls, %d of them stock reports, in %v", len(calls), stockCalls(calls), calls[len(calls)-1].At.Sub(calls[0].At))
			if most := calls.MaxCalls(time.Second); most > 6 {
				t.Errorf("%d calls within a second", most)
			}
			if most := calls.MaxStockCalls(time.Second); most > 2 {
				t.Errorf("%d stock reports within a second", most)
			}
			if most := calls.MaxInFlight(); most > 4 {
				t.Errorf("%d calls in flight", most)
			}
			if refused := calls.Refusals(); refused > 0 {
				t.Errorf("%d calls were refused", refused)
			}
			if len(calls) < 40 || stockCalls(calls) < 6 {
				t.Errorf("%d calls, %d of them stock reports, are too few to test the rate limits", len(calls), stockCalls(calls))
			}
		})
	}
}

// tooBusy reports whether the service is overloaded.
func tooBusy(err error) bool {
	apiError, answered := errors.AsType[*openai.Error](err)
	return answered && apiError.StatusCode == http.StatusServiceUnavailable
}

// waitUntilResponsive waits until the service answers a small request.
func (r running) waitUntilResponsive(t *testing.T) {
	t.Helper()
	_, _, err := send(t.Context(), "GET", r.url+"/api/v1/sessions?limit=1", r.secret, nil, nil)
	must(t, err)
}

func stockCalls(calls sandbox.Calls) int {
	count := 0
	for _, call := range calls {
		if call.Stock() {
			count++
		}
	}
	return count
}

// crowdQuestion returns the nth question. Some questions are equal; others differ in period or product.
func crowdQuestion(books *sandbox.Books, n int) string {
	day := func(ago int) string { return books.Now.In(moysklad.Moscow).AddDate(0, 0, -ago).Format(time.DateOnly) }
	switch n % 5 {
	case 0:
		return fmt.Sprintf("Какая маржа с %s по %s?", day(40+n), day(5+n))
	case 1:
		return fmt.Sprintf("What was the turnover from %s to %s?", day(30+n), day(2+n))
	case 2:
		return "Что ниже неснижаемого остатка?"
	case 3:
		return fmt.Sprintf("Сколько осталось товара «%s»?", books.Assortment[n%10].Name)
	default:
		return []string{"How much cash is there, who owes us and whom do we owe?", "Что лежит на складах?"}[min(1, n/10)]
	}
}

// Three processes share only their database. Together they must keep to an account's rate limits, even if one of them is
// killed during a call and restarted.
func TestReplicasShareThePace(t *testing.T) {
	t.Parallel()
	f := launch(t, databasetest.PostgresURL(t), 3)
	s := f.open("Shop", 11)
	s.ForgetLog()
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	var asking sync.WaitGroup
	tools := []string{"money_position", "stock", "below_minimum", "overdue_orders"}
	var answered atomic.Int64
	for n := range 24 {
		asking.Go(func() {
			for ctx.Err() == nil {
				status, err := s.ask(ctx, f.replicas[n%3], "POST", "/tools/"+tools[n%len(tools)]+"/execute", map[string]any{}, nil)
				if err != nil { // the replica is down: wait before trying again
					select {
					case <-time.After(50 * time.Millisecond):
					case <-ctx.Done():
					}
				} else if status == http.StatusOK {
					answered.Add(1)
				}
			}
		})
	}
	f.waitFor("many calls have been made", func() bool { return len(s.Log()) > 10 })
	f.replicas[0].restart()
	before := len(s.Log())
	f.waitFor("many more have been made", func() bool { return len(s.Log()) > before+30 })
	enough()
	asking.Wait()
	calls := s.Log()
	t.Logf("%d calls for %d answers", len(calls), answered.Load())
	if most := calls.MaxCalls(time.Second); most > 6 {
		t.Errorf("%d calls within a second", most)
	}
	if most := calls.MaxStockCalls(time.Second); most > 2 {
		t.Errorf("%d stock reports within a second", most)
	}
	if refused := calls.Refusals(); refused > 0 {
		t.Errorf("%d calls were refused", refused)
	}
}
