package digests

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/keystest"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/clocktest"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// office is an organization with one webhook, a clock and a scripted answer.
type office struct {
	*testing.T
	db      *sql.DB
	keys    *keys.Store
	store   *Store
	out     *webhooks.Store
	who     keys.Caller
	webhook webhooks.Webhook

	clock *clocktest.Clock

	mu    sync.Mutex
	asked int
	fails error
}

// began is a Monday, 8:00 in Moscow.
var began = time.Date(2026, 11, 2, 5, 0, 0, 0, time.UTC)

func open(t *testing.T, db *sql.DB) *office {
	t.Helper()
	o := &office{T: t, db: db, clock: clocktest.At(began)}
	o.keys = keys.NewStore(db, keystest.MasterKey(), o.clock.Now)
	o.out = webhooks.NewStore(db, o.keys, o.clock.Now)
	o.store = NewStore(db, o.keys, o.out, o.clock.Now)
	o.who = keys.Caller{KeyID: "key", OrganizationID: o.organization("Shop")}
	var err error
	o.webhook, _, err = o.out.Add(t.Context(), o.who, "https://example.com/hook", nil)
	o.must(err)
	return o
}

func (o *office) organization(name string) string {
	o.Helper()
	made, err := o.keys.CreateOrganization(o.Context(), keys.Caller{KeyID: "test", Operator: true}, name)
	o.must(err)
	return made.ID
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) runner() *Runner {
	return NewRunner(o.store, func(_ context.Context, organizationID, keyID, connectionID, question string) (Answer, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.asked++
		if organizationID != o.who.OrganizationID || keyID != o.who.KeyID || connectionID != "c" || question != "Сколько денег?" {
			o.Errorf("asked %q of %q under %q about %q", question, organizationID, keyID, connectionID)
		}
		return Answer{"Денег 1 234,56 ₽", "session"}, o.fails
	}, slog.New(slog.NewTextHandler(o.Output(), nil)))
}

func (o *office) digest(cron string) Digest {
	o.Helper()
	d, err := o.store.Add(o.Context(), o.who, NewDigest{Question: "Сколько денег?", Cron: cron, ConnectionID: "c"})
	o.must(err)
	return d
}

func (o *office) step(a *Runner) {
	o.Helper()
	o.must(a.RunDue(o.Context()))
}

func (o *office) deliveries() []webhooks.Delivery {
	o.Helper()
	all, _, err := o.out.Deliveries(o.Context(), o.who.OrganizationID, o.webhook.ID, database.Page{Limit: 100})
	o.must(err)
	described, err := check.NewDocument(schemas.OpenAPI())
	o.must(err)
	message, err := described.At("/components/schemas/DigestMessage")
	o.must(err)
	for _, d := range all {
		for _, p := range message.Problems(d.Message) {
			o.Errorf("the message does not match the document: %v in %s", p, d.Message)
		}
	}
	return all
}

func TestDigestRunsAtItsTimeAndIsSentOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := open(t, db)
		d := o.digest("0 9 * * *")
		if want := began.Add(time.Hour); !d.NextAt.Equal(want) {
			t.Fatalf("due at %s, want 9:00 in Moscow, %s", d.NextAt, want)
		}
		a := o.runner()
		o.step(a)
		o.clock.Set(began.Add(59 * time.Minute))
		o.step(a)
		if o.asked != 0 {
			t.Fatal("asked before its time")
		}
		o.clock.Set(began.Add(time.Hour))
		o.step(a)
		o.step(a)
		all := o.deliveries()
		if len(all) != 1 || all[0].Event != webhooks.DigestAnswered {
			t.Fatalf("sent %d messages", len(all))
		}
		var m struct{ Data message }
		o.must(json.Unmarshal(all[0].Message, &m))
		want := message{DigestID: d.ID, Question: d.Question, DueAt: began.Add(time.Hour), ConnectionID: "c", SessionID: "session",
			Answer: "Денег 1 234,56 ₽"}
		if m.Data != want {
			t.Errorf("sent %+v, want %+v", m.Data, want)
		}
		d, err := o.store.Get(t.Context(), o.who.OrganizationID, d.ID)
		o.must(err)
		if !d.NextAt.Equal(began.Add(25*time.Hour)) || !d.LastAt.Equal(began.Add(time.Hour)) || *d.LastSessionID != "session" {
			t.Errorf("planned %+v", d)
		}
	})
}

