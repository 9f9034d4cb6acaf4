package keys

import (
	"context"
	"crypto/hmac"
	"database/sql"
	"fmt"

	"github.com/kopeck/kopeck/schemas/database"
)

// AcceptedRecords is how many records of each kind [Store.AcceptRecords] gave a new MAC.
type AcceptedRecords struct{ Keys, Audits, Limits int }

// AcceptRecords gives every key, audit and limit in the database a valid MAC, whatever its content. Run it only when a
// person asks for it: a record without a valid MAC may come from a version that wrote no MACs, or somebody with access to
// the database may have changed it.
func (s *Store) AcceptRecords(ctx context.Context) (found AcceptedRecords, err error) {
	err = database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		found, err = s.acceptAll(ctx, tx)
		return err
	})
	if err != nil {
		return AcceptedRecords{}, fmt.Errorf("write new MACs: %w", err)
	}
	return found, nil
}

// CountKeysWithoutMAC counts the keys that have no MAC. Such keys are refused.
func (s *Store) CountKeysWithoutMAC(ctx context.Context) (n int, err error) {
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM keys WHERE mac IS NULL`).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the keys without a MAC: %w", err)
	}
	return n, nil
}

func (s *Store) acceptAll(ctx context.Context, tx *sql.Tx) (found AcceptedRecords, err error) {
	ids, err := s.organizationIDs(ctx, tx)
	if err != nil {
		return AcceptedRecords{}, err
	}
	for _, id := range ids {
		here, err := s.acceptOrganization(ctx, tx, id)
		if err != nil {
			return AcceptedRecords{}, err
		}
		found.Keys += here.Keys
		found.Audits += here.Audits
		found.Limits += here.Limits
	}
	return found, nil
}

// acceptOrganization accepts the records of one organization, and adds the counts to its audit as one record.
func (s *Store) acceptOrganization(ctx context.Context, tx *sql.Tx, orgID string) (found AcceptedRecords, err error) {
	end, err := lockAudit(ctx, tx, orgID)
	if err != nil {
		return AcceptedRecords{}, err
	}
	all, err := database.Rows(ctx, tx, scanRecord, selectRecord+`WHERE organization_id = $1`, orgID)
	if err != nil {
		return AcceptedRecords{}, err
	}
	for _, r := range all {
		if hmac.Equal(r.mac, s.macOf(r)) {
			continue
		}
		found.Keys++
		if _, err := tx.ExecContext(ctx, `UPDATE keys SET mac = $1 WHERE id = $2`, s.macOf(r), r.ID); err != nil {
			return AcceptedRecords{}, err
		}
	}
	if mac := s.auditEndMAC(orgID, end); !hmac.Equal(end.mac, mac) {
		found.Audits++
		end.mac = mac
		if err := writeAuditEnd(ctx, tx, orgID, end); err != nil {
			return AcceptedRecords{}, err
		}
	}
	if found.Limits, err = s.acceptLimits(ctx, tx, orgID); err != nil {
		return AcceptedRecords{}, err
	}
	if found == (AcceptedRecords{}) {
		return found, nil
	}
	return found, s.RecordAudit(ctx, tx, Caller{KeyID: "service"}, orgID, s.now(), "records.sealed", orgID,
		map[string]any{"keys": found.Keys, "audits": found.Audits, "limits": found.Limits})
}

func (s *Store) organizationIDs(ctx context.Context, q rowQuerier) ([]string, error) {
	ids, err := database.Rows(ctx, q, func(row database.Row) (id string, err error) { return id, row.Scan(&id) },
		`SELECT id FROM organizations ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("list organizations: %w", err)
	}
	return ids, nil
}
