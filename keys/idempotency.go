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

// ErrInProgress: a request with the same Idempotency-Key is still running. Its answer is there once it has ended.
var ErrInProgress = errors.New("a request with this Idempotency-Key is still running")

const (
	keptAnswer = 24 * time.Hour
	// abandoned is how old an unanswered request must be to count as lost with its process; no request runs that long.
	abandoned = 5 * time.Minute
	// maxIdempotencyKey is how long the caller's word may be, in bytes.
	maxIdempotencyKey = 255
)

// Attempt is a request that carries an Idempotency-Key.
type Attempt struct {
	OrganizationID string
	KeyID          string   // the API key that asks; the same word of another key is another request
	IdempotencyKey string   // the caller's word
	RequestHash    [32]byte // SHA-256 of method, path and body
}

// Answer is what was answered. API keys in the body are replaced by null: a secret is never shown a second time.
type Answer struct {
	Status int
	Body   []byte
}

// Idempotency remembers for 24 hours what requests with an Idempotency-Key were answered, for all replicas.
type Idempotency struct {
	db  *sql.DB
	now func() time.Time
}

// NewIdempotency works on migrated tables.
func NewIdempotency(db *sql.DB, now func() time.Time) *Idempotency { return &Idempotency{db, now} }

// Begin claims the attempt. With a nil answer it is the caller's to carry out, and to end with [Idempotency.Finish] or
// [Idempotency.Forget]; otherwise it was carried out before and answered so. The error is [ErrInProgress] while another
// carries it out, and an [*InvalidError] if the word was used for another request.
func (i *Idempotency) Begin(ctx context.Context, a Attempt) (*Answer, error) {
	if n := len(a.IdempotencyKey); n < 1 || n > maxIdempotencyKey {
		return nil, invalid("Idempotency-Key", fmt.Sprintf("must be 1 to %d bytes, got %d", maxIdempotencyKey, n))
	}
	if err := i.dropOld(ctx, a.OrganizationID); err != nil {
		return nil, err
	}
	claimed, err := i.claim(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("claim the Idempotency-Key: %w", err)
	}
	if claimed {
		return nil, nil
	}
	return i.answered(ctx, a)
}

// word is the caller's word as it is kept: its digest, if it holds a secret.
func (a Attempt) word() string {
	if !redact.Finds(a.IdempotencyKey) {
		return a.IdempotencyKey
	}
	sum := sha256.Sum256([]byte(a.IdempotencyKey))
	return hex.EncodeToString(sum[:])
}

// claim inserts the attempt, or takes over from one that was lost.
func (i *Idempotency) claim(ctx context.Context, a Attempt) (bool, error) {
	now := i.now()
	result, err := i.db.ExecContext(ctx, `
		INSERT INTO idempotency (organization_id, key_id, idempotency_key, request_hash, created_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (organization_id, key_id, idempotency_key) DO UPDATE
		SET request_hash = excluded.request_hash, created_at = excluded.created_at
		WHERE idempotency.status IS NULL AND idempotency.created_at <= $6`,
		a.OrganizationID, a.KeyID, a.word(), a.RequestHash[:], now.UnixMicro(), now.Add(-abandoned).UnixMicro())
	if err != nil {
		return false, err
	}
	rows, err := result.RowsAffected()
	return rows == 1, err
}

func (i *Idempotency) answered(ctx context.Context, a Attempt) (*Answer, error) {
	var hash, body []byte
	var status sql.Null[int]
	err := i.db.QueryRowContext(ctx, `
		SELECT request_hash, status, body FROM idempotency
		WHERE organization_id = $1 AND key_id = $2 AND idempotency_key = $3`,
		a.OrganizationID, a.KeyID, a.IdempotencyKey).Scan(&hash, &status, &body)
	switch {
	case errors.Is(err, sql.ErrNoRows): // forgotten just now: the caller may ask again
		return nil, ErrInProgress
	case err != nil:
		return nil, fmt.Errorf("look up the Idempotency-Key: %w", err)
	case string(hash) != string(a.RequestHash[:]):
		return nil, invalid("Idempotency-Key", fmt.Sprintf("must be new for another request, got %q again", a.IdempotencyKey))
	case !status.Valid:
		return nil, ErrInProgress
	}
	return &Answer{status.V, body}, nil
}

// Finish keeps the answer for the attempt's repetitions.
func (i *Idempotency) Finish(ctx context.Context, a Attempt, answer Answer) error {
	_, err := i.db.ExecContext(ctx, `
		UPDATE idempotency SET status = $1, body = $2
		WHERE organization_id = $3 AND key_id = $4 AND idempotency_key = $5 AND request_hash = $6`,
		answer.Status, withoutKeys(answer.Body), a.OrganizationID, a.KeyID, a.word(), a.RequestHash[:])
	if err != nil {
		return fmt.Errorf("keep the answer for its Idempotency-Key: %w", err)
	}
	return nil
}

// Forget gives the word back after a request that changed nothing, so that it can be tried again.
func (i *Idempotency) Forget(ctx context.Context, a Attempt) error {
	_, err := i.db.ExecContext(ctx, `
		DELETE FROM idempotency
		WHERE organization_id = $1 AND key_id = $2 AND idempotency_key = $3 AND request_hash = $4 AND status IS NULL`,
		a.OrganizationID, a.KeyID, a.word(), a.RequestHash[:])
	if err != nil {
		return fmt.Errorf("give back the Idempotency-Key: %w", err)
	}
	return nil
}

// dropOld deletes an organization's answers that are out of date. Requests that create are rare enough to pay for it.
func (i *Idempotency) dropOld(ctx context.Context, orgID string) error {
	_, err := i.db.ExecContext(ctx, `DELETE FROM idempotency WHERE organization_id = $1 AND created_at <= $2`,
		orgID, i.now().Add(-keptAnswer).UnixMicro())
	if err != nil {
		return fmt.Errorf("drop old answers: %w", err)
	}
	return nil
}
