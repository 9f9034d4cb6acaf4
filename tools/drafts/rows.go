package drafts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/encoded"
)

// columns lists the columns in the order in which scan reads them.
const columns = `id, organization_id, connection_id, account_id, session_id, kind, code, payload, sync_id, digest, state,
	created_at, expires_at, confirmed_at, document, failure`

// queryOne returns the draft that a query finds. It returns [ErrNotFound] if the query finds none or more than one.
func (s *Store) queryOne(ctx context.Context, query string, args ...any) (Draft, error) {
	found, err := s.queryMany(ctx, query, args...)
	switch {
	case err != nil:
		return Draft{}, err
	case len(found) == 1:
		return found[0], nil
	default:
		return Draft{}, ErrNotFound
	}
}

func (s *Store) queryMany(ctx context.Context, query string, args ...any) ([]Draft, error) {
	list, err := database.Rows(ctx, s.db, func(row database.Row) (Draft, error) { return s.scan(row) }, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read drafts: %w", err)
	}
	return list, nil
}

// scan reads the columns, and then the additional ones of the query into further.
func (s *Store) scan(row database.Row, further ...any) (d Draft, err error) {
	var payload, session string
	var created, expires int64
	var confirmed sql.Null[int64]
	var document, failure sql.NullString
	all := []any{&d.ID, &d.organizationID, &d.ConnectionID, &d.AccountID, &session, &d.Kind, &d.Code, &payload, &d.syncID,
		&d.Digest, &d.State, &created, &expires, &confirmed, &document, &failure}
	if err = row.Scan(append(all, further...)...); err != nil {
		return d, err
	}
	d.SessionID = database.OrNull(session) // empty for a draft outside of a conversation
	d.CreatedAt, d.ExpiresAt, d.ConfirmedAt = database.Moment(created), database.Moment(expires), database.OptionalMoment(confirmed)
	if d.State == Drafted && !d.ExpiresAt.After(s.now()) {
		d.State = Expired
	}
	err = errors.Join(database.FromJSON(payload, &d.content), database.FromJSON(document.String, &d.Document),
		database.FromJSON(failure.String, &d.Failure))
	d.fillFromContent()
	return d, err
}

// fillFromContent sets the fields that are shown to people. It uses only the content.
func (d *Draft) fillFromContent() {
	d.Preview, d.Writes = d.content.Preview, d.content.Writes
	d.Parties, d.Lines = append([]Party{}, d.Parties...), append([]Line{}, d.Lines...) // never nil
}

// nullJSON returns v as JSON text, or NULL if v is nil.
func nullJSON[T any](v *T) *string {
	if v == nil {
		return nil
	}
	return new(string(encoded.JSON(v)))
}