func TestMissedTimesRunOnce(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	o.digest("0 9 * * *")
	o.clock.Set(began.Add(73 * time.Hour))
	a := o.runner()
	o.step(a)
	o.step(a)
	if o.asked != 1 || len(o.deliveries()) != 1 {
		t.Errorf("asked %d times, sent %d", o.asked, len(o.deliveries()))
	}
}

func TestReplicasAnswerADigestOnce(t *testing.T) {
	o := open(t, databasetest.Postgres(t))
	for range 8 {
		o.digest("0 9 * * *")
	}
	o.clock.Set(began.Add(2 * time.Hour))
	runners := []*Runner{o.runner(), o.runner(), o.runner()}
	for range 4 {
		var all sync.WaitGroup
		for _, a := range runners {
			all.Go(func() {
				if err := a.RunDue(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if o.asked != 8 || len(o.deliveries()) != 8 {
		t.Errorf("asked %d times, sent %d, want 8 of each", o.asked, len(o.deliveries()))
	}
}

func TestDigestInterruptedByCrashRunsAgain(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	o.digest("0 9 * * *")
	o.clock.Set(began.Add(time.Hour))
	crashed := o.runner()
	late, err := crashed.tasks.Claim(t.Context(), 1)
	o.must(err)
	o.step(o.runner())
	if o.asked != 0 {
		t.Fatal("asked while another process has the lease")
	}
	o.clock.Set(began.Add(time.Hour + lease))
	o.step(o.runner())
	// If the first process did not crash but was slow, its late answer is discarded.
	o.must(o.store.settle(t.Context(), late[0], Answer{Text: "late"}, nil))
	if all := o.deliveries(); len(all) != 1 {
		t.Errorf("sent %d times", len(all))
	}
}

func TestFailureIsSentAfterTheLastAttempt(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	d := o.digest("0 9 * * *")
	o.fails = errors.New("The upstream did not answer")
	a := o.runner()
	for i := range maxAttempts {
		if len(o.deliveries()) != 0 {
			t.Fatalf("sent before attempt %d", i+1)
		}
		o.clock.Set(began.Add(time.Hour + time.Duration(i)*retryDelay))
		o.step(a)
		o.step(a)
	}
	all := o.deliveries()
	if len(all) != 1 || all[0].Event != webhooks.DigestFailed || o.asked != maxAttempts {
		t.Fatalf("asked %d times, sent %d messages", o.asked, len(all))
	}
	d, err := o.store.Get(t.Context(), o.who.OrganizationID, d.ID)
	o.must(err)
	if d.LastProblem == nil || *d.LastProblem != o.fails.Error() || !d.NextAt.Equal(began.Add(25*time.Hour)) {
		t.Errorf("digest %+v", d)
	}
}

func TestDigestCanBeRunNowAndDeleted(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	d := o.digest("0 9 1 * *")
	_, err := o.store.RunNow(t.Context(), o.who.OrganizationID, d.ID)
	o.must(err)
	o.step(o.runner())
	if len(o.deliveries()) != 1 {
		t.Errorf("sent %d", len(o.deliveries()))
	}
	stranger := keys.Caller{KeyID: "other", OrganizationID: "another"}
	if err := o.store.Delete(t.Context(), stranger, d.ID); !errors.Is(err, keys.ErrNotFound) {
		t.Errorf("another organization deletes the digest: %v", err)
	}
	o.must(o.store.Delete(t.Context(), o.who, d.ID))
	o.clock.Set(began.AddDate(0, 2, 0))
	o.step(o.runner())
	if o.asked != 1 {
		t.Error("asked after the digest was deleted")
	}
}

func TestInvalidSchedulesAreRefused(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	for _, n := range []NewDigest{
		{Question: "", Cron: "0 9 * * *"},
		{Question: "q", Cron: ""},
		{Question: "q", Cron: "0 9 * *"},
		{Question: "q", Cron: "61 9 * * *"},
		{Question: "q", Cron: "@daily"},
		{Question: "q", Cron: "TZ=0"},
		{Question: "q", Cron: "CRON_TZ=Europe/Moscow 0 9 * * *"},
		{Question: "q", Cron: "*/5 * * * *"},
		{Question: "q", Cron: "30,0 20 * * *"}, // the first gap, after 20:30, is almost a day, but the second is half an hour
		{Question: "q", Cron: "0,59 8 * * *"},
		{Question: "q", Cron: "15,45 3 1 1 *"},
		{Question: "q", Cron: "0 9 30 2 *"},
		{Question: "q", Cron: "0 9 * * *", TimeZone: "Moscow"},
		{Question: "q", Cron: "0 9 * * *", TimeZone: "Local"},
	} {
		var wrong *check.InvalidError
		if _, err := o.store.Add(t.Context(), o.who, n); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v", n, err)
		}
	}
	for range maxDigests {
		o.digest("30 8 * * 1-5")
	}
	var wrong *check.InvalidError
	if _, err := o.store.Add(t.Context(), o.who, NewDigest{Question: "q", Cron: "0 9 * * *"}); !errors.As(err, &wrong) {
		t.Errorf("digest after the first %d: %v", maxDigests, err)
	}
}

func TestErrorNamesTheWrongFieldOfASchedule(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	for cron, want := range map[string][2]string{
		"61 9 * * *": {`cron has "61" as its minute, which must be 0 to 59, or several with , - / and *`,
			"указано «61», а в поле «минута» может быть от 0 до 59 или несколько значений со знаками , - / и *"},
		"0 9 * * 1-7":        {`cron has "1-7" as its day of the week, which must be 0 (Sunday) to 6, or several with , - / and *`, "«день недели»"},
		"TZ=Local 9 * * *":   {`cron has "TZ=Local" as its minute`, "«минута»"},
		"0 9 * *":            {`cron must be five fields of cron such as "0 9 * * *", got "0 9 * *"`, "из пяти полей"},
		"* * * * * * * 61 *": {`cron must be five fields of cron`, "из пяти полей"},
	} {
		_, err := o.store.Add(t.Context(), o.who, NewDigest{Question: "q", Cron: cron})
		wrong, is := errors.AsType[*check.InvalidError](err)
		if !is || !strings.Contains(err.Error(), want[0]) || !strings.Contains(wrong.Problems[0].In("ru"), want[1]) {
			t.Errorf("%s: %v, want %s", cron, err, want)
		}
	}
}

// A digest that was stored when Add did not yet check the whole next year still runs.
func TestStoredFrequentScheduleStillRuns(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	d := o.digest("30 20 * * *")
	databasetest.Exec(t, o.db, `UPDATE digests SET cron = '30,0 20 * * *'`)
	o.clock.Set(d.NextAt.Add(time.Second))
	o.step(o.runner())
	d, err := o.store.Get(t.Context(), o.who.OrganizationID, d.ID)
	o.must(err)
	if len(o.deliveries()) != 1 || d.NextAt == nil || !d.NextAt.After(o.clock.Now()) {
		t.Errorf("sent %d times, planned for %v", len(o.deliveries()), d.NextAt)
	}
}

func TestDigestStopsAfterRepeatedFailures(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := open(t, db)
		d := o.digest("0 9 * * *")
		o.fails = errors.New("The key that made it is gone.")
		a := o.runner()
		for day := range 2 * maxFailures {
			for try := range maxAttempts {
				o.clock.Set(began.Add(time.Hour + time.Duration(day)*24*time.Hour + time.Duration(try)*retryDelay))
				o.step(a)
			}
		}
		d, err := o.store.Get(t.Context(), o.who.OrganizationID, d.ID)
		o.must(err)
		why := o.fails.Error() + " Не удалось ответить несколько раз подряд (5)"
		if o.asked != maxFailures*maxAttempts || d.StoppedAt == nil || d.NextAt != nil || !strings.Contains(*d.LastProblem, why) {
			t.Fatalf("asked %d times, %+v", o.asked, d)
		}
		all := o.deliveries()
		var last struct{ Data message }
		o.must(json.Unmarshal(all[0].Message, &last))
		if len(all) != maxFailures || all[0].Event != webhooks.DigestFailed || !last.Data.Stopped || last.Data.Problem != *d.LastProblem {
			t.Errorf("sent %d times, at last %+v", len(all), last.Data)
		}
		o.fails = nil
		d, err = o.store.RunNow(t.Context(), o.who.OrganizationID, d.ID)
		o.must(err)
		o.step(a)
		if d, err = o.store.Get(t.Context(), o.who.OrganizationID, d.ID); err != nil || d.StoppedAt != nil || d.LastProblem != nil || d.NextAt == nil {
			t.Errorf("run manually: %+v, %v", d, err)
		}
	})
}

func TestDigestWithoutFutureTimeStops(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	d := o.digest("0 9 * * *")
	databasetest.Exec(t, o.db, `UPDATE digests SET time_zone = 'Gone/Zone'`)
	o.clock.Set(began.Add(time.Hour))
	o.step(o.runner())
	o.clock.Set(began.Add(3 * time.Hour))
	o.step(o.runner())
	d, err := o.store.Get(t.Context(), o.who.OrganizationID, d.ID)
	o.must(err)
	if o.asked != 1 || len(o.deliveries()) != 1 || d.StoppedAt == nil || !strings.Contains(*d.LastProblem, "По расписанию") {
		t.Errorf("asked %d times, sent %d, %+v", o.asked, len(o.deliveries()), d)
	}
}

// An answer may take minutes, so one organization must not take all places.
func TestDigestsOfOneOrganizationLeaveRoomForOthers(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := open(t, db)
		for range maxDigests {
			o.digest("0 9 * * *")
		}
		o.clock.Set(began.Add(time.Hour))
		other := keys.Caller{KeyID: "other", OrganizationID: o.organization("Another")}
		late, err := o.store.Add(t.Context(), other, NewDigest{Question: "q", Cron: "30 9 * * *", ConnectionID: "c"})
		o.must(err)
		o.clock.Set(began.Add(2 * time.Hour))
		a := o.runner()
		claimed, err := a.tasks.Claim(t.Context(), maxRunning)
		o.must(err)
		ours := 0
		for _, d := range claimed {
			if d.ID != late.ID {
				ours++
			}
		}
		if ours != maxRunningPerOrganization || len(claimed) != maxRunningPerOrganization+1 {
			t.Errorf("%d digests are claimed, %d of them for the first organization", len(claimed), ours)
		}
		if again, err := a.tasks.Claim(t.Context(), maxRunning); err != nil || len(again) != 0 {
			t.Errorf("%d more are claimed meanwhile, %v", len(again), err)
		}
	})
}

func TestPanicFailsOnlyItsDigest(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	d := o.digest("0 9 * * *")
	var log bytes.Buffer
	a := NewRunner(o.store, func(context.Context, string, string, string, string) (Answer, error) { panic("unforeseen") },
		slog.New(slog.NewTextHandler(&log, nil)))
	for i := range maxAttempts {
		o.clock.Set(began.Add(time.Hour + time.Duration(i)*retryDelay))
		o.step(a)
	}
	d, err := o.store.Get(t.Context(), o.who.OrganizationID, d.ID)
	o.must(err)
	if d.LastProblem == nil || strings.Contains(*d.LastProblem, "unforeseen") || strings.Count(log.String(), "unforeseen") < maxAttempts {
		t.Errorf("digest %+v\n%s", d, log.String())
	}
}
