package agent

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/database"
)

// Response is a stored answer that a later request can continue from.
type Response struct {
	SessionID    string
	MessageCount int             // in the session, including the answer
	Body         json.RawMessage // as it was sent
	Input        json.RawMessage // a list, without secrets; nil if it was not stored
}

// SaveResponse stores the last answer of a session and its input, both without secrets.
func (s *Store) SaveResponse(ctx context.Context, organizationID, id, sessionID string, body, input json.RawMessage) error {
	cleanBody, cleanInput := redact.Text(string(body)), redact.Text(string(input))
	err := database.InTx(ctx, s.db, func(conn *sql.Tx) error {
		// The update comes first because it locks the session before its messages are counted.
		if _, err := conn.ExecContext(ctx, `UPDATE sessions SET bytes = bytes + $1 WHERE organization_id = $2 AND id = $3`,
			responseBytes(cleanBody, cleanInput), organizationID, sessionID); err != nil {
			return err
		}
		_, err := conn.ExecContext(ctx, `INSERT INTO responses (organization_id, id, session_id, messages, body, input, created_at)
			SELECT $1, $2, $3, count(*), $4, $5, CAST($6 AS BIGINT) FROM messages WHERE organization_id = $1 AND session_id = $3`,
			organizationID, id, sessionID, cleanBody, cleanInput, s.now().UnixMicro())
		return err
	})
	if err != nil {
		return fmt.Errorf("save response: %w", err)
	}
	return nil
}

func responseBytes(body, input string) int { return rowBytes + len(body) + len(input) }

// Response finds an answer by id. The error wraps [ErrNotFound].
func (s *Store) Response(ctx context.Context, organizationID, id string) (Response, error) {
	var r Response
	var body string
	var input sql.NullString
	err := s.db.QueryRowContext(ctx, `SELECT session_id, messages, body, input FROM responses WHERE organization_id = $1 AND id = $2`,
		organizationID, id).Scan(&r.SessionID, &r.MessageCount, &body, &input)
	if errors.Is(err, sql.ErrNoRows) {
		return r, fmt.Errorf("response %q: %w", id, ErrNotFound)
	}
	if err != nil {
		return r, fmt.Errorf("find response: %w", err)
	}
	r.Body = json.RawMessage(body)
	if input.Valid {
		r.Input = json.RawMessage(input.String)
	}
	return r, nil
}

// DeleteResponse deletes an answer but not its session. The error wraps [ErrNotFound].
func (s *Store) DeleteResponse(ctx context.Context, organizationID, id string) error {
	err := database.InTx(ctx, s.db, func(conn *sql.Tx) error {
		var sessionID, body string
		var input sql.NullString
		err := conn.QueryRowContext(ctx, `DELETE FROM responses WHERE organization_id = $1 AND id = $2 RETURNING session_id, body, input`,
			organizationID, id).Scan(&sessionID, &body, &input)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		// Older versions stored responses without adding their size.
		_, err = conn.ExecContext(
			ctx, `UPDATE sessions SET bytes = CASE WHEN bytes > $1 THEN bytes - $1 ELSE 0 END WHERE organization_id = $2 AND id = $3`,
			responseBytes(body, input.String), organizationID, sessionID,
		)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete response %q: %w", id, err)
	}
	return nil
}
