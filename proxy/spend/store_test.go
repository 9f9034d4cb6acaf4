package spend

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// What was added on any replica is counted exactly once, in the hour in which it was added.
func TestUsageIsSummedPerHourAcrossReplicas(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		now := time.Date(2026, 11, 21, 14, 59, 0, 0, time.UTC)
		clock := func() time.Time { return now }
		one, two := NewStore(db, clock), NewStore(db, clock)
		told := Counts{Requests: 1, PromptTokens: 10, CompletionTokens: 5}
		for range 3 {
			one.Add("ours", "key", "openai/a", told, nil, "")
			two.Add("ours", "key", "openai/a", Counts{Requests: 1, Failed: 1, Uncounted: 1}, nil, "")
		}
		two.Add("theirs", "key", "openai/a", told, nil, "")
		ended, end := context.WithCancel(t.Context())
		end()
		for _, u := range []*Store{one, two, one} { // the last write has nothing new
			must(t, u.Run(ended))
		}
		now = now.Add(time.Minute)
		one.Add("ours", "key", "openai/b", told, nil, "")
		must(t, one.Run(ended))
		first, next, err := two.List(t.Context(), "ours", database.Page{Limit: 1})
		must(t, err)
		second, last, err := two.List(t.Context(), "ours", database.Page{Limit: 1, Cursor: next})
		want := []HourlyUse{
			{now, "key", "openai/b", told},
			{now.Add(-time.Hour), "key", "openai/a", Counts{Requests: 6, Failed: 3, Uncounted: 3, PromptTokens: 30, CompletionTokens: 15}},
		}
		if different := cmp.Diff(want, append(first, second...)); different != "" || last != "" || err != nil {
			t.Errorf("%s, next %q, %v", different, last, err)
		}
	})
}

// Nothing is lost when a write fails.
func TestFailedWriteIsRetried(t *testing.T) {
	db := databasetest.SQLite(t)
	u := NewStore(db, time.Now)
	u.Add("ours", "key", "openai/a", Counts{Requests: 1}, nil, "")
	ended, end := context.WithCancel(t.Context())
	end()
	if u.write(ended) == nil {
		t.Fatal("it was written when the context had ended")
	}
	u.Add("ours", "key", "openai/a", Counts{Requests: 1}, nil, "")
	must(t, u.write(t.Context()))
	got, _, err := u.List(t.Context(), "ours", database.Page{})
	if err != nil || len(got) != 1 || got[0].Requests != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Money is summed exactly across replicas, hours and keys, each currency separately.
func TestMoneyIsSummedExactly(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		now := time.Date(2026, 11, 21, 14, 59, 0, 0, time.UTC)
		stores := []*Store{NewStore(db, func() time.Time { return now }), NewStore(db, func() time.Time { return now.Add(20 * time.Hour) })}
		cost := FromDecimal(decimal.RequireFromString("0.700000000001"))
		euros := FromUnits(2)
		for range 3 {
			for i, l := range stores {
				l.Add("ours", fmt.Sprint("key", i), "a", Counts{Requests: 1}, &cost, "USD")
				must(t, l.write(t.Context()))
			}
		}
		stores[0].Add("ours", "key0", "b", Counts{Requests: 1, Unpriced: 1}, nil, "")
		stores[0].Add("ours", "key0", "a", Counts{Requests: 1}, &euros, "EUR")
		stores[0].Add("theirs", "key", "a", Counts{Requests: 1}, &euros, "EUR")
		must(t, stores[0].write(t.Context()))
		for by, want := range map[string][]ReportLine{
			ByDay: {
				{Day: "2026-11-22", Money: map[string]string{"USD": "2.100000000003"}, Counts: Counts{Requests: 3}},
				{Day: "2026-11-21", Money: map[string]string{"USD": "2.100000000003", "EUR": "2"}, Counts: Counts{Requests: 5, Unpriced: 1}},
			},
			ByModel: {
				{Model: "a", Money: map[string]string{"USD": "4.200000000006", "EUR": "2"}, Counts: Counts{Requests: 7}},
				{Model: "b", Money: map[string]string{}, Counts: Counts{Requests: 1, Unpriced: 1}},
			},
		} {
			got, err := stores[1].Report(t.Context(), "ours", now.Truncate(24*time.Hour), now.Add(48*time.Hour), []string{by})
			if different := cmp.Diff(want, got); different != "" || err != nil {
				t.Errorf("by %s: %s %v", by, different, err)
			}
		}
		all, err := stores[1].Report(t.Context(), "", now.Truncate(24*time.Hour), now.Add(48*time.Hour), []string{ByOrganization})
		want := []ReportLine{
			{OrganizationID: "ours", Money: map[string]string{"USD": "4.200000000006", "EUR": "2"}, Counts: Counts{Requests: 8, Unpriced: 1}},
			{OrganizationID: "theirs", Money: map[string]string{"EUR": "2"}, Counts: Counts{Requests: 1}},
		}
		if different := cmp.Diff(want, all); different != "" || err != nil {
			t.Errorf("of all: %s %v", different, err)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
