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

// ConnectionState says whether the upstream accepts a connection's token.
type ConnectionState string

// The states of a connection.
const (
	Verified ConnectionState = "verified"
	Failing  ConnectionState = "failing" // the upstream refused the current token
)

// Permissions are what the employee who owns the token may do upstream.
type Permissions struct {
	ViewCost       bool `json:"view_cost"`
	ViewMoney      bool `json:"view_money"`
	WriteDocuments bool `json:"write_documents"`
}

// Connection is an organization's access to one upstream account, without its token.
type Connection struct {
	ID          string          `json:"id"`
	Connector   string          `json:"connector"` // the upstream system: moysklad
	Name        string          `json:"name"`
	AccountID   string          `json:"account_id"` // the upstream's id of the account
	AccountName string          `json:"account_name"`
	State       ConnectionState `json:"state"`
	VerifiedAt  time.Time       `json:"verified_at"` // when the upstream last accepted the token
	Permissions Permissions     `json:"permissions"`
	CreatedAt   time.Time       `json:"created_at"`
}

// NewConnection describes a connection whose token the upstream has just accepted.
type NewConnection struct {
	OrganizationID         string
	Connector, Name        string
	AccountID, AccountName string
	Permissions            Permissions
	Token                  Secret
}

// AddConnection stores a connection and seals its token.
func (s *Store) AddConnection(ctx context.Context, by Caller, n NewConnection) (Connection, error) {
	n.Name, n.AccountName = redact.Text(n.Name), redact.Text(n.AccountName)
	if problems := checkName(n.Name); problems != nil {
		return Connection{}, check.Invalid(problems...)
	}
	if n.Token.Reveal() == "" {
		return Connection{}, check.Invalid(check.Empty.At("token"))
	}
	now := database.Moment(s.now().UnixMicro())
	c := Connection{database.NewID(), n.Connector, n.Name, n.AccountID, n.AccountName, Verified, now, n.Permissions, now}
	err := s.changeAndAudit(ctx, by, n.OrganizationID, "add the connection", func(tx *sql.Tx) (auditEvent, error) {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO connections (id, organization_id, connector, name, account_id, account_name, state, verified_at,
				view_cost, view_money, write_documents, sealed_token, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			c.ID, n.OrganizationID, c.Connector, c.Name, c.AccountID, c.AccountName, c.State, c.VerifiedAt.UnixMicro(),
			boolInt(c.Permissions.ViewCost), boolInt(c.Permissions.ViewMoney), boolInt(c.Permissions.WriteDocuments),
			s.sealer.seal(n.Token, tokenBinding(n.OrganizationID, c.ID)), c.CreatedAt.UnixMicro())
		return auditEvent{"connection.added", c.ID, map[string]any{
			"connector": c.Connector, "name": c.Name, "account_id": c.AccountID, "permissions": c.Permissions,
		}}, err
	})
	return c, err
}

func tokenBinding(orgID, connectionID string) SealBinding {
	return SealBinding{orgID, connectionID, "upstream token"}
}

const (
	connectionColumns = `id, connector, name, account_id, account_name, state, verified_at,
	view_cost, view_money, write_documents, created_at FROM connections `
	selectConnection = `SELECT ` + connectionColumns
)

// Connections lists an organization's connections.
func (s *Store) Connections(ctx context.Context, orgID string, page database.Page) (list []Connection, next string, err error) {
	return database.ReadPage(ctx, s.db, page, "connections", scanConnection,
		func(c Connection) database.RowKey { return database.RowKey{Number: c.CreatedAt.UnixMicro(), ID: c.ID} },
		selectConnection+`WHERE organization_id = $4 AND (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3`, orgID)
}

