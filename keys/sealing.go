package keys

import (
	"context"
	"crypto/hmac"
	"database/sql"
	"fmt"

	"github.com/kopeck/kopeck/schemas/database"
)

// Sealing is what a sealing found: how many keys, audits and limits had no right MAC.
type Sealing struct{ Keys, Audits, Limits int }

// SealRecords accepts all keys, audits and limits as they stand in the database. Only a person decides on that: the records may
// be of a program that wrote no MACs, or somebody with access to the database may have changed them.
func (s *Store) SealRecords(ctx context.Context) (found Sealing, err error) {
	err = database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		found, err = s.sealAll(ctx, tx)
		return err
	})
	if err != nil {
		return Sealing{}, fmt.Errorf("seal the records: %w", err)
	}
	return found, nil
}

// Unsealed is how many keys have no MAC. They are refused.
func (s *Store) Unsealed(ctx context.Context) (n int, err error) {
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM keys WHERE mac IS NULL`).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the keys without a seal: %w", err)
	}
	return n, nil
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
		found.Limits += here.Limits
	}
	return found, nil
}

// sealOrganization says in the audit what it has sealed.
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
	if found.Limits, err = s.sealLimits(ctx, tx, orgID); err != nil {
		return Sealing{}, err
	}
	if found == (Sealing{}) {
		return found, nil
	}
	return found, s.RecordAudit(ctx, tx, Caller{KeyID: "service"}, orgID, s.now(), "records.sealed", orgID,
		map[string]any{"keys": found.Keys, "audits": found.Audits, "limits": found.Limits})
}

func (s *Store) organizationIDs(ctx context.Context, q querier) ([]string, error) {
	ids, err := database.Rows(ctx, q, func(row database.Row) (id string, err error) { return id, row.Scan(&id) },
		`SELECT id FROM organizations ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("list organizations: %w", err)
	}
	return ids, nil
}
