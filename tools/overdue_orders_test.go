package tools

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// bookOverdue returns the overdue orders in the books, by id.
func bookOverdue(b *sandbox.Books, day time.Time, done func(*sandbox.State) bool) map[string]*sandbox.Document {
	found := map[string]*sandbox.Document{}
	for _, o := range b.Documents[sandbox.CustomerOrder] {
		late := !o.Planned.IsZero() && o.Planned.Before(day)
		shipped := o.Sum > 0 && o.Shipped() >= o.Sum
		if o.Posted() && late && !shipped && (o.State == nil || !done(o.State)) {
			found[o.ID] = o
		}
	}
	return found
}

func isFinal(s *sandbox.State) bool { return s.Type == "Successful" || s.Type == "Unsuccessful" }

// An order planned for 23:59 becomes overdue at midnight in Moscow, not at midnight in UTC.
func TestOrdersBecomeOverdueAtMidnightInMoscow(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		var planned time.Time
		for _, o := range bookOverdue(s.Books(), noon, isFinal) {
			if o.Planned.Hour() == 23 && o.Planned.Minute() == 59 {
				planned = o.Planned
			}
		}
		if planned.IsZero() {
			t.Fatal("the books have no order planned for 23:59")
		}
		overdueOn := func(at time.Time) int {
			got, _ := ask[overdueOrdersResult](s, "overdue_orders", fmt.Sprintf(`{"as_of": %q, "limit": 1000}`, at.Format(time.RFC3339)))
			return len(slices.DeleteFunc(got.Rows, func(r overdueOrdersRow) bool { return r.PlannedAt != dayOf(planned.In(moysklad.Moscow)) }))
		}
		if last, next := overdueOn(planned.UTC()), overdueOn(planned.Add(time.Minute).UTC()); last != 0 || next == 0 {
			t.Errorf("%d overdue in the last minute of the day, %d in the next", last, next)
		}
	})
}

func TestDoneStatesCanBeNamed(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		got, _ := ask[overdueOrdersResult](s, "overdue_orders", `{"done_states": ["новый", "Отменён"], "limit": 1000}`)
		want := bookOverdue(s.Books(), time.Date(2026, 11, 21, 0, 0, 0, 0, moysklad.Moscow), func(s *sandbox.State) bool {
			return s.Name == "Новый" || s.Name == "Отменён"
		})
		if len(want) == 0 || len(got.Rows) != len(want) {
			t.Errorf("%d orders, the books have %d", len(got.Rows), len(want))
		}
		wrong := s.mustRefuse("overdue_orders", `{"done_states": ["Новый", "Продан"]}`)
		if !strings.Contains(wrong.Error(), "Продан") || !slices.Contains(wrong.Choices(), "Отменён") {
			t.Errorf("%v, candidates %v", wrong, wrong.Choices())
		}
		if wrong := s.mustRefuse("overdue_orders", `{"as_of": "вчера"}`); !strings.Contains(wrong.Error(), "вчера") {
			t.Error(wrong)
		}
	})
}

// Whether an order with a sum of 0 is shipped is unknown. What was shipped for it must not reduce the sum that is left.
func TestOrderWithoutSumReducesNothing(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		found := false
		for _, order := range bookOverdue(s.Books(), noon, isFinal) {
			if order.Shipped() > 0 {
				found, order.Sum = true, 0
				break
			}
		}
		s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), truth.View{})).check("overdue_orders")
		if !found {
			t.Error("the books have no overdue order that is shipped in part")
		}
	})
}

// The sums of a document are in its own currency. It has a rate only if the rate is not 1.
func TestSumsAreInAccountCurrency(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, WithoutAttacks: true}, func(t *testing.T, s *shop) {
		for _, order := range bookOverdue(s.Books(), noon, isFinal) {
			order.Currency = s.Books().Currencies[1]
		}
		h := s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), truth.View{}))
		h.check("overdue_orders")
		h.check("reconcile_shipments")
	})
}

// Orders are read in two lists, those without a status first. An order that moves from one list to the other meanwhile
// must be counted once.
func TestOrderWhoseStatusChangesMeanwhileIsCountedOnce(t *testing.T) {
	for name, move := range map[string]func(books *sandbox.Books, order *sandbox.Document){
		"gets a status": func(books *sandbox.Books, order *sandbox.Document) {
			order.State = books.States[sandbox.CustomerOrder][0]
		},
		"loses its status": func(_ *sandbox.Books, order *sandbox.Document) { order.State = nil },
	} {
		t.Run(name, func(t *testing.T) {
			var change func()
			inShopThrough(t, sandbox.Config{Seed: 1}, func(asked *url.URL, _ map[string]any) {
				if strings.HasSuffix(asked.Path, "/entity/customerorder") && change != nil {
					change()
					change = nil
				}
			}, func(t *testing.T, s *shop) {
				orders := bookOverdue(s.Books(), noon, isFinal)
				var moved *sandbox.Document
				for _, order := range orders {
					if (order.State == nil) == (name == "gets a status") {
						moved = order
					}
				}
				change = func() {
					move(s.Books(), moved)
					moved.Updated = s.clock()
				}
				got, _ := ask[overdueOrdersResult](s, "overdue_orders", `{"limit": 1000}`)
				times := 0
				for _, row := range got.Rows {
					if row.OrderID == moved.ID {
						times++
					}
				}
				if times != 1 || got.Totals.Orders != len(orders) {
					t.Errorf("the order is listed %d times among %d, want once among %d", times, got.Totals.Orders, len(orders))
				}
			})
		})
	}
}
