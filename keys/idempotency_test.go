package keys_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/clocktest"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func idempotent(key, request string) keys.IdempotentRequest {
	return keys.IdempotentRequest{OrganizationID: "org", KeyID: "key", IdempotencyKey: key, RequestHash: sha256.Sum256([]byte(request))}
}

// desk wraps an idempotency store and fails the test on any error.
type desk struct {
	*keys.Idempotency
	t     *testing.T
	clock *clocktest.Clock
}

func newDesk(t *testing.T, db *sql.DB) desk {
	c := clocktest.At(time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC))
	return desk{keys.NewIdempotency(db, c.Now), t, c}
}

func (d desk) begin(a keys.IdempotentRequest, want *keys.SavedResponse) {
	d.t.Helper()
	got, err := d.Begin(d.t.Context(), a)
	if err != nil {
		d.t.Errorf("begin: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		d.t.Error(diff)
	}
}

func (d desk) finish(a keys.IdempotentRequest, answer keys.SavedResponse) {
	d.t.Helper()
	if err := d.Finish(d.t.Context(), a, answer); err != nil {
		d.t.Error(err)
	}
}

func TestRepeatedRequestGetsSavedResponseForADay(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		d := newDesk(t, db)
		request, answer := idempotent("w", "POST /x {}"), keys.SavedResponse{Status: 201, Body: []byte(`{"id":1}`)}
		d.begin(request, nil)
		d.finish(request, answer)
		d.begin(request, &answer)
		d.clock.Advance(24*time.Hour - time.Second)
		d.begin(request, &answer)
		d.clock.Advance(time.Second)
		d.begin(request, nil)
	})
}

func TestSavedResponseHasNoSecret(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		d := newDesk(t, db)
		o := newOffice(t, db)
		_, secret := o.key(keys.NewKey{})
		request := idempotent("w", "POST /keys")
		d.begin(request, nil)
		d.finish(request, keys.SavedResponse{Status: 201, Body: []byte(`{"id":"k","secret":"` + secret + `","note":"use ` + secret + `!"}`)})
		d.begin(request, &keys.SavedResponse{Status: 201, Body: []byte(`{"id":"k","secret":null,"note":"use ***!"}`)})
	})
}

// An Idempotency-Key that contains a secret is stored as a hash. Repeating the request still finds the response.
func TestIdempotencyKeyWithSecretIsFoundAgain(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		d := newDesk(t, db)
		key := "sk-" + strings.Repeat("x", 40)
		request, response := idempotent(key, "POST /x {}"), keys.SavedResponse{Status: 201, Body: []byte(`{"id":1}`)}
		d.begin(request, nil)
		d.finish(request, response)
		d.begin(request, &response)

		_, err := d.Begin(t.Context(), idempotent(key, "POST /y {}"))
		wantInvalid(t, err, `Idempotency-Key must be new for another request, got "***" again`)
	})
}

func TestIdempotencyKeyOfAnotherRequestIsRefused(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		d := newDesk(t, db)
		d.begin(idempotent("w", "one"), nil)
		_, err := d.Begin(t.Context(), idempotent("w", "two"))
		wantInvalid(t, err, `Idempotency-Key must be new for another request, got "w" again`)

		elsewhere := idempotent("w", "two")
		elsewhere.KeyID = "another key"
		d.begin(elsewhere, nil)
		elsewhere = idempotent("w", "two")
		elsewhere.OrganizationID = "another organization"
		d.begin(elsewhere, nil)
	})
}

func TestIdempotencyKeyOfWrongLengthIsRefused(t *testing.T) {
	d := newDesk(t, databasetest.SQLite(t))
	_, err := d.Begin(t.Context(), idempotent("", "x"))
	wantInvalid(t, err, "Idempotency-Key must be 1 to 255 bytes, got 0")
	_, err = d.Begin(t.Context(), idempotent(strings.Repeat("w", 256), "x"))
	wantInvalid(t, err, "Idempotency-Key must be 1 to 255 bytes, got 256")
}

func TestOneOfConcurrentRequestsIsCarriedOut(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		d := newDesk(t, db)
		var carriedOut, waiting atomic.Int32
		var requests sync.WaitGroup
		for range 10 {
			requests.Go(func() {
				switch answer, err := d.Begin(t.Context(), idempotent("w", "x")); {
				case errors.Is(err, keys.ErrInProgress):
					waiting.Add(1)
				case err == nil && answer == nil:
					carriedOut.Add(1)
				}
			})
		}
		requests.Wait()
		if carriedOut.Load() != 1 || waiting.Load() != 9 {
			t.Errorf("%d requests carried out, %d refused as in progress", carriedOut.Load(), waiting.Load())
		}
	})
}

func TestFailedRequestCanBeRetried(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		d := newDesk(t, db)
		request := idempotent("w", "x")
		d.begin(request, nil)
		must(t, d.Release(t.Context(), request))
		d.begin(request, nil)
		answer := keys.SavedResponse{Status: 201, Body: []byte("{}")}
		d.finish(request, answer)
		must(t, d.Release(t.Context(), request))
		d.begin(request, &answer) // Release does not remove a saved response
	})
}

// A request whose process has ended may have created its object, so it is not carried out again on the same day.
func TestLostRequestIsNotCarriedOutAgain(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		d := newDesk(t, db)
		request := idempotent("w", "x")
		refused := func(want error) {
			t.Helper()
			if saved, err := d.Begin(t.Context(), request); saved != nil || !errors.Is(err, want) {
				t.Errorf("%v, %v, want %v", saved, err, want)
			}
		}
		d.begin(request, nil) // the process ends here without a response
		d.clock.Advance(10*time.Minute - time.Second)
		refused(keys.ErrInProgress)
		d.clock.Advance(time.Second)
		refused(keys.ErrOutcomeUnknown)
		d.clock.Advance(24*time.Hour - 10*time.Minute - time.Second)
		refused(keys.ErrOutcomeUnknown)
		d.clock.Advance(time.Second)
		d.begin(request, nil)
	})
}

func TestRequestThatFinishesLateSavesItsResponse(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		d := newDesk(t, db)
		request, answer := idempotent("w", "x"), keys.SavedResponse{Status: 201, Body: []byte("{}")}
		d.begin(request, nil)
		d.clock.Advance(time.Hour)
		d.finish(request, answer)
		d.begin(request, &answer)
	})
}
