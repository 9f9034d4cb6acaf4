package webhooks

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
)

const deliveryColumns = `id, organization_id, webhook_id, event, body, created_at, state, attempts, next_attempt_at, last_status,
	last_problem, last_problem_ru, settled_at`

func scanDelivery(r database.Row) (Delivery, error) {
	var d Delivery
	var body string
	var created, next int64
	var settled sql.Null[int64]
	err := r.Scan(&d.ID, &d.organizationID, &d.webhookID, &d.Event, &body, &created, &d.State, &d.Attempts, &next, &d.LastStatus,
		&d.LastProblem, &d.LastProblemRU, &settled)
	d.Message, d.CreatedAt, d.SettledAt = json.RawMessage(body), database.Moment(created), database.OptionalMoment(settled)
	if d.State == Pending {
		at := database.Moment(next)
		d.NextAttemptAt = &at
	}
	return d, err
}

// Deliveries lists the deliveries of a webhook, newest first.
func (s *Store) Deliveries(
	ctx context.Context, organizationID, webhookID string, page database.Page,
) (list []Delivery, next string, err error) {
	if _, err := s.Get(ctx, organizationID, webhookID); err != nil {
		return nil, "", err
	}
	return database.ReadPage(ctx, s.db, page, "deliveries", scanDelivery,
		func(d Delivery) database.RowKey { return database.RowKey{Number: d.CreatedAt.UnixMicro(), ID: d.ID} },
		`SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE organization_id = $4 AND webhook_id = $5
		AND (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3`, organizationID, webhookID)
}

func (s *Store) delivery(ctx context.Context, organizationID, webhookID, id string) (Delivery, error) {
	d, err := scanDelivery(s.db.QueryRowContext(ctx, `SELECT `+deliveryColumns+` FROM webhook_deliveries
		WHERE organization_id = $1 AND webhook_id = $2 AND id = $3`, organizationID, webhookID, id))
	return d, keys.AsNotFound(err, "delivery", id)
}

// Replay sends a delivery again as if it were new, whatever its state. The webhook-id stays the same.
func (s *Store) Replay(ctx context.Context, by keys.Caller, webhookID, id string) (Delivery, error) {
	err := database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		err := s.keys.RecordAudit(ctx, tx, by, by.OrganizationID, s.now(), "webhook.replayed", webhookID, map[string]any{"delivery": id})
		if err != nil {
			return err
		}
		changed, err := database.Changed(tx.ExecContext(ctx, `
			UPDATE webhook_deliveries SET state = $1, attempts = 0, next_attempt_at = $2, settled_at = NULL
			WHERE organization_id = $3 AND webhook_id = $4 AND id = $5`,
			Pending, s.now().UnixMicro(), by.OrganizationID, webhookID, id))
		if err == nil && !changed {
			return keys.AsNotFound(sql.ErrNoRows, "delivery", id)
		}
		return err
	})
	if err != nil {
		return Delivery{}, fmt.Errorf("replay: %w", err)
	}
	return s.delivery(ctx, by.OrganizationID, webhookID, id)
}
