package webhooks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools/drafts"
)

// How much of the audit is turned into deliveries between two looks for what is due.
const (
	mostCollected = 200 // records of one organization, and in one transaction
	mostBehind    = 200 // webhooks
)

// happened is a record of the audit.
type happened struct {
	position, at   int64
	action, object string
}

// collect turns what the audit tells since the last time into deliveries.
func (s *Sender) collect(ctx context.Context) error {
	behind, err := database.Rows(ctx, s.store.db, scanWebhook, `SELECT `+webhookColumns+` FROM (
			SELECT w.*, row_number() OVER (PARTITION BY organization_id ORDER BY position) AS turn
			FROM webhooks w JOIN organizations o ON o.id = w.organization_id WHERE position < audit_length) AS behind
		ORDER BY turn LIMIT $1`, mostBehind)
	if err != nil {
		return fmt.Errorf("find webhooks with news: %w", err)
	}
	left := map[string]int{} // records, by organization
	for _, w := range behind {
		if _, begun := left[w.organizationID]; !begun {
			left[w.organizationID] = mostCollected
		}
		if left[w.organizationID] == 0 {
			continue
		}
		read, err := s.collectFor(ctx, w, left[w.organizationID])
		if err != nil {
			return fmt.Errorf("collect for webhook %s: %w", w.ID, err)
		}
		left[w.organizationID] -= read
	}
	return nil
}

// collectFor turns at most so many records into deliveries, and says how many it read.
func (s *Sender) collectFor(ctx context.Context, w Webhook, most int) (read int, err error) {
	news, err := database.Rows(ctx, s.store.db, scanHappened, `SELECT position, created_at, action, object FROM audit
		WHERE organization_id = $1 AND position > $2 ORDER BY position LIMIT $3`, w.organizationID, w.position, most)
	if err != nil || len(news) == 0 {
		return 0, err
	}
	return len(news), database.InTx(ctx, s.store.db, func(tx *sql.Tx) error {
		// Another replica may have been quicker: whoever moves the position writes the deliveries.
		moved, err := tx.ExecContext(ctx, `UPDATE webhooks SET position = $1 WHERE id = $2 AND position = $3`,
			news[len(news)-1].position, w.ID, w.position)
		if err != nil {
			return err
		}
		if n, err := moved.RowsAffected(); err != nil || n == 0 {
			return err
		}
		for _, h := range news {
			e := Event(h.action)
			if !slices.Contains(audited, e) || !w.wants(e) {
				continue
			}
			data, err := s.tell(ctx, w.organizationID, e, h.object)
			if err != nil {
				return err
			}
			if _, err := s.store.enqueue(ctx, tx, w, e, database.Moment(h.at), data); err != nil {
				return err
			}
		}
		return nil
	})
}

func scanHappened(r database.Row) (h happened, err error) {
	err = r.Scan(&h.position, &h.at, &h.action, &h.object)
	return h, err
}

// tell is what an event is about, as the API shows it at this moment: the draft, or the connection. Of one that is gone
// there is its id.
func (s *Sender) tell(ctx context.Context, organizationID string, e Event, object string) (any, error) {
	var data any
	var err error
	if e == ConnectionFailing {
		data, err = s.keys.Connection(ctx, organizationID, object)
	} else {
		data, err = s.drafts.Get(ctx, organizationID, object)
	}
	if errors.Is(err, keys.ErrNotFound) || errors.Is(err, drafts.ErrNotFound) {
		return map[string]any{"id": object}, nil
	}
	return data, err
}
