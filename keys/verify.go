package keys

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"
	"time"

	"github.com/kopeck/kopeck/schemas/database"
)

// Verify finds the caller behind a key. The error wraps [ErrMalformed], [ErrUnknown], [ErrExpired], [ErrRevoked] or
// [ErrAltered]; the first two must look the same from outside. Any other error means that the question could not be answered within
// lookUpTime, and says nothing about the key.
//
// A key that was right is looked up again when keys or connections have been changed: on the replica that revokes it a
// revocation counts at once, on every other after a second at the latest.
func (s *Store) Verify(ctx context.Context, secret string) (Caller, error) {
	now, text := s.now(), []byte(secret)
	if !wellFormed(text) {
		return Caller{}, ErrMalformed
	}
	c, err := s.callers.get(ctx, sha256.Sum256(text), now, func(ctx context.Context) (Caller, error) { return s.lookUp(ctx, secret) })
	return c.unexpired(now, err)
}

// unexpired gives c back, unless it has expired since it was remembered.
func (c Caller) unexpired(now time.Time, err error) (Caller, error) {
	if err == nil && !now.Before(c.ExpiresAt) {
		return Caller{}, ErrExpired
	}
	return c, err
}

func (s *Store) lookUp(ctx context.Context, secret string) (Caller, error) {
	r, err := scanRecord(s.reading.QueryRowContext(ctx, selectRecord+`WHERE public_id = $1`, publicIDOf(secret)))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Caller{}, fmt.Errorf("look up the key: %w", err)
	}
	if err != nil {
		r.Digest = make([]byte, sha256.Size) // so that a miss takes as long as a wrong secret
	}
	if same := subtle.ConstantTimeCompare(r.Digest, s.digest(secret)) == 1; !same || err != nil {
		return Caller{}, ErrUnknown
	}
	c, err := s.callerBehind(r)
	if err != nil {
		return Caller{}, err
	}
	s.touch(owned{c.OrganizationID, c.KeyID}, s.now())
	if c.Operator {
		c.OrganizationID = "" // which one it acts for, the request must say
	}
	return c, nil
}

// lookUpTime is how long the database may take to tell a key. A replica that is cut off from it refuses every key after
// that, since it cannot know which are revoked.
const lookUpTime = 2500 * time.Millisecond

func (s *Store) digest(secret string) []byte {
	mac := s.macs.Get().(hash.Hash)
	defer s.macs.Put(mac)
	mac.Reset()
	mac.Write([]byte(secret))
	return mac.Sum(nil)
}

// owned names a key or connection of an organization.
type owned struct{ organizationID, id string }

func (s *Store) touch(key owned, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[key] = now
}

// flushEvery is how late last_used_at may be.
const flushEvery = 30 * time.Second

// Run writes down when keys were last used, every 30 seconds and once more when ctx ends. What could not be written is
// tried again with the next batch; the error is the last batch's.
func (s *Store) Run(ctx context.Context) error { return database.WriteEvery(ctx, flushEvery, s.flush) }

func (s *Store) flush(ctx context.Context) error {
	s.mu.Lock()
	used := s.used
	s.used = map[owned]time.Time{}
	s.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	err := database.InTx(ctx, s.db, func(tx *sql.Tx) error { return writeLastUsed(ctx, tx, used) })
	if err != nil {
		s.putBack(used)
		return fmt.Errorf("write when keys were last used: %w", err)
	}
	return nil
}

// writeLastUsed goes by id, so that two replicas never wait for each other's rows in turn.
func writeLastUsed(ctx context.Context, tx *sql.Tx, used map[owned]time.Time) error {
	for _, key := range slices.SortedFunc(maps.Keys(used), func(a, b owned) int { return cmp.Compare(a.id, b.id) }) {
		if _, err := tx.ExecContext(ctx, `
			UPDATE keys SET last_used_at = $1
			WHERE organization_id = $2 AND id = $3 AND (last_used_at IS NULL OR last_used_at < $1)`,
			used[key].UnixMicro(), key.organizationID, key.id); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) putBack(used map[owned]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, at := range used {
		if at.After(s.used[key]) {
			s.used[key] = at
		}
	}
}
