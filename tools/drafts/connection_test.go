package drafts_test

import (
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
)

// Confirmed and cancelled drafts, and drafts of other connections, must not change.
func TestDeletingAConnectionFailsItsOpenDrafts(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, time.Now)
		add := func(connection string) drafts.Draft {
			d, err := s.add(connection)
			must(t, err)
			return d
		}
		waiting, cancelled, another, created := add(s.connection), add(s.connection), add(s.connect()), s.purchaseOrder()
		if _, err := s.store.Cancel(t.Context(), s.who, cancelled.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.confirm(created); err != nil {
			t.Fatal(err)
		}
		s.disconnect()
		for id, want := range map[string]drafts.State{
			waiting.ID: drafts.Failed, cancelled.ID: drafts.Cancelled, another.ID: drafts.Drafted, created.ID: drafts.Created,
		} {
			d, err := s.store.Get(t.Context(), s.who.OrganizationID, id)
			if err != nil || d.State != want || (d.Failure != nil) != (want == drafts.Failed) {
				t.Errorf("%s, %+v, %v: want %s", d.State, d.Failure, err, want)
			}
		}
	})
}

// disconnect deletes the connection as its endpoint does.
func (s *shop) disconnect() {
	s.Helper()
	if err := s.keys.DeleteConnection(s.Context(), s.who, s.who.OrganizationID, s.connection); err != nil {
		s.Error(err)
	}
	if err := s.store.Abandon(s.Context(), s.who, s.connection); err != nil {
		s.Error(err)
	}
}

// A tool takes seconds to prepare a draft. In that time its connection may be deleted.
func TestNoDraftIsAddedForADeletedConnection(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, time.Now)
		const makers, before = 4, 20
		var group sync.WaitGroup
		made, gone := make(chan struct{}, before), make(chan struct{})
		for range makers {
			group.Go(func() {
				for {
					if _, err := s.add(s.connection); err != nil {
						if !errors.Is(err, keys.ErrNotFound) {
							t.Error(err)
						}
						return
					}
					select {
					case made <- struct{}{}:
					case <-gone:
						return
					}
				}
			})
		}
		for range before {
			<-made
		}
		s.disconnect()
		close(gone)
		group.Wait()
		var waiting, failed int
		row := db.QueryRowContext(t.Context(),
			`SELECT count(*) FILTER (WHERE state = 'draft'), count(*) FILTER (WHERE state = 'failed') FROM drafts`)
		if err := row.Scan(&waiting, &failed); err != nil || waiting != 0 || failed < before {
			t.Errorf("%d drafts wait for confirmation, %d have failed (%v)", waiting, failed, err)
		}
	})
}

func TestNothingIsConfirmedWithoutAWorkingConnection(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	d := s.purchaseOrder()
	s.deleted = true
	gone, err := s.confirm(d)
	if !errors.As(err, new(*drafts.NotConfirmableError)) {
		t.Errorf("deleted: %v", err)
	}
	// If the draft stayed open, the conversation would keep asking for its confirmation.
	if gone.State != drafts.Failed || gone.Failure == nil || gone.Failure.Code != "CONNECTION_DELETED" {
		t.Errorf("deleted: %s, %+v", gone.State, gone.Failure)
	}
	s.deleted, s.writerErr = false, errFailing
	if _, err := s.confirm(d); !errors.Is(err, errFailing) {
		t.Errorf("failing: %v", err)
	}
	s.writerErr = nil
	if created, err := s.confirm(d); err != nil || created.State != drafts.Created {
		t.Errorf("healed: %v, %s", err, created.State)
	}
}
