package keys

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
)

// Organization is a tenant.
type Organization struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
}

// CreateOrganization creates a tenant. Only an operator may do so.
func (s *Store) CreateOrganization(ctx context.Context, by Caller, name string) (Organization, error) {
	if !by.Operator {
		return Organization{}, ErrDenied
	}
	name = redact.Text(name)
	if problems := checkName(name); problems != nil {
		return Organization{}, check.Invalid(problems...)
	}
	now := s.now()
	o := Organization{ID: database.NewID(), Name: name, CreatedAt: database.Moment(now.UnixMicro())}
	err := database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO organizations (id, name, created_at, audit_length, audit_hash, audit_mac) VALUES ($1, $2, $3, 0, $4, $5)`,
			o.ID, o.Name, o.CreatedAt.UnixMicro(), []byte{}, s.auditEndMAC(o.ID, auditEnd{hash: []byte{}})); err != nil {
			return err
		}
		return s.RecordAudit(ctx, tx, by, o.ID, now, "organization.created", o.ID, map[string]any{"name": name})
	})
	if err != nil {
		return Organization{}, fmt.Errorf("create the organization: %w", err)
	}
	return o, nil
}

const selectOrganization = `SELECT id, name, created_at FROM organizations `

// Organization returns a tenant.
func (s *Store) Organization(ctx context.Context, id string) (Organization, error) {
	o, err := scanOrganization(s.db.QueryRowContext(ctx, selectOrganization+`WHERE id = $1`, id))
	return o, AsNotFound(err, "organization", id)
}

// Organizations lists all organizations. It does not check permissions; the caller must.
func (s *Store) Organizations(ctx context.Context, page database.Page) (list []Organization, next string, err error) {
	return database.ReadPage(ctx, s.db, page, "organizations", scanOrganization,
		func(o Organization) database.RowKey {
			return database.RowKey{Number: o.CreatedAt.UnixMicro(), ID: o.ID}
		},
		selectOrganization+`WHERE (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3`)
}

func scanOrganization(row database.Row) (o Organization, err error) {
	var created int64
	err = row.Scan(&o.ID, &o.Name, &created)
	o.CreatedAt = database.Moment(created)
	return o, err
}