// CachedConnections returns all of an organization's connections, as they were at most a second ago. The caller must not
// change the slice.
func (s *Store) CachedConnections(ctx context.Context, orgID string) ([]Connection, error) {
	read := func(ctx context.Context) ([]Connection, error) {
		all, err := database.Rows(ctx, s.readDB, scanConnection, selectConnection+`WHERE organization_id = $1`, orgID)
		if err != nil {
			return nil, fmt.Errorf("list connections: %w", err)
		}
		return all, nil
	}
	all, err := s.connections.get(ctx, orgID, s.now(), read)
	if err == nil && len(all) == 0 {
		return read(ctx) // an empty list is not trusted, so that the first connection is visible at once
	}
	return all, err
}

// Connection finds one of an organization's connections.
func (s *Store) Connection(ctx context.Context, orgID, id string) (Connection, error) {
	return connection(ctx, s.db, orgID, id)
}

func connection(ctx context.Context, q rowQuerier, orgID, id string) (Connection, error) {
	c, err := scanConnection(q.QueryRowContext(ctx, selectConnection+`WHERE organization_id = $1 AND id = $2`, orgID, id))
	return c, AsNotFound(err, "connection", id)
}

// CheckConnectionExists checks that a connection has not been deleted in the meantime; the error wraps [ErrNotFound].
//
// Call it in a transaction that has already called [Store.RecordAudit]. Deleting a connection writes to the same audit, so
// a simultaneous deletion waits for this transaction or makes it fail.
func CheckConnectionExists(ctx context.Context, tx *sql.Tx, orgID, id string) error {
	_, err := connection(ctx, tx, orgID, id)
	return err
}

func scanConnection(row database.Row) (Connection, error) {
	var c Connection
	var verified, created int64
	var cost, money, write int
	err := row.Scan(&c.ID, &c.Connector, &c.Name, &c.AccountID, &c.AccountName, &c.State, &verified,
		&cost, &money, &write, &created)
	c.VerifiedAt, c.CreatedAt = database.Moment(verified), database.Moment(created)
	c.Permissions = Permissions{cost != 0, money != 0, write != 0}
	return c, err
}

// UnsealedConnection is a connection with its token. The token is only for the upstream's client and must never be in a
// response.
type UnsealedConnection struct {
	Connection
	Token Secret
}

// UnsealConnection returns one of an organization's connections with its token, as they were at most a second ago.
func (s *Store) UnsealConnection(ctx context.Context, orgID, id string) (UnsealedConnection, error) {
	return s.unsealed.get(ctx, objectRef{orgID, id}, s.now(), func(ctx context.Context) (UnsealedConnection, error) {
		return s.UnsealConnectionNow(ctx, orgID, id)
	})
}

// UnsealConnectionNow is [Store.UnsealConnection] without the cache.
func (s *Store) UnsealConnectionNow(ctx context.Context, orgID, id string) (UnsealedConnection, error) {
	return s.unsealConnection(ctx, s.readDB, orgID, id)
}

func (s *Store) unsealConnection(ctx context.Context, q rowQuerier, orgID, id string) (UnsealedConnection, error) {
	var a UnsealedConnection
	var sealed string
	row := q.QueryRowContext(ctx, `SELECT sealed_token, `+connectionColumns+` WHERE organization_id = $1 AND id = $2`, orgID, id)
	var err error
	if a.Connection, err = scanConnection(prefixedRow{row, []any{&sealed}}); err != nil {
		return UnsealedConnection{}, AsNotFound(err, "connection", id)
	}
	a.Token, err = s.sealer.open(sealed, tokenBinding(orgID, id))
	return a, err
}

