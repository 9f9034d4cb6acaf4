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
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/tasks"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools/drafts"
)

const (
	pollInterval       = time.Second      // between checks for due messages
	lease              = 60 * time.Second // of one attempt; longer than any attempt can take
	maxInFlight        = 128              // attempts of this process at once; each takes a connection and about 30 KB of memory
	maxPerOrganization = 8                // attempts of one organization on all replicas
	maxPerWebhook      = 4                // attempts to one webhook on all replicas
	retention          = 30 * 24 * time.Hour
	purgeInterval      = time.Hour
)

// retryDelays are the times between attempts. Standard Webhooks recommends them. Together they are three days.
var retryDelays = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// Sender turns audit records into messages and sends them. Several senders may share a database.
type Sender struct {
	store  *Store
	keys   *keys.Store
	drafts *drafts.Store
	http   *http.Client
	log    *slog.Logger
	tasks  tasks.Runner[Delivery]

	lastPurge time.Time
}

// NewSender returns a sender of the messages in store. It collects them from the audits in keyStore, and reads the drafts
// that they are about from draftStore.
func NewSender(store *Store, keyStore *keys.Store, draftStore *drafts.Store, log *slog.Logger) *Sender {
	s := &Sender{store: store, keys: keyStore, drafts: draftStore, http: newClient(store.AllowPrivate), log: log}
	s.tasks = tasks.Runner[Delivery]{
		DB: store.db, Now: store.now, Log: log, Table: "webhook_deliveries", Columns: deliveryColumns, Waiting: "state = 'pending'",
		Due: "next_attempt_at", OnClaim: "attempts = attempts + 1", Group: "webhook_id", MaxInGroup: maxPerWebhook,
		MaxOfOrganization: maxPerOrganization, MaxHere: maxInFlight, Lease: lease, Poll: pollInterval, Scan: scanDelivery,
		Prepare: s.prepare, Do: s.deliver,
	}
	return s
}

// Run collects and sends messages until ctx ends.
func (s *Sender) Run(ctx context.Context) { s.tasks.Run(ctx) }

// SendDue collects and sends the messages that are due now, and waits until the attempts have ended.
func (s *Sender) SendDue(ctx context.Context) error { return s.tasks.RunDue(ctx) }

func (s *Sender) prepare(ctx context.Context) error {
	return errors.Join(s.purge(ctx), s.collect(ctx))
}

func (s *Sender) deliver(ctx context.Context, d Delivery) {
	if err := s.attempt(ctx, d); err != nil {
		s.log.Warn("recording a delivery failed", "delivery", d.ID, "error", err)
	}
}

// attempt sends a message once and records the result, even if the service is stopping.
func (s *Sender) attempt(ctx context.Context, d Delivery) error {
	w, err := s.store.Get(ctx, d.organizationID, d.webhookID)
	if errors.Is(err, keys.ErrNotFound) {
		return nil // deleted in the meantime, together with its deliveries
	}
	if err != nil {
		return err
	}
	status, problem := 0, isDisabled.Of()
	if w.DisabledAt == nil {
		if status, err = s.send(ctx, w, d); err != nil {
			problem = publicProblem(err)
		}
	}
	if status == 0 && ctx.Err() != nil {
		return s.withdraw(context.WithoutCancel(ctx), d)
	}
	s.log.Info("webhook", "delivery", d.ID, "event", d.Event, "attempt", d.Attempts, "status", status)
	return s.record(context.WithoutCancel(ctx), w, d, status, problem)
}

// send returns the status of the receiver's response, or an error if there is none.
func (s *Sender) send(ctx context.Context, w Webhook, d Delivery) (int, error) {
	secret, err := s.keys.Unseal(w.sealedSecret, w.secretBinding())
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
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, maxResponse))
	return response.StatusCode, err
}

// withdraw gives back an attempt that was interrupted because the service is stopping. It does not count, and another process
// can make it at once.
func (s *Sender) withdraw(ctx context.Context, d Delivery) error {
	_, err := s.store.db.ExecContext(ctx, `UPDATE webhook_deliveries SET attempts = attempts - 1, lease_until = 0
		WHERE id = $1 AND attempts = $2`, d.ID, d.Attempts)
	return err
}

// record settles a delivery, or plans its next attempt. It changes nothing if the delivery was replayed in the meantime.
func (s *Sender) record(ctx context.Context, w Webhook, d Delivery, status int, problem check.Phrase) error {
	now := s.store.now()
	state, next := Delivered, now
	var inEnglish, inRussian string
	var settled sql.Null[int64]
	if status/100 != 2 {
		if status != 0 {
			problem = responded.Of(status)
		}
		inEnglish, inRussian = problem.In("en"), problem.In("ru")
		if state = Pending; d.Attempts > len(retryDelays) || status == http.StatusGone || w.DisabledAt != nil {
			state = Failed
		} else {
			next = now.Add(withJitter(retryDelays[d.Attempts-1]))
		}
	}
	if state != Pending {
		settled = sql.Null[int64]{V: now.UnixMicro(), Valid: true}
	}
	return database.InTx(ctx, s.store.db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE webhook_deliveries SET state = $1, next_attempt_at = $2, lease_until = 0, last_status = $3, last_problem = $4,
				last_problem_ru = $5, settled_at = $6
			WHERE id = $7 AND attempts = $8`,
			state, next.UnixMicro(), database.OrNull(status), database.OrNull(inEnglish), database.OrNull(inRussian), settled, d.ID, d.Attempts)
		if err != nil || status != http.StatusGone {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE webhooks SET disabled_at = $1 WHERE id = $2 AND disabled_at IS NULL`, now.UnixMicro(), w.ID)
		return err
	})
}

// withJitter changes d by up to 10 %, so that many failed messages are not all retried at the same moment.
func withJitter(d time.Duration) time.Duration {
	return d + time.Duration((rand.Float64()-0.5)/5*float64(d))
}

// purge deletes old settled deliveries.
func (s *Sender) purge(ctx context.Context) error {
	now := s.store.now()
	if now.Sub(s.lastPurge) < purgeInterval {
		return nil
	}
	s.lastPurge = now
	_, err := s.store.db.ExecContext(
		ctx, `DELETE FROM webhook_deliveries WHERE state <> $1 AND created_at < $2`, Pending, now.Add(-retention).UnixMicro(),
	)
	if err != nil {
		return fmt.Errorf("delete old deliveries: %w", err)
	}
	return nil
}
