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
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
)

// Why a repeated request gets no response.
var (
	// ErrInProgress: the first request may still be running. Retry later to get its response.
	ErrInProgress = errors.New("a request with this Idempotency-Key is still running")
	// ErrOutcomeUnknown: the first request has probably ended without a response, for example with its process. It may have
	// created its object, so it must not be carried out again.
	ErrOutcomeUnknown = errors.New("the outcome of the request with this Idempotency-Key is unknown")
)

const (
	responseLifetime = 24 * time.Hour
	// lostAfter is the age at which a request without a response is called lost instead of running. It decides only what the
	// caller is told. If the request does finish later, repeating it returns its response.
	lostAfter = 10 * time.Minute
	// maxIdempotencyKey is the longest Idempotency-Key, in bytes.
	maxIdempotencyKey = 255
)

// IdempotentRequest identifies a request that carries an Idempotency-Key.
type IdempotentRequest struct {
	OrganizationID string
	KeyID          string   // the caller's API key: the same Idempotency-Key with another API key is another request
	IdempotencyKey string   // the header's value
	RequestHash    [32]byte // SHA-256 of method, path and body
}

// SavedResponse is the response to a finished request. Secrets that are shown only once are null in its body.
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

// Begin claims the request. If it returns nil, the caller must carry out the request and then call [Idempotency.Finish], or
// [Idempotency.Release] if it certainly created nothing. Otherwise it returns the response to the same request sent earlier.
// A claim that is neither finished nor released lasts as long as a response, so that nothing is created twice.
//
// The error is [ErrInProgress] while the same request is still running, [ErrOutcomeUnknown] if it was lost, and a
// [*check.InvalidError] if the Idempotency-Key was used for a different request.
func (i *Idempotency) Begin(ctx context.Context, a IdempotentRequest) (*SavedResponse, error) {
	if n := len(a.IdempotencyKey); n < 1 || n > maxIdempotencyKey {
		return nil, check.Invalid(outsideBytes.At("Idempotency-Key", maxIdempotencyKey).WithValue(n))
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
func (r IdempotentRequest) storedKey() string {
	if !redact.ContainsSecret(r.IdempotencyKey) {
		return r.IdempotencyKey
	}
	sum := sha256.Sum256([]byte(r.IdempotencyKey))
	return hex.EncodeToString(sum[:])
}

// claim stores the request. It returns false if the Idempotency-Key is in use.
func (i *Idempotency) claim(ctx context.Context, a IdempotentRequest) (bool, error) {
	return database.Changed(i.db.ExecContext(ctx, `
		INSERT INTO idempotency (organization_id, key_id, idempotency_key, request_hash, created_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (organization_id, key_id, idempotency_key) DO NOTHING`,
		a.OrganizationID, a.KeyID, a.storedKey(), a.RequestHash[:], i.now().UnixMicro()))
}

func (i *Idempotency) savedResponse(ctx context.Context, a IdempotentRequest) (*SavedResponse, error) {
	var hash, body []byte
	var status sql.Null[int]
	var began int64
	err := i.db.QueryRowContext(ctx, `
		SELECT request_hash, status, body, created_at FROM idempotency
		WHERE organization_id = $1 AND key_id = $2 AND idempotency_key = $3`,
		a.OrganizationID, a.KeyID, a.storedKey()).Scan(&hash, &status, &body, &began)
	switch {
	case errors.Is(err, sql.ErrNoRows): // released between the two queries: the caller may try again
		return nil, ErrInProgress
	case err != nil:
		return nil, fmt.Errorf("look up the Idempotency-Key: %w", err)
	case string(hash) != string(a.RequestHash[:]):
		return nil, check.Invalid(usedBefore.At("Idempotency-Key", check.Name(redact.Text(a.IdempotencyKey))))
	case !status.Valid && i.now().Sub(database.Moment(began)) >= lostAfter:
		return nil, ErrOutcomeUnknown
	case !status.Valid:
		return nil, ErrInProgress
	}
	return &SavedResponse{status.V, body}, nil
}

// Finish saves the response, to be returned when the request is repeated.
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

// Release withdraws the claim, so that the request can be sent again. Call it if the request changed nothing.
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

// deleteExpired deletes an organization's expired responses. Few requests carry an Idempotency-Key, so it can run on each
// of them.
func (i *Idempotency) deleteExpired(ctx context.Context, orgID string) error {
	_, err := i.db.ExecContext(ctx, `DELETE FROM idempotency WHERE organization_id = $1 AND created_at <= $2`,
		orgID, i.now().Add(-responseLifetime).UnixMicro())
	if err != nil {
		return fmt.Errorf("delete expired responses: %w", err)
	}
	return nil
}
