package agent

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kopeck/kopeck/keys/redact"
)

// Response is an answer that another one can go on from: where its conversation stood.
type Response struct {
	SessionID string
	Messages  int             // of the session, with the answer
	Body      json.RawMessage // as it was given
	Input     json.RawMessage // a list of what was asked, without secrets; nil if it was not kept
}

// KeepResponse keeps an answer with which a session ends for now, and what was asked for it, both without secrets.
func (s *Store) KeepResponse(ctx context.Context, organizationID, id, sessionID string, body, input json.RawMessage) error {
	_, err := s.change(ctx, `INSERT INTO responses (organization_id, id, session_id, messages, body, input, created_at)
		SELECT $1, $2, $3, count(*), $4, $5, CAST($6 AS BIGINT) FROM messages WHERE organization_id = $1 AND session_id = $3`,
		organizationID, id, sessionID, redact.Text(string(body)), redact.Text(string(input)), s.now().UnixMicro())
	if err != nil {
		return fmt.Errorf("keep response: %w", err)
	}
	return nil
}

// Response finds an answer by its id. The error wraps [ErrNotFound].
func (s *Store) Response(ctx context.Context, organizationID, id string) (Response, error) {
	var r Response
	var body string
	var input sql.NullString
	err := s.db.QueryRowContext(ctx, `SELECT session_id, messages, body, input FROM responses WHERE organization_id = $1 AND id = $2`,
		organizationID, id).Scan(&r.SessionID, &r.Messages, &body, &input)
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

// DeleteResponse forgets an answer; its session stays. The error wraps [ErrNotFound].
func (s *Store) DeleteResponse(ctx context.Context, organizationID, id string) error {
	n, err := s.change(ctx, `DELETE FROM responses WHERE organization_id = $1 AND id = $2`, organizationID, id)
	if err != nil {
		return fmt.Errorf("delete response: %w", err)
	}
	if n == 0 {
		return fmt.Errorf("response %q: %w", id, ErrNotFound)
	}
	return nil
}
