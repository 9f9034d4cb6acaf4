package keys

import (
	"context"
	"crypto/hmac"
	"database/sql"
	"fmt"
	"time"

	"github.com/kopeck/kopeck/schemas/database"
)

// sealed reports whether a record without its right MAC was changed outside of this program. Before, it may be one that an
// older program has written. A process that has seen the records sealed never takes an unsealed one again.
func (s *Store) sealed(ctx context.Context, q querier) (bool, error) {
	if s.enforced.Load() {
		return true, nil
	}
	var since *int64
	err := q.QueryRowContext(ctx, `SELECT max(sealed_at) FROM master_key`).Scan(&since)
	if err != nil {
		return false, fmt.Errorf("look up since when records are sealed: %w", err)
	}
	if since != nil {
		s.enforced.Store(true)
	}
	return since != nil, nil
}

// Sealing is what a sealing found: how many keys and audits had no right MAC.
type Sealing struct{ Keys, Audits int }

// SealOldRecords gives MACs to the records of a program that did not write them, once in a database's life, and not before
// the first call is so long ago: while replicas are replaced one by one, old ones go on writing. From then on a record
// without its right MAC is refused. Until then due is when it will be.
func (s *Store) SealOldRecords(ctx context.Context, wait time.Duration) (found Sealing, due *time.Time, err error) {
	if s.enforced.Load() {
		return Sealing{}, nil, nil
	}
	err = database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		now := s.now()
		var at int64
		var since *int64
		err := tx.QueryRowContext(ctx, `UPDATE master_key SET seal_at = CASE WHEN seal_at < $1 THEN seal_at ELSE $1 END WHERE id = 1
			RETURNING seal_at, sealed_at`, now.Add(wait).UnixMicro()).Scan(&at, &since)
		if err != nil || since != nil {
			return err
		}
		if opens := database.Moment(at); now.Before(opens) {
			due = &opens
			return nil
		}
		found, err = s.sealAll(ctx, tx)
		return err
	})
	if err != nil {
		return Sealing{}, nil, fmt.Errorf("seal the records: %w", err)
	}
	return found, due, nil
}

// SealAsTheyAre accepts all keys and audits as they stand in the database, for the person who has looked into a change.
func (s *Store) SealAsTheyAre(ctx context.Context) (found Sealing, err error) {
	err = database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		found, err = s.sealAll(ctx, tx)
		return err
	})
	if err != nil {
		return Sealing{}, fmt.Errorf("seal the records: %w", err)
	}
	return found, nil
}

func (s *Store) sealAll(ctx context.Context, tx *sql.Tx) (found Sealing, err error) {
	ids, err := s.organizationIDs(ctx, tx)
	if err != nil {
		return Sealing{}, err
	}
	for _, id := range ids {
		here, err := s.sealOrganization(ctx, tx, id)
		if err != nil {
			return Sealing{}, err
		}
		found.Keys += here.Keys
		found.Audits += here.Audits
	}
	_, err = tx.ExecContext(ctx, `UPDATE master_key SET sealed_at = $1 WHERE id = 1`, s.now().UnixMicro())
	return found, err
}

// sealOrganization says in the audit that it has sealed something: who takes the seals off to have altered records sealed
// leaves that behind.
func (s *Store) sealOrganization(ctx context.Context, tx *sql.Tx, orgID string) (found Sealing, err error) {
	end, err := lockChain(ctx, tx, orgID)
	if err != nil {
		return Sealing{}, err
	}
	all, err := database.Rows(ctx, tx, scanRecord, selectRecord+`WHERE organization_id = $1`, orgID)
	if err != nil {
		return Sealing{}, err
	}
	for _, r := range all {
		if hmac.Equal(r.mac, s.macOf(r)) {
			continue
		}
		found.Keys++
		if _, err := tx.ExecContext(ctx, `UPDATE keys SET mac = $1 WHERE id = $2`, s.macOf(r), r.ID); err != nil {
			return Sealing{}, err
		}
	}
	if mac := s.macOfEnd(orgID, end); !hmac.Equal(end.mac, mac) {
		found.Audits++
		end.mac = mac
		if err := setEnd(ctx, tx, orgID, end); err != nil {
			return Sealing{}, err
		}
	}
	if found == (Sealing{}) {
		return found, nil
	}
	return found, s.RecordAudit(ctx, tx, Caller{KeyID: "service"}, orgID, s.now(), "records.sealed", orgID,
		map[string]any{"keys": found.Keys, "audits": found.Audits})
}

func (s *Store) organizationIDs(ctx context.Context, q querier) ([]string, error) {
	ids, err := database.Rows(ctx, q, func(row database.Row) (id string, err error) { return id, row.Scan(&id) },
		`SELECT id FROM organizations ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("list organizations: %w", err)
	}
	return ids, nil
}
