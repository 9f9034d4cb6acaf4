package agent

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/clocktest"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
)

func userMessages(words ...string) (messages []Message) {
	for _, w := range words {
		messages = append(messages, Message{Role: "user", Content: w})
	}
	return messages
}

// Only one replica at a time has the turn, and each sees the messages that the previous one saved.
func TestTurnsOfSessionRunOneAtATime(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		who := organization(t, db, "org-1")
		session, first, err := NewStore(db, time.Now).create(t.Context(), who, "?", nil)
		must(t, err)
		var running atomic.Int32
		var together sync.WaitGroup
		for range 6 {
			together.Go(func() {
				replica := NewStore(db, time.Now)
				turn, err := replica.takeTurn(t.Context(), "org-1", session.ID)
				if err != nil {
					t.Error(err)
					return
				}
				if n := running.Add(1); n > 1 {
					t.Errorf("%d have the turn", n)
				}
				before, _, err := replica.Messages(t.Context(), "org-1", session.ID, database.Page{Limit: 100})
				if err != nil {
					t.Error(err)
				}
				running.Add(-1)
				if err := turn.save(t.Context(), "key-org-1", place{}, userMessages(fmt.Sprint(len(before)))); err != nil {
					t.Error(err)
				}
			})
		}
		must(t, first.save(t.Context(), "key-org-1", place{}, userMessages("0")))
		together.Wait()
		stored, _, err := NewStore(db, time.Now).Messages(t.Context(), "org-1", session.ID, database.Page{Limit: 100})
		if err != nil || len(stored) != 7 {
			t.Fatalf("stored %d messages, %v", len(stored), err)
		}
		for i, m := range stored {
			if m.Content != fmt.Sprint(i) {
				t.Errorf("message %d was saved when there were %s", i, m.Content)
			}
		}
	})
}

// A replica that was suspended for longer than its lease saves nothing if another one has continued the session.
func TestLostTurnSavesNothing(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		clock := clocktest.At(testTime)
		store := NewStore(db, clock.Now)
		session, lost, err := store.create(t.Context(), organization(t, db, "org-1"), "?", nil)
		must(t, err)
		if other, err := store.tryTurn(t.Context(), "org-1", session.ID); err != nil || other != nil {
			t.Fatalf("the turn was taken twice: %v, %v", other, err)
		}
		clock.Advance(turnLease)
		current, err := store.takeTurn(t.Context(), "org-1", session.ID)
		must(t, err)
		for name, attempt := range map[string]func() error{
			"renewed": func() error { return lost.renew(t.Context()) },
			"saved":   func() error { return lost.save(t.Context(), "key-org-1", place{}, userMessages("late")) },
		} {
			if err := attempt(); !errors.Is(err, ErrSessionBusy) {
				t.Errorf("the lost turn was %s: %v, want ErrSessionBusy", name, err)
			}
		}
		lost.release(t.Context())
		if err := errors.Join(current.renew(t.Context()), current.save(t.Context(), "key-org-1", place{}, userMessages("in time"))); err != nil {
			t.Errorf("the new turn: %v", err)
		}
		if stored, _, err := store.Messages(t.Context(), "org-1", session.ID, database.Page{Limit: 100}); err != nil || len(stored) != 1 || stored[0].Content != "in time" {
			t.Errorf("stored %v, %v", stored, err)
		}
	})
}

// A replica whose clock was a day ahead does not block a session for a day.
func TestLeaseTooFarInTheFutureIsIgnored(t *testing.T) {
	db := databasetest.SQLite(t)
	clock := clocktest.At(testTime)
	store := NewStore(db, clock.Now)
	clock.Advance(24 * time.Hour)
	session, _, err := store.create(t.Context(), organization(t, db, "org-1"), "?", nil)
	must(t, err)
	clock.Advance(-24 * time.Hour)
	if turn, err := store.tryTurn(t.Context(), "org-1", session.ID); err != nil || turn == nil {
		t.Errorf("%v, %v", turn, err)
	}
}

// A question waits for the answer to the previous one and sees it. If it waits longer than Store.Patience, it fails.
func TestQuestionWaitsForTheOneBefore(t *testing.T) {
	pieces := make(chan string)
	server := agenttest.Serve(t, agenttest.Say("Здравствуйте."), agenttest.Paced(pieces), agenttest.Say("Да."))
	b := newTestAgent(t, server, alwaysCash)
	first := b.ask(t.Context(), question("Привет"))
	ask := func(text string) answerEvents {
		req := question(text)
		req.SessionID = first.session
		return b.ask(t.Context(), req)
	}
	var asking sync.WaitGroup
	asking.Go(func() {
		if got := ask("Расскажи"); got.err != nil || got.finished == nil {
			t.Errorf("the long answer: %+v", got)
		}
	})
	pieces <- "Сейчас расскажу. "
	b.Sessions.Patience = time.Millisecond
	if got := ask("Ещё?"); !errors.Is(got.err, ErrSessionBusy) {
		t.Errorf("the question that waited too long: %+v", got)
	}
	b.Sessions.Patience = time.Minute
	asking.Go(func() {
		if got := ask("А теперь?"); got.err != nil || !strings.HasPrefix(got.text, "Да.") {
			t.Errorf("the question that waited: %+v", got)
		}
	})
	pieces <- "Вот и всё."
	close(pieces)
	asking.Wait()
	last := server.Requests()[2].Messages
	if !strings.Contains(fmt.Sprint(last), "Вот и всё.") {
		t.Errorf("the waiting question does not see the answer before: %v", last)
	}
}

