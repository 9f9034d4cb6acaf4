package main

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// Fifty people asking at once do not make the service impolite: it keeps both rates in any second, at most four calls in
// flight, is never refused, and answers everybody; for each weight that a token's calls can have.
func TestFiftyQuestionsAtOnceKeepThePace(t *testing.T) {
	t.Parallel()
	for _, weight := range []int{1, 3, 4} {
		t.Run(fmt.Sprintf("calls of %d units", weight), func(t *testing.T) {
			t.Parallel()
			d := runDemo(t, sandbox.New(sandbox.Config{Seed: 7, Products: 60, UnitWeight: weight, Tame: true}))
			d.shop.ForgetLog()
			var asking sync.WaitGroup
			for n := range 50 {
				asking.Go(func() {
					e := exchange{crowdQuestion(d.shop.Books(), n), n%2 == 0}
					if answer, err := askOne(t, d, e); err != nil || answer == "" {
						t.Errorf("%v: answered %q: %v", e, answer, err)
					}
				})
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
				t.Errorf("%d calls, %d of them stock reports, put no strain on the pace", len(calls), stockCalls(calls))
			}
		})
	}
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

// crowdQuestion is the n-th of a crowd: some ask the same, others for periods and products of their own.
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