// MarkTokenRefused marks a connection as failing after the upstream refused a token. The stored token may have been
// replaced since, so nothing changes unless isRefused returns true for it. The caches are cleared in any case.
func (s *Store) MarkTokenRefused(ctx context.Context, by Caller, orgID, id string, isRefused func(Secret) bool) (Connection, error) {
	var c Connection
	err := s.changeAndAudit(ctx, by, orgID, "mark the connection failing", func(tx *sql.Tx) (auditEvent, error) {
		stored, err := s.unsealConnection(ctx, tx, orgID, id)
		c = stored.Connection
		if err != nil || c.State == Failing || !isRefused(stored.Token) {
			return auditEvent{}, err
		}
		c.State = Failing
		if err := s.writeState(ctx, tx, orgID, &c); err != nil {
			return auditEvent{}, err
		}
		return auditEvent{"connection." + string(Failing), id, map[string]any{"permissions": c.Permissions}}, nil
	})
	return c, err
}

// UpdateConnection stores the state and permissions that the upstream has just reported for a token of the connection. If the
// token has been replaced since, nothing changes.
func (s *Store) UpdateConnection(
	ctx context.Context, by Caller, orgID, id string, token Secret, state ConnectionState, p Permissions,
) (Connection, error) {
	var c Connection
	err := s.changeAndAudit(ctx, by, orgID, "update the connection", func(tx *sql.Tx) (auditEvent, error) {
		stored, err := s.unsealConnection(ctx, tx, orgID, id)
		c = stored.Connection
		if err != nil || stored.Token != token {
			return auditEvent{}, err
		}
		changed := c.State != state || c.Permissions != p
		c.State, c.Permissions = state, p
		if err := s.writeState(ctx, tx, orgID, &c); err != nil || !changed {
			return auditEvent{}, err
		}
		return auditEvent{"connection." + string(state), id, map[string]any{"permissions": p}}, nil
	})
	return c, err
}

// ReplaceToken stores a new token, which the upstream has just accepted for the same account.
func (s *Store) ReplaceToken(ctx context.Context, by Caller, orgID, id string, token Secret, p Permissions) (Connection, error) {
	if token.Reveal() == "" {
		return Connection{}, check.Invalid(check.Empty.At("token"))
	}
	var c Connection
	err := s.changeAndAudit(ctx, by, orgID, "replace the connection's token", func(tx *sql.Tx) (auditEvent, error) {
		var err error
		if c, err = connection(ctx, tx, orgID, id); err != nil {
			return auditEvent{}, err
		}
		c.State, c.Permissions = Verified, p
		if err := s.writeState(ctx, tx, orgID, &c); err != nil {
			return auditEvent{}, err
		}
		_, err = tx.ExecContext(ctx, `UPDATE connections SET sealed_token = $1 WHERE organization_id = $2 AND id = $3`,
			s.sealer.seal(token, tokenBinding(orgID, id)), orgID, id)
		return auditEvent{"connection.token_replaced", id, map[string]any{"permissions": p}}, err
	})
	return c, err
}

// writeState writes the state and permissions, and updates verified_at if the token was accepted.
func (s *Store) writeState(ctx context.Context, tx *sql.Tx, orgID string, c *Connection) error {
	if c.State == Verified {
		c.VerifiedAt = database.Moment(s.now().UnixMicro())
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE connections SET state = $1, verified_at = $2, view_cost = $3, view_money = $4, write_documents = $5
		WHERE organization_id = $6 AND id = $7`,
		c.State, c.VerifiedAt.UnixMicro(), boolInt(c.Permissions.ViewCost), boolInt(c.Permissions.ViewMoney),
		boolInt(c.Permissions.WriteDocuments), orgID, c.ID)
	return err
}

// DeleteConnection deletes a connection and its sealed token. The audit keeps a record of it.
func (s *Store) DeleteConnection(ctx context.Context, by Caller, orgID, id string) error {
	return s.changeAndAudit(ctx, by, orgID, "delete the connection", func(tx *sql.Tx) (auditEvent, error) {
		c, err := connection(ctx, tx, orgID, id)
		if err != nil {
			return auditEvent{}, err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM connections WHERE organization_id = $1 AND id = $2`, orgID, id)
		return auditEvent{"connection.deleted", id, map[string]any{"name": c.Name, "account_id": c.AccountID}}, err
	})
}
