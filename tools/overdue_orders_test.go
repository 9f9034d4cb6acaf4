package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
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

// Orders without a status are included, whatever the upstream does with them in a "!=" filter.
func TestOverdueOrdersMatchBooks(t *testing.T) {
	today := time.Date(2026, 11, 21, 0, 0, 0, 0, moysklad.Moscow)
	for seed, keepsEmpty := range map[int64]bool{1: false, 2: true, 3: false} {
		config := sandbox.Config{Seed: seed, Products: 1000, Switches: sandbox.Switches{NotEqualKeepsEmpty: keepsEmpty}}
		inShop(t, config, func(t *testing.T, s *shop) {
			got, result := ask[overdueOrdersResult](s, "overdue_orders", `{"limit": 1000}`)
			want := bookOverdue(s.Books(), today, isFinal)
			var sum, shipped sandbox.Amount
			stateless := 0
			for _, o := range want {
				sum, shipped = sum+o.Sum, shipped+o.Shipped()
				if o.State == nil {
					stateless++
				}
			}
			if stateless == 0 || len(got.Rows) != len(want) || got.Totals.Orders != len(want) || got.Totals.WithoutStatus != stateless {
				t.Fatalf("%d rows, totals %+v; the books have %d orders, %d without status", len(got.Rows), got.Totals, len(want), stateless)
			}
			if text(got.Totals.Sum) != amountOf(sum) || text(got.Totals.ShippedSum) != amountOf(shipped) ||
				text(got.Totals.UnshippedSum) != amountOf(sum-shipped) {
				t.Errorf("totals %+v, the books have %s and %s", got.Totals, amountOf(sum), amountOf(shipped))
			}
			for _, row := range got.Rows {
				compareOverdue(t, row, want[row.OrderID], today)
			}
			if n := result.note(NoStatusIncluded); n == nil || n.Values["count"] != fmt.Sprint(stateless) {
				t.Errorf("note %+v, want %d without status", n, stateless)
			}
			if result.UpstreamCalls > 5 {
				t.Errorf("%d calls", result.UpstreamCalls)
			}
		})
	}
}

func compareOverdue(t *testing.T, row overdueOrdersRow, order *sandbox.Document, today time.Time) {
	t.Helper()
	if order == nil {
		t.Errorf("order %s is not overdue", row.Number)
		return
	}
	state := ""
	if row.State != nil {
		state = *row.State
	}
	want := ""
	if order.State != nil {
		want = order.State.Name
	}
	days := 0
	for order.Planned.Before(today.AddDate(0, 0, -days)) {
		days++
	}
	if state != want || text(row.Sum) != amountOf(order.Sum) || text(row.ShippedSum) != amountOf(order.Shipped()) ||
		row.Counterparty == nil || *row.Counterparty != order.Agent.Name || row.PlannedAt != dayOf(order.Planned.Truncate(time.Minute).In(moysklad.Moscow)) ||
		int(row.DaysOverdue) != days {
		t.Errorf("%+v\nis not %s, %q, %s, planned %s, %d days", row, order.Name, want, amountOf(order.Sum), order.Planned, days)
	}
}

// An order planned for 23:59 becomes overdue at midnight in Moscow, not at midnight in UTC.
func TestOrdersGetOverdueAtMidnightInMoscow(t *testing.T) {
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
		if !strings.Contains(wrong.Error(), "Продан") || !slices.Contains(wrong.Candidates(), "Отменён") {
			t.Errorf("%v, candidates %v", wrong, wrong.Candidates())
		}
		if wrong := s.mustRefuse("overdue_orders", `{"as_of": "вчера"}`); !strings.Contains(wrong.Error(), "вчера") {
			t.Error(wrong)
		}
	})
}

// The sums of a document are in its own currency. It has a rate only if the rate is not 1.
func TestSumsAreInAccountCurrency(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, WithoutAttacks: true}, func(t *testing.T, s *shop) {
		var order *sandbox.Document
		for _, o := range s.Books().Documents[sandbox.CustomerOrder] {
			if o.Channel != nil && o.Posted() && len(o.Followers) == 0 && !o.Planned.IsZero() && o.State != nil && o.State.Name == "Новый" &&
				o.Planned.Before(noon.AddDate(0, 0, -1)) {
				order = o
			}
		}
		if order == nil {
			t.Fatal("the books have no overdue order")
		}
		order.Currency = s.Books().Currencies[1]
		want := moneyOf(order.Sum.Kopecks().Mul(decimal.New(order.Currency.Rate, -3))).String()
		overdue, _ := ask[overdueOrdersResult](s, "overdue_orders", `{"limit": 1000}`)
		for _, row := range overdue.Rows {
			if row.OrderID == order.ID && text(row.Sum) != want {
				t.Errorf("overdue for %s, want %s", text(row.Sum), want)
			}
		}
		trade, _ := ask[reconcileShipmentsResult](s, "reconcile_shipments",
			`{"from": "2026-10-01", "to": "2026-11-21", "grace_days": 0, "limit": 1000}`)
		found := false
		for _, row := range trade.NotShipped {
			if *row.OrderID == order.ID {
				found = true
				if text(row.OrderSum) != want {
					t.Errorf("not shipped for %s, want %s", text(row.OrderSum), want)
				}
			}
		}
		if !found {
			t.Error("the order is not among those that were not shipped")
		}
	})
}
