package drafts_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// hanging are upstreams that do not answer until release is closed. Each attempt sends its connection on begun.
type hanging struct {
	*shop
	begun   chan string
	release chan struct{}
}

func hang(s *shop) hanging {
	h := hanging{s, make(chan string, 100), make(chan struct{})}
	s.creator.Upstreams = h
	return h
}

func (h hanging) Writer(_ context.Context, _, connectionID string) (*moysklad.Writer, error) {
	h.begun <- connectionID
	<-h.release
	return nil, errors.New("no answer")
}

// confirmed stores confirmed drafts that are due, as after an outage.
func (s *shop) confirmed(connectionID, accountID string, count int) (all []drafts.Draft) {
	s.Helper()
	for range count {
		d, err := s.store.Add(s.Context(), drafts.Owner{Who: s.who, ConnectionID: connectionID, AccountID: accountID}, drafts.Transfer, drafts.Content{})
		must(s, err)
		all = append(all, d)
	}
	_, err := s.db.ExecContext(s.Context(), `UPDATE drafts SET state = 'confirmed', confirmed_at = created_at`)
	must(s, err)
	return all
}

// Otherwise the account's own questions would wait for a long time after an outage, because writes go before reads.
func TestAccountHasFewAttemptsAtOnce(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	h := hang(s)
	all := s.confirmed(s.connection, "a", 10)
	over := make(chan error)
	for _, d := range all {
		go func() { over <- s.creator.Attempt(t.Context(), d) }()
	}
	begun := 0
	for range all {
		select {
		case <-h.begun:
			begun++
		case err := <-over: // not begun
			must(t, err)
		}
	}
	if begun != drafts.AttemptsPerAccount {
		t.Errorf("%d attempts run, want %d", begun, drafts.AttemptsPerAccount)
	}
	close(h.release)
	for range begun {
		<-over
	}
	for _, d := range all {
		_ = s.creator.Attempt(t.Context(), d) // the first ones are not due again yet
	}
	if n := len(h.begun); n != len(all)-begun {
		t.Errorf("then %d attempts were made, want one at each of the other %d drafts", n, len(all)-begun)
	}
}

// Even if all attempts of an account with many confirmed drafts hang, those of other accounts are carried out.
func TestBacklogOfOneAccountDoesNotStopTheOthers(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, time.Now)
		h := hang(s)
		s.confirmed(s.connection, "a", 50)
		other := s.connect()
		s.confirmed(other, "b", 1)
		s.creator.Poll = time.Millisecond
		ctx, stop := context.WithCancel(t.Context())
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			s.creator.Run(ctx)
		}()
		begun := map[string]int{}
		for begun[other] == 0 {
			begun[<-h.begun]++
		}
		if n := begun[s.connection]; n > drafts.AttemptsPerAccount {
			t.Errorf("%d attempts of the account with many drafts run, want at most %d", n, drafts.AttemptsPerAccount)
		}
		stop()
		close(h.release)
		<-stopped
	})
}
