package spend

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
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
			u.Run(ended, func(err error) { t.Error(err) })
		}
		now = now.Add(time.Minute)
		one.Add("ours", "key", "openai/b", told, nil, "")
		one.Run(ended, func(err error) { t.Error(err) })
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

// The answer to a COMMIT can be lost after the COMMIT was carried out.
func TestWriteWithoutAnswerCountsOnce(t *testing.T) {
	t.Parallel()
	url := databasetest.PostgresURL(t)
	config, err := pgx.ParseConfig(url)
	must(t, err)
	direct, err := database.Open(t.Context(), url)
	must(t, err)
	defer direct.Close()
	databasetest.Exec(t, direct.DB, `
		CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
		CREATE CONSTRAINT TRIGGER held AFTER INSERT ON model_usage DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold()`)
	link := databasetest.Forward(t, "unix", filepath.Join(config.Host, ".s.PGSQL.5432"))
	linked, err := database.Open(t.Context(), fmt.Sprintf("postgres://%s@%s/%s", config.User, link.Address(), config.Database))
	must(t, err)
	defer linked.Close()
	isTrue := func(query string) (is bool) {
		must(t, direct.QueryRowContext(t.Context(), query).Scan(&is))
		return is
	}

	u := NewStore(linked.DB, time.Now)
	cost := FromUnits(2)
	u.Add("ours", "key", "openai/a", Counts{Requests: 1}, &cost, "USD")
	hold, err := direct.BeginTx(t.Context(), nil)
	must(t, err)
	_, err = hold.ExecContext(t.Context(), `SELECT pg_advisory_xact_lock(1)`)
	must(t, err)
	ctx, end := context.WithCancel(t.Context())
	written := make(chan error)
	go func() { written <- u.write(ctx) }()
	for !isTrue(`SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`) {
		runtime.Gosched()
	}
	link.Cut()
	must(t, hold.Rollback())
	for !isTrue(`SELECT count(*) > 0 FROM model_usage`) {
		runtime.Gosched()
	}
	end()
	if err := <-written; !errors.Is(err, database.ErrMaybeCommitted) {
		t.Fatalf("the answer was not lost: %v", err)
	}
	link.Heal()

	u.Add("ours", "key", "openai/a", Counts{Requests: 1}, &cost, "USD")
	must(t, u.write(t.Context()))
	if !isTrue(`SELECT (SELECT sum(requests) FROM model_usage) = 2 AND (SELECT sum(units) FROM model_costs) = 4`) {
		t.Error("the batch was counted twice or not at all")
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
