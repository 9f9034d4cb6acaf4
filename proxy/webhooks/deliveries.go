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
	last_problem, settled_at`

func scanDelivery(r database.Row) (Delivery, error) {
	var d Delivery
	var body string
	var created, next int64
	var settled sql.Null[int64]
	err := r.Scan(&d.ID, &d.organizationID, &d.webhookID, &d.Event, &body, &created, &d.State, &d.Attempts, &next, &d.LastStatus,
		&d.LastProblem, &settled)
	d.Message, d.CreatedAt, d.SettledAt = json.RawMessage(body), database.Moment(created), database.OptionalMoment(settled)
	if d.State == Pending {
		at := database.Moment(next)
		d.NextAttemptAt = &at
	}
	return d, err
}

// Deliveries lists the deliveries of a webhook, newest first. It returns at most limit of them, starting after the cursor.
func (s *Store) Deliveries(
	ctx context.Context, organizationID, webhookID string, limit int, cursor string,
) (list []Delivery, next string, err error) {
	if _, err := s.Get(ctx, organizationID, webhookID); err != nil {
		return nil, "", err
	}
	after, err := database.ParseCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	list, err = database.Rows(ctx, s.db, scanDelivery, `SELECT `+deliveryColumns+` FROM webhook_deliveries
		WHERE organization_id = $1 AND webhook_id = $2 AND (created_at, id) < ($3, $4) ORDER BY created_at DESC, id DESC LIMIT $5`,
		organizationID, webhookID, after.Number, after.ID, limit+1)
	list, next = database.Paginate(
		list, limit, func(d Delivery) database.RowKey { return database.RowKey{Number: d.CreatedAt.UnixMicro(), ID: d.ID} },
	)
	return list, next, err
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
