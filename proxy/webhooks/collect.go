package webhooks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools/drafts"
)

// The limits of one round. In a round, deliveries are created from new audit records.
const (
	maxRecords          = 200 // records per organization and per transaction
	maxWebhooksPerRound = 200 // webhooks
)

type auditRecord struct {
	position, at   int64
	action, object string
}

// collect creates deliveries from new audit records. An organization whose records cannot be read does not stop the others.
func (s *Sender) collect(ctx context.Context) (wrong error) {
	behind, err := database.Rows(ctx, s.store.db, scanWebhook, `SELECT `+webhookColumns+` FROM (
			SELECT w.*, row_number() OVER (PARTITION BY organization_id ORDER BY position) AS turn
			FROM webhooks w JOIN organizations o ON o.id = w.organization_id WHERE position < audit_length) AS behind
		ORDER BY turn LIMIT $1`, maxWebhooksPerRound)
	if err != nil {
		return fmt.Errorf("find webhooks with new audit records: %w", err)
	}
	left := map[string]int{} // how many more records of an organization may be read
	for _, w := range behind {
		if _, begun := left[w.organizationID]; !begun {
			left[w.organizationID] = maxRecords
		}
		if left[w.organizationID] == 0 {
			continue
		}
		read, err := s.collectFor(ctx, w, left[w.organizationID])
		if err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("collect for webhook %s: %w", w.ID, err))
		}
		left[w.organizationID] -= read
	}
	return wrong
}

// collectFor creates a webhook's deliveries from up to most audit records, and returns how many records it has read.
func (s *Sender) collectFor(ctx context.Context, w Webhook, most int) (read int, err error) {
	news, err := database.Rows(ctx, s.store.db, scanAuditRecord, `SELECT position, created_at, action, object FROM audit
		WHERE organization_id = $1 AND position > $2 ORDER BY position LIMIT $3`, w.organizationID, w.position, most)
	if err != nil || len(news) == 0 {
		return 0, err
	}
	// The transaction must not wait for another connection: all of them may be waiting for the transaction.
	events, err := s.eventsFor(ctx, w, news)
	if err != nil {
		return len(news), err
	}
	return len(news), database.InTx(ctx, s.store.db, func(tx *sql.Tx) error {
		// Other replicas may have read the same records. Only the one that advances the position creates the deliveries.
		moved, err := database.Changed(tx.ExecContext(ctx, `UPDATE webhooks SET position = $1 WHERE id = $2 AND position = $3`,
			news[len(news)-1].position, w.ID, w.position))
		if err != nil || !moved {
			return err
		}
		for _, e := range events {
			if _, err := s.store.enqueue(ctx, tx, w, e.Event, e.at, e.data); err != nil {
				return err
			}
		}
		return nil
	})
}

// happened is an event that a webhook wants.
type happened struct {
	Event
	at   time.Time
	data any
}

func (s *Sender) eventsFor(ctx context.Context, w Webhook, news []auditRecord) (events []happened, err error) {
	for _, h := range news {
		e := Event(h.action)
		if !slices.Contains(auditedEvents, e) || !w.wants(e) {
			continue
		}
		data, err := s.eventData(ctx, w.organizationID, e, h.object)
		if err != nil {
			return nil, err
		}
		events = append(events, happened{e, database.Moment(h.at), data})
	}
	return events, nil
}

func scanAuditRecord(r database.Row) (h auditRecord, err error) {
	err = r.Scan(&h.position, &h.at, &h.action, &h.object)
	return h, err
}

// eventData returns the draft or connection that an event is about, in the state of the event: the API may already show a
// later one. If it was deleted, it returns only the id.
func (s *Sender) eventData(ctx context.Context, organizationID string, e Event, object string) (data any, err error) {
	if e == ConnectionFailing {
		var c keys.Connection
		c, err = s.keys.Connection(ctx, organizationID, object)
		c.State = keys.Failing
		data = c
	} else {
		var d drafts.Draft
		d, err = s.drafts.Get(ctx, organizationID, object)
		data = draftAt(e, d)
	}
	if errors.Is(err, keys.ErrNotFound) || errors.Is(err, drafts.ErrNotFound) {
		return map[string]any{"id": object}, nil
	}
	return data, err
}

// draftAt returns a draft as it was at an event. Nothing follows the other events.
func draftAt(e Event, d drafts.Draft) drafts.Draft {
	switch e {
	case DraftMade:
		d.State, d.ConfirmedAt, d.Document, d.Failure = drafts.Drafted, nil, nil, nil
	case DraftConfirmed:
		d.State, d.Document, d.Failure = drafts.Confirmed, nil, nil
	}
	return d
}