func TestRunEndsWhenItsTurnIsLost(t *testing.T) {
	begun := make(chan struct{})
	server := agenttest.Serve(t, askCash)
	b := newTestAgent(t, server, func(ctx context.Context, _ string, _ json.RawMessage) (*tools.Result, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	b.Sessions.Lease = 30 * time.Millisecond
	b.Sessions.now = time.Now
	var got answerEvents
	var asking sync.WaitGroup
	asking.Go(func() { got = b.ask(t.Context(), question("Сколько денег?")) })
	<-begun
	if _, err := b.Sessions.db.ExecContext(t.Context(), `UPDATE sessions SET turn_fence = turn_fence + 1`); err != nil {
		t.Fatal(err)
	}
	asking.Wait()
	if !errors.Is(got.err, ErrSessionBusy) {
		t.Errorf("%+v", got)
	}
}

// No table has texts of a session that was deleted or has expired, and a turn that is still running does not bring them
// back.
func TestErasedSessionLeavesNoData(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		clock := clocktest.At(testTime)
		store := NewStore(db, clock.Now)
		who := organization(t, db, "org-1")
		const canary = "канарейка"
		open := func() Session {
			session, turn, err := store.create(t.Context(), who, canary, nil)
			must(t, err)
			stored := userMessages(canary)
			stored[0].Results = []json.RawMessage{json.RawMessage(`{"name":"` + canary + `"}`)}
			must(t, turn.save(t.Context(), "key-org-1", place{}, stored))
			return session
		}
		deleted := open()
		running, err := store.takeTurn(t.Context(), "org-1", deleted.ID)
		must(t, err)
		must(t, store.Delete(t.Context(), "org-1", deleted.ID))
		if err := running.save(t.Context(), "key-org-1", place{}, userMessages(canary)); !errors.Is(err, ErrSessionBusy) {
			t.Errorf("a turn of a deleted session is saved: %v", err)
		}
		for range eraseBatch + 3 {
			open()
		}
		clock.Advance(time.Hour)
		young := clock.Now()
		busy := open()
		if _, err := store.takeTurn(t.Context(), "org-1", busy.ID); err != nil {
			t.Fatal(err)
		}
		forget := func(before time.Time, want int) {
			t.Helper()
			if erased, err := store.eraseUnused(t.Context(), before); err != nil || erased != want {
				t.Errorf("erased %d, %v; want %d", erased, err, want)
			}
		}
		forget(young.Add(time.Second), eraseBatch+3) // all but the one with a running turn
		clock.Advance(turnLease)
		forget(young, 0)
		forget(young.Add(time.Second), 1)
		for _, table := range []string{"sessions", "messages", "drafts", "idempotency", "audit"} {
			if text := tableText(t, db, table); strings.Contains(text, canary) {
				t.Errorf("%s still has texts of the session: %.300s", table, text)
			}
		}
	})
}

func tableText(t *testing.T, db *sql.DB, table string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT * FROM `+table)
	must(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	must(t, err)
	var all strings.Builder
	for rows.Next() {
		row := make([]any, len(columns))
		for i := range row {
			row[i] = new(any)
		}
		must(t, rows.Scan(row...))
		for _, value := range row {
			fmt.Fprintf(&all, "%s ", *value.(*any))
		}
	}
	must(t, rows.Err())
	return all.String()
}

// The model gets the names that an argument could mean, and can quote them.
func TestSuggestedNamesCanBeShown(t *testing.T) {
	const asked = "Какой товар: «Кружка 0.35 л F-160 (00104)» или «Кружка 24 см (00020)»?"
	server := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "stock", Arguments: "{}"}), agenttest.Say(asked))
	b := newTestAgent(t, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) {
		return nil, check.Invalid(anyProblem.At("lines.0.product", "two fit").WithChoices([]string{"Кружка 0.35 л F-160 (00104)", "Кружка 24 см (00020)"}, false))
	})
	if got := b.ask(t.Context(), question("Закажи кружки")); got.err != nil || !strings.HasPrefix(got.text, asked+"\n\n") {
		t.Errorf("%v: %s", got.err, got.text)
	}
}
