package keys

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// Whatever is added on whichever replica is in the sums, once, and by the hour.
func TestUsageIsSummedByTheHourOverReplicas(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		now := time.Date(2026, 11, 21, 14, 59, 0, 0, time.UTC)
		clock := func() time.Time { return now }
		one, two := NewUsage(db, clock), NewUsage(db, clock)
		told := UsageCounts{Requests: 1, PromptTokens: 10, CompletionTokens: 5}
		for range 3 {
			one.Add("ours", "key", "openai/a", told)
			two.Add("ours", "key", "openai/a", UsageCounts{Requests: 1, Failed: 1, Uncounted: 1})
		}
		two.Add("theirs", "key", "openai/a", told)
		ended, end := context.WithCancel(t.Context())
		end()
		for _, u := range []*Usage{one, two, one} { // the last has nothing new
			if err := u.Run(ended); err != nil {
				t.Fatal(err)
			}
		}
		now = now.Add(time.Minute)
		one.Add("ours", "key", "openai/b", told)
		if err := one.Run(ended); err != nil {
			t.Fatal(err)
		}
		first, next, err := two.List(t.Context(), "ours", Page{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		second, last, err := two.List(t.Context(), "ours", Page{Limit: 1, Cursor: next})
		want := []UsageRecord{
			{now, "key", "openai/b", told},
			{now.Add(-time.Hour), "key", "openai/a", UsageCounts{Requests: 6, Failed: 3, Uncounted: 3, PromptTokens: 30, CompletionTokens: 15}},
		}
		if different := cmp.Diff(want, append(first, second...)); different != "" || last != "" || err != nil {
			t.Errorf("%s, next %q, %v", different, last, err)
		}
	})
}

// What could not be written is not lost.
func TestUsageThatCouldNotBeWrittenIsWrittenLater(t *testing.T) {
	db := databasetest.SQLite(t)
	u := NewUsage(db, time.Now)
	u.Add("ours", "key", "openai/a", UsageCounts{Requests: 1})
	ended, end := context.WithCancel(t.Context())
	end()
	if u.write(ended) == nil {
		t.Fatal("it was written when the context had ended")
	}
	u.Add("ours", "key", "openai/a", UsageCounts{Requests: 1})
	if err := u.write(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, _, err := u.List(t.Context(), "ours", Page{})
	if err != nil || len(got) != 1 || got[0].Requests != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}
