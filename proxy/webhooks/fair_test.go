package webhooks

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// hanging starts a receiver that accepts requests, but does not respond until the test ends. reached gets a value for each.
func hanging(t *testing.T) (url string, reached <-chan struct{}) {
	over, requests := make(chan struct{}), make(chan struct{}, maxInFlight)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		requests <- struct{}{}
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() {
		close(over)
		server.Close()
	})
	return server.URL, requests
}

// flood gives an organization twenty webhooks at a URL, and 1,200 waiting messages.
func (o *office) flood(who keys.Caller, url string) {
	o.Helper()
	for range maxWebhooks {
		w, _, err := o.store.Add(o.Context(), who, url, nil)
		o.must(err)
		o.must(database.InTx(o.Context(), o.db, func(tx *sql.Tx) error {
			for range 60 {
				if _, err := o.store.enqueue(o.Context(), tx, w, Test, o.clock.Now(), nil); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

func TestHangingReceiversDoNotDelayOtherOrganizations(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := open(t, db)
		arrived := make(chan struct{}, 100)
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} }))
		t.Cleanup(server.Close)
		url, reached := hanging(t)
		o.flood(o.organization("Flood"), url)
		ctx, cancel := context.WithCancel(t.Context())
		var sending sync.WaitGroup
		t.Cleanup(sending.Wait)
		t.Cleanup(cancel)
		sending.Go(func() { o.sender.Run(ctx) })
		for range maxPerOrganization {
			<-reached
		}
		o.clock.Advance(time.Second)
		w, _, err := o.store.Add(t.Context(), o.who, server.URL, nil)
		o.must(err)
		for range 3 {
			_, err = o.store.SendTest(t.Context(), o.who.OrganizationID, w.ID)
			o.must(err)
		}
		began := time.Now()
		for range 3 {
			select {
			case <-arrived:
			case <-time.After(10 * time.Second):
				t.Fatal("another organization's messages wait")
			}
		}
		t.Logf("three messages behind 1,200 took %v", time.Since(began))
	})
}

func TestWaitingTestMessagesAreLimited(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	w, _ := o.webhook()
	test := func() error {
		_, err := o.store.SendTest(t.Context(), o.who.OrganizationID, w.ID)
		return err
	}
	for range maxWaitingTests {
		o.must(test())
	}
	if err := test(); !errors.Is(err, ErrTooManyTests) {
		t.Errorf("one more: %v", err)
	}
	o.clock.Advance(time.Hour)
	o.must(test())
}

func TestOrganizationsTakeTurnsInCollecting(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	flood := o.organization("Flood")
	for range 3 {
		_, _, err := o.store.Add(t.Context(), flood, o.url, []Event{ConnectionFailing})
		o.must(err)
	}
	o.webhook()
	o.must(database.InTx(t.Context(), o.db, func(tx *sql.Tx) error {
		for range 3 * maxRecords {
			if err := o.keys.RecordAudit(t.Context(), tx, flood, flood.OrganizationID, o.clock.Now(), "noise", "x", map[string]any{}); err != nil {
				return err
			}
		}
		return nil
	}))
	o.draft(o.who)
	behind := func(who keys.Caller) (records int) {
		o.must(o.db.QueryRowContext(t.Context(), `SELECT coalesce(sum(audit_length - position), 0) FROM webhooks w
			JOIN organizations o ON o.id = w.organization_id WHERE organization_id = $1`, who.OrganizationID).Scan(&records))
		return records
	}
	before := behind(flood)
	o.must(o.sender.collect(t.Context()))
	if got := before - behind(flood); got != maxRecords || behind(o.who) != 0 {
		t.Errorf("%d records of one organization were collected at once, %d of the other wait", got, behind(o.who))
	}
	for range 20 {
		o.must(o.sender.collect(t.Context()))
	}
	if behind(flood) != 0 {
		t.Errorf("%d records are never collected", behind(flood))
	}
}
