package keys

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kopeck/kopeck/schemas/database"
)

// Verify returns the caller that a key's secret belongs to. The error wraps [ErrMalformed], [ErrUnknown], [ErrExpired],
// [ErrRevoked] or [ErrAltered]; callers must not be able to tell the first two apart. Any other error means that the
// database did not respond within lookUpTime, and the key may be valid.
//
// Results are cached. A revocation takes effect at once on the replica that makes it, and within a second on the others.
func (s *Store) Verify(ctx context.Context, secret string) (Caller, error) {
	now, text := s.now(), []byte(secret)
	if !wellFormed(text) {
		return Caller{}, ErrMalformed
	}
	c, err := s.callers.get(ctx, sha256.Sum256(text), now, func(ctx context.Context) (Caller, error) { return s.lookUp(ctx, secret) })
	return c.unexpired(s.sharedNow(), err)
}

// unexpired returns ErrExpired if c has expired while it was cached.
func (c Caller) unexpired(now time.Time, err error) (Caller, error) {
	if err == nil && !now.Before(c.ExpiresAt) {
		return Caller{}, ErrExpired
	}
	return c, err
}

func (s *Store) lookUp(ctx context.Context, secret string) (Caller, error) {
	r, err := scanRecord(s.readDB.QueryRowContext(ctx, selectRecord+`WHERE public_id = $1`, publicPart(secret)))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Caller{}, fmt.Errorf("look up the key: %w", err)
	}
	if err != nil {
		r.SecretHash = make([]byte, sha256.Size) // so that an unknown id takes as long as a wrong secret
	}
	if same := subtle.ConstantTimeCompare(r.SecretHash, s.hashSecret(secret)) == 1; !same || err != nil {
		return Caller{}, ErrUnknown
	}
	c, err := s.callerFor(r)
	if err != nil {
		return Caller{}, err
	}
	s.noteUse(objectRef{c.OrganizationID, c.KeyID}, s.now())
	if c.Operator {
		c.OrganizationID = "" // the request must name the organization
	}
	return c, nil
}

// lookUpTime limits the look-up of a key. A replica that loses the database refuses every key after this time, since it
// cannot know which were revoked.
const lookUpTime = 2500 * time.Millisecond

func (s *Store) hashSecret(secret string) []byte {
	mac := hmac.New(sha256.New, s.hashKey)
	mac.Write([]byte(secret))
	return mac.Sum(nil)
}

// objectRef identifies a key or connection of an organization.
type objectRef struct{ organizationID, id string }

func (s *Store) noteUse(key objectRef, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastUsed[key] = now
}

// flushEvery is how often the times of last use are written.
const flushEvery = 30 * time.Second

// Run writes the times of last use every 30 seconds, and once more when ctx ends. If a write fails, the next one includes
// its times. Run passes the errors to failed.
func (s *Store) Run(ctx context.Context, failed func(error)) {
	database.WriteEvery(ctx, flushEvery, s.flush, failed)
}

func (s *Store) flush(ctx context.Context) error {
	s.mu.Lock()
	used := s.lastUsed
	s.lastUsed = map[objectRef]time.Time{}
	s.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	err := database.InTx(ctx, s.db, func(tx *sql.Tx) error { return writeLastUsed(ctx, tx, used) })
	if err != nil {
		s.restoreUnwritten(used)
		return fmt.Errorf("write when keys were last used: %w", err)
	}
	return nil
}

// writeLastUsed updates rows in the order of their ids, because replicas that update the same rows in different orders can
// deadlock.
func writeLastUsed(ctx context.Context, tx *sql.Tx, used map[objectRef]time.Time) error {
	for _, key := range slices.SortedFunc(maps.Keys(used), func(a, b objectRef) int { return cmp.Compare(a.id, b.id) }) {
		if _, err := tx.ExecContext(ctx, `
			UPDATE keys SET last_used_at = $1
			WHERE organization_id = $2 AND id = $3 AND (last_used_at IS NULL OR last_used_at < $1)`,
			used[key].UnixMicro(), key.organizationID, key.id); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) restoreUnwritten(used map[objectRef]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, at := range used {
		if at.After(s.lastUsed[key]) {
			s.lastUsed[key] = at
		}
	}
}
