package webhooks

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/places"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools/drafts"
)

const (
	beat          = time.Second      // between looks for something to send
	lease         = 60 * time.Second // for one attempt; longer than it can take
	mostAtOnce    = 128              // attempts in flight of this process; one is a connection and some 30 KB
	mostOfOne     = 8                // of them by one organization, on all replicas, so that it does not hold up the others
	mostToOne     = 4                // of them to one webhook, for the same reason among those of an organization
	kept          = 30 * 24 * time.Hour
	betweenSweeps = time.Hour
)

// waits are the times between attempts, those that Standard Webhooks recommends: three days in all.
var waits = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// Sender collects what happened and sends it. Any number of senders may share a database.
type Sender struct {
	store  *Store
	keys   *keys.Store
	drafts *drafts.Store
	http   *http.Client
	log    *slog.Logger

	inFlight sync.WaitGroup
	places   chan struct{}
	swept    time.Time
}

// NewSender sends what store keeps.
func NewSender(store *Store, known *keys.Store, waiting *drafts.Store, log *slog.Logger) *Sender {
	return &Sender{
		store:  store,
		keys:   known,
		drafts: waiting,
		http:   client(store.Private),
		log:    log,
		places: make(chan struct{}, mostAtOnce),
	}
}

// Run collects and sends until ctx ends, and then waits for what is in flight.
func (s *Sender) Run(ctx context.Context) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	defer s.inFlight.Wait()
	for {
		if err := s.step(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("webhooks wait", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Step collects and sends what is due once, and waits until all of it has arrived or failed.
func (s *Sender) Step(ctx context.Context) error {
	defer s.inFlight.Wait()
	return s.step(ctx)
}

func (s *Sender) step(ctx context.Context) error {
	if err := s.sweep(ctx); err != nil {
		return err
	}
	if err := s.collect(ctx); err != nil {
		return err
	}
	claimed, err := s.claim(ctx, cap(s.places)-len(s.places))
	if err != nil {
		return err
	}
	for _, d := range claimed {
		s.places <- struct{}{}
		s.inFlight.Go(func() {
			defer func() { <-s.places }()
			// An attempt that has begun is recorded, also when the service stops meanwhile.
			caught.Logged(s.log, "the delivery to a webhook", func() {
				if err := s.attempt(ctx, d); err != nil {
					s.log.Warn("record a webhook's delivery", "delivery", d.ID, "error", err)
				}
			})
		})
	}
	return nil
}

// due are the deliveries that may be attempted.
var due = places.Line{
	Table: "webhook_deliveries", Waiting: "state = 'pending'", Due: "next_attempt_at", Lane: "webhook_id", InLane: mostToOne,
	Each: mostOfOne,
}

// claim leases what is due. What makes it due stands outside too: there it is held against the row as another replica has
// just left it.
func (s *Sender) claim(ctx context.Context, most int) ([]Delivery, error) {
	now := s.store.now()
	claimed, err := database.Rows(ctx, s.store.db, scanDelivery, `
		UPDATE webhook_deliveries SET attempts = attempts + 1, lease_until = $3
		WHERE next_attempt_at <= $1 AND lease_until <= $1 AND state = $4 AND id IN (`+due.Next()+`)
		RETURNING `+deliveryColumns,
		now.UnixMicro(), most, now.Add(lease).UnixMicro(), Pending)
	if err != nil {
		return nil, fmt.Errorf("claim deliveries: %w", err)
	}
	return claimed, nil
}

// attempt sends a message once and records what came of it.
func (s *Sender) attempt(ctx context.Context, d Delivery) error {
	w, err := s.store.Get(ctx, d.organizationID, d.webhookID)
	if errors.Is(err, keys.ErrNotFound) {
		return nil // deleted meanwhile, and its deliveries with it
	}
	if err != nil {
		return err
	}
	status, problem := 0, "the webhook is disabled: its address answered 410"
	if w.DisabledAt == nil {
		if status, err = s.send(ctx, w, d); err != nil {
			problem = unreached(err).Error()
		}
	}
	s.log.Info("webhook", "delivery", d.ID, "event", d.Event, "attempt", d.Attempts, "status", status)
	return s.record(context.WithoutCancel(ctx), w, d, status, problem)
}

// send is the receiver's status, or why there is none.
func (s *Sender) send(ctx context.Context, w Webhook, d Delivery) (int, error) {
	secret, err := s.keys.Unseal(w.sealedSecret, w.sealedFor())
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(d.Message))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Kopeck")
	if err := sign(req.Header, secret, d.ID, s.store.now(), d.Message); err != nil {
		return 0, err
	}
	response, err := s.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, mostAnswer))
	return response.StatusCode, err
}

// record settles a delivery or plans its next attempt. A delivery that was replayed meanwhile keeps its new plan.
func (s *Sender) record(ctx context.Context, w Webhook, d Delivery, status int, problem string) error {
	now := s.store.now()
	state, next := Delivered, now
	var lastProblem sql.Null[string]
	var settled sql.Null[int64]
	if status/100 != 2 {
		if status != 0 {
			problem = fmt.Sprintf("the address answered %d", status)
		}
		lastProblem = sql.Null[string]{V: problem, Valid: true}
		if state = Pending; d.Attempts > len(waits) || status == http.StatusGone || w.DisabledAt != nil {
			state = Failed
		} else {
			next = now.Add(jittered(waits[d.Attempts-1]))
		}
	}
	if state != Pending {
		settled = sql.Null[int64]{V: now.UnixMicro(), Valid: true}
	}
	return database.InTx(ctx, s.store.db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE webhook_deliveries SET state = $1, next_attempt_at = $2, lease_until = 0, last_status = $3, last_problem = $4, settled_at = $5
			WHERE id = $6 AND attempts = $7`,
			state, next.UnixMicro(), sql.Null[int]{V: status, Valid: status != 0}, lastProblem, settled, d.ID, d.Attempts)
		if err != nil || status != http.StatusGone {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE webhooks SET disabled_at = $1 WHERE id = $2 AND disabled_at IS NULL`, now.UnixMicro(), w.ID)
		return err
	})
}

// jittered is d, more or less a tenth, so that many failed messages do not come back at one moment.
func jittered(d time.Duration) time.Duration {
	return d + time.Duration((rand.Float64()-0.5)/5*float64(d))
}

// sweep forgets what was settled long ago.
func (s *Sender) sweep(ctx context.Context) error {
	now := s.store.now()
	if now.Sub(s.swept) < betweenSweeps {
		return nil
	}
	s.swept = now
	_, err := s.store.db.ExecContext(
		ctx, `DELETE FROM webhook_deliveries WHERE state <> $1 AND created_at < $2`, Pending, now.Add(-kept).UnixMicro(),
	)
	if err != nil {
		return fmt.Errorf("forget old deliveries: %w", err)
	}
	return nil
}
