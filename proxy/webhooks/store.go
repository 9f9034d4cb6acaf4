package webhooks

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
)

// The limits per organization and webhook.
const (
	maxWebhooks     = 20
	maxWaitingTests = 20 // test messages to one webhook that are waiting, from the last hour
)

// ErrTooManyTests means that too many test messages are still waiting for the webhook.
var ErrTooManyTests = fmt.Errorf("%d test messages are waiting for this webhook, which is the limit", maxWaitingTests)

// Store holds the webhooks of organizations and their deliveries.
type Store struct {
	db   *sql.DB
	keys *keys.Store
	now  func() time.Time
	// AllowPrivate allows private networks and plain http. Set it before use.
	AllowPrivate bool
}

// NewStore returns a store on a migrated database. It uses keyStore for the audit and to encrypt the secrets of
// webhooks.
func NewStore(db *sql.DB, keyStore *keys.Store, now func() time.Time) *Store {
	return &Store{db: db, keys: keyStore, now: now}
}

const webhookColumns = `id, organization_id, url, events, sealed_secret, created_at, created_by, disabled_at, position`

func scanWebhook(r database.Row) (Webhook, error) {
	var w Webhook
	var events string
	var created int64
	var disabled sql.Null[int64]
	err := r.Scan(&w.ID, &w.organizationID, &w.URL, &events, &w.sealedSecret, &created, &w.CreatedBy, &disabled, &w.position)
	for e := range strings.FieldsSeq(events) {
		w.Events = append(w.Events, Event(e))
	}
	w.CreatedAt, w.DisabledAt = database.Moment(created), database.OptionalMoment(disabled)
	return w, err
}

// Add creates a webhook and the secret that signs its messages. The secret cannot be read again. No events means all
// events. If the URL or the events are invalid, the error is a [*check.InvalidError].
func (s *Store) Add(ctx context.Context, by keys.Caller, url string, events []Event) (Webhook, keys.Secret, error) {
	if err := s.check(url, events); err != nil {
		return Webhook{}, keys.Secret{}, err
	}
	if len(events) == 0 {
		events = slices.Clone(Events)
	}
	secret := newSecret()
	w := Webhook{
		ID:             database.NewID(),
		URL:            url,
		Events:         events,
		CreatedAt:      database.Moment(s.now().UnixMicro()),
		CreatedBy:      by.KeyID,
		organizationID: by.OrganizationID,
	}
	w.sealedSecret = s.keys.Seal(secret, w.secretBinding())
	err := database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		// RecordAudit must come first. It locks the organization, so that no other webhook can be added before the count below.
		err := s.keys.RecordAudit(ctx, tx, by, w.organizationID, s.now(), "webhook.added", w.ID, map[string]any{"url": url, "events": events})
		if err != nil {
			return err
		}
		var count int
		err = tx.QueryRowContext(ctx, `
			SELECT count(w.id), o.audit_length FROM organizations o LEFT JOIN webhooks w ON w.organization_id = o.id
			WHERE o.id = $1 GROUP BY o.id, o.audit_length`, w.organizationID).Scan(&count, &w.position)
		if err != nil {
			return err
		}
		if count >= maxWebhooks {
			return check.Invalid(tooMany.At("url", maxWebhooks))
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO webhooks (`+webhookColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, NULL, $8)`,
			w.ID, w.organizationID, w.URL, joinEvents(events), w.sealedSecret, w.CreatedAt.UnixMicro(), w.CreatedBy, w.position)
		return err
	})
	if err != nil {
		return Webhook{}, keys.Secret{}, fmt.Errorf("add the webhook: %w", err)
	}
	return w, secret, nil
}

var tooMany = check.NewWording("is one too many: an organization may have %s webhooks; delete one first",
	"вебхуков у организации может быть %s: сначала удалите один")

func (s *Store) check(url string, events []Event) error {
	var wrong check.InvalidError
	if problem := addressProblem(url, s.AllowPrivate); problem != nil {
		wrong.Add(problem)
	}
	for _, e := range events {
		if !slices.Contains(Events, e) {
			wrong.Add(check.OneOf.At("events", joinEvents(Events)).WithValue(string(e)))
		}
	}
	return wrong.OrNil()
}

// List returns all of an organization's webhooks, newest first; there are few.
func (s *Store) List(ctx context.Context, organizationID string) ([]Webhook, error) {
	return database.Rows(ctx, s.db, scanWebhook, `SELECT `+webhookColumns+` FROM webhooks
		WHERE organization_id = $1 ORDER BY created_at DESC, id DESC`, organizationID)
}

