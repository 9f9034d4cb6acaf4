package keys

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
)

// ErrInProgress: a request with the same Idempotency-Key is still running. Its response is available once it has ended.
var ErrInProgress = errors.New("a request with this Idempotency-Key is still running")

const (
	responseLifetime = 24 * time.Hour
	// lostAfter is the age at which a request without a response counts as lost with its process. No request runs that
	// long.
	lostAfter = 5 * time.Minute
	// maxIdempotencyKey is the longest Idempotency-Key, in bytes.
	maxIdempotencyKey = 255
)

// IdempotentRequest is a request that carries an Idempotency-Key.
type IdempotentRequest struct {
	OrganizationID string
	KeyID          string   // the caller's API key; each has Idempotency-Keys of its own
	IdempotencyKey string   // the header's value
	RequestHash    [32]byte // SHA-256 of method, path and body
}

// SavedResponse is the response to a finished request. Secrets shown only once are null in its body.
type SavedResponse struct {
	Status int
	Body   []byte
}

// Idempotency stores the responses to requests with an Idempotency-Key for 24 hours. Replicas share them.
type Idempotency struct {
	db  *sql.DB
	now func() time.Time
}

// NewIdempotency returns a store on a migrated database.
func NewIdempotency(db *sql.DB, now func() time.Time) *Idempotency { return &Idempotency{db, now} }

// Begin claims the request. If it returns nil, the caller must carry out the request and then call [Idempotency.Finish] or
// [Idempotency.Release]; otherwise the request was carried out before, with the returned response. The error is
// [ErrInProgress] while somebody else carries it out, and an [*InvalidError] if the Idempotency-Key was used for another
// request.
func (i *Idempotency) Begin(ctx context.Context, a IdempotentRequest) (*SavedResponse, error) {
	if n := len(a.IdempotencyKey); n < 1 || n > maxIdempotencyKey {
		return nil, invalid("Idempotency-Key", fmt.Sprintf("must be 1 to %d bytes, got %d", maxIdempotencyKey, n))
	}
	if err := i.deleteExpired(ctx, a.OrganizationID); err != nil {
		return nil, err
	}
	claimed, err := i.claim(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("claim the Idempotency-Key: %w", err)
	}
	if claimed {
		return nil, nil
	}
	return i.savedResponse(ctx, a)
}

// storedKey returns the Idempotency-Key as stored: its hash if it contains a secret.
func (a IdempotentRequest) storedKey() string {
	if !redact.ContainsSecret(a.IdempotencyKey) {
		return a.IdempotencyKey
	}
	sum := sha256.Sum256([]byte(a.IdempotencyKey))
	return hex.EncodeToString(sum[:])
}

// claim inserts the request or takes over a lost one.
func (i *Idempotency) claim(ctx context.Context, a IdempotentRequest) (bool, error) {
	now := i.now()
	result, err := i.db.ExecContext(ctx, `
		INSERT INTO idempotency (organization_id, key_id, idempotency_key, request_hash, created_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (organization_id, key_id, idempotency_key) DO UPDATE
		SET request_hash = excluded.request_hash, created_at = excluded.created_at
		WHERE idempotency.status IS NULL AND idempotency.created_at <= $6`,
		a.OrganizationID, a.KeyID, a.storedKey(), a.RequestHash[:], now.UnixMicro(), now.Add(-lostAfter).UnixMicro())
	if err != nil {
		return false, err
	}
	rows, err := result.RowsAffected()
	return rows == 1, err
}

func (i *Idempotency) savedResponse(ctx context.Context, a IdempotentRequest) (*SavedResponse, error) {
	var hash, body []byte
	var status sql.Null[int]
	err := i.db.QueryRowContext(ctx, `
		SELECT request_hash, status, body FROM idempotency
		WHERE organization_id = $1 AND key_id = $2 AND idempotency_key = $3`,
		a.OrganizationID, a.KeyID, a.storedKey()).Scan(&hash, &status, &body)
	switch {
	case errors.Is(err, sql.ErrNoRows): // just released: the caller may try again
		return nil, ErrInProgress
	case err != nil:
		return nil, fmt.Errorf("look up the Idempotency-Key: %w", err)
	case string(hash) != string(a.RequestHash[:]):
		return nil, invalid("Idempotency-Key", fmt.Sprintf("must be new for another request, got %q again", redact.Text(a.IdempotencyKey)))
	case !status.Valid:
		return nil, ErrInProgress
	}
	return &SavedResponse{status.V, body}, nil
}

// Finish saves the response for repeated requests.
func (i *Idempotency) Finish(ctx context.Context, a IdempotentRequest, response SavedResponse) error {
	_, err := i.db.ExecContext(ctx, `
		UPDATE idempotency SET status = $1, body = $2
		WHERE organization_id = $3 AND key_id = $4 AND idempotency_key = $5 AND request_hash = $6`,
		response.Status, withoutNewSecrets(response.Body), a.OrganizationID, a.KeyID, a.storedKey(), a.RequestHash[:])
	if err != nil {
		return fmt.Errorf("save the response for its Idempotency-Key: %w", err)
	}
	return nil
}

// Release gives up the claim after a request that changed nothing, so that it can be tried again.
func (i *Idempotency) Release(ctx context.Context, a IdempotentRequest) error {
	_, err := i.db.ExecContext(ctx, `
		DELETE FROM idempotency
		WHERE organization_id = $1 AND key_id = $2 AND idempotency_key = $3 AND request_hash = $4 AND status IS NULL`,
		a.OrganizationID, a.KeyID, a.storedKey(), a.RequestHash[:])
	if err != nil {
		return fmt.Errorf("release the Idempotency-Key: %w", err)
	}
	return nil
}

// deleteExpired deletes an organization's expired responses. Requests that create something are rare enough to do it each
// time.
func (i *Idempotency) deleteExpired(ctx context.Context, orgID string) error {
	_, err := i.db.ExecContext(ctx, `DELETE FROM idempotency WHERE organization_id = $1 AND created_at <= $2`,
		orgID, i.now().Add(-responseLifetime).UnixMicro())
	if err != nil {
		return fmt.Errorf("delete expired responses: %w", err)
	}
	return nil
}