// Get returns one of the organization's webhooks; the error wraps [keys.ErrNotFound] if there is none.
func (s *Store) Get(ctx context.Context, organizationID, id string) (Webhook, error) {
	w, err := scanWebhook(s.db.QueryRowContext(ctx, `SELECT `+webhookColumns+` FROM webhooks
		WHERE organization_id = $1 AND id = $2`, organizationID, id))
	return w, keys.AsNotFound(err, "webhook", id)
}

// Delete deletes a webhook and its deliveries. A message in flight may still arrive.
func (s *Store) Delete(ctx context.Context, by keys.Caller, id string) error {
	w, err := s.Get(ctx, by.OrganizationID, id)
	if err != nil {
		return err
	}
	return database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		err := s.keys.RecordAudit(ctx, tx, by, by.OrganizationID, s.now(), "webhook.deleted", id, map[string]any{"url": w.URL})
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM webhooks WHERE organization_id = $1 AND id = $2`, by.OrganizationID, id)
		return err
	})
}

// Enqueue adds a message for each webhook of the organization that has chosen the event. It is sent after the transaction
// is committed.
func (s *Store) Enqueue(ctx context.Context, tx *sql.Tx, organizationID string, e Event, at time.Time, data any) error {
	all, err := database.Rows(ctx, tx, scanWebhook, `SELECT `+webhookColumns+` FROM webhooks WHERE organization_id = $1`, organizationID)
	if err != nil {
		return fmt.Errorf("find the webhooks: %w", err)
	}
	for _, w := range all {
		if !w.wants(e) {
			continue
		}
		if _, err := s.enqueue(ctx, tx, w, e, at, data); err != nil {
			return err
		}
	}
	return nil
}

// SendAuditHead adds a message with a signed audit head. Every replica calls it, but it adds a message only once for each
// length.
func (s *Store) SendAuditHead(ctx context.Context, h keys.AuditHead) error {
	return database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		news, err := s.keys.ClaimAuditHead(ctx, tx, h)
		if err != nil || !news {
			return err
		}
		return s.Enqueue(ctx, tx, h.OrganizationID, AuditHead, h.At, h)
	})
}

// SendTest adds a test message for a webhook.
func (s *Store) SendTest(ctx context.Context, organizationID, id string) (Delivery, error) {
	w, err := s.Get(ctx, organizationID, id)
	if err != nil {
		return Delivery{}, err
	}
	var d Delivery
	err = database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		var waiting int
		err := tx.QueryRowContext(ctx, `
			SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $1 AND event = $2 AND state = $3 AND created_at > $4`,
			w.ID, Test, Pending, s.now().Add(-time.Hour).UnixMicro()).Scan(&waiting)
		if err != nil {
			return err
		}
		if waiting >= maxWaitingTests {
			return ErrTooManyTests
		}
		d, err = s.enqueue(ctx, tx, w, Test, s.now(), map[string]any{"webhook_id": w.ID})
		return err
	})
	return d, err
}

func (s *Store) enqueue(ctx context.Context, tx *sql.Tx, w Webhook, e Event, at time.Time, data any) (Delivery, error) {
	body, err := json.Marshal(message{e, at.UTC(), data})
	if err != nil {
		return Delivery{}, fmt.Errorf("write the message of %s: %w", e, err)
	}
	body = redact.Bytes(body)
	now := database.Moment(s.now().UnixMicro())
	d := Delivery{ID: "msg_" + database.NewID(), Event: e, State: Pending, CreatedAt: now, NextAttemptAt: &now, Message: body}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO webhook_deliveries (id, organization_id, webhook_id, event, body, created_at, state, next_attempt_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $6)`,
		d.ID, w.organizationID, w.ID, e, string(body), now.UnixMicro(), Pending)
	if err != nil {
		return Delivery{}, fmt.Errorf("store the message of %s: %w", e, err)
	}
	return d, nil
}

// newSecret returns a secret in the format of Standard Webhooks.
func newSecret() keys.Secret {
	var raw [32]byte
	rand.Read(raw[:]) //nolint:errcheck // never fails
	return keys.NewSecret(secretPrefix + base64.StdEncoding.EncodeToString(raw[:]))
}

func (w Webhook) secretBinding() keys.SealBinding {
	return keys.SealBinding{OrganizationID: w.organizationID, ObjectID: w.ID, Purpose: "webhook secret"}
}

func joinEvents(events []Event) string {
	texts := make([]string, len(events))
	for i, e := range events {
		texts[i] = string(e)
	}
	return strings.Join(texts, " ")
}
