package keys

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/database"
)

// ConnectionState is whether the upstream accepts a connection's token.
type ConnectionState string

// The states of a connection.
const (
	Verified ConnectionState = "verified"
	Failing  ConnectionState = "failing" // the upstream refused the token in use
)

// Permissions is what the role of the employee whose token it is may do upstream.
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
	AccountID   string          `json:"account_id"` // the upstream's id of the set of books
	AccountName string          `json:"account_name"`
	State       ConnectionState `json:"state"`
	VerifiedAt  time.Time       `json:"verified_at"` // when the upstream last accepted the token
	Permissions Permissions     `json:"permissions"`
	CreatedAt   time.Time       `json:"created_at"`
}

// NewConnection is a connection whose token the upstream has just accepted.
type NewConnection struct {
	OrganizationID         string
	Connector, Name        string
	AccountID, AccountName string
	Permissions            Permissions
	Token                  Secret
}

// AddConnection stores a connection, its token sealed.
func (s *Store) AddConnection(ctx context.Context, by Caller, n NewConnection) (Connection, error) {
	n.Name, n.AccountName = redact.Text(n.Name), redact.Text(n.AccountName)
	if problems := checkName(n.Name); problems != nil {
		return Connection{}, &InvalidError{problems}
	}
	if n.Token.Reveal() == "" {
		return Connection{}, invalid("token", "must not be empty")
	}
	now := database.Moment(s.now().UnixMicro())
	c := Connection{newID(), n.Connector, n.Name, n.AccountID, n.AccountName, Verified, now, n.Permissions, now}
	err := s.change(ctx, by, n.OrganizationID, func(tx *sql.Tx) (event, error) {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO connections (id, organization_id, connector, name, account_id, account_name, state, verified_at,
				view_cost, view_money, write_documents, sealed_token, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			c.ID, n.OrganizationID, c.Connector, c.Name, c.AccountID, c.AccountName, c.State, c.VerifiedAt.UnixMicro(),
			flag(c.Permissions.ViewCost), flag(c.Permissions.ViewMoney), flag(c.Permissions.WriteDocuments),
			s.sealer.seal(n.Token, tokenPlace(n.OrganizationID, c.ID)), c.CreatedAt.UnixMicro())
		return event{"connection.added", c.ID, map[string]any{
			"connector": c.Connector, "name": c.Name, "account_id": c.AccountID, "permissions": c.Permissions,
		}}, err
	})
	if err != nil {
		return Connection{}, fmt.Errorf("add the connection: %w", err)
	}
	return c, nil
}

func tokenPlace(orgID, connectionID string) Place {
	return Place{orgID, connectionID, "upstream token"}
}

const (
	connectionColumns = `id, connector, name, account_id, account_name, state, verified_at,
	view_cost, view_money, write_documents, created_at FROM connections `
	selectConnection = `SELECT ` + connectionColumns
)

// Connections lists an organization's connections.
func (s *Store) Connections(ctx context.Context, orgID string, page Page) (shown []Connection, next string, err error) {
	limit, after, err := page.Read()
	if err != nil {
		return nil, "", err
	}
	rows, err := database.Rows(ctx, s.db, scanConnection, selectConnection+`
		WHERE organization_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4`,
		orgID, after.Number, after.ID, limit+1)
	if err != nil {
		return nil, "", fmt.Errorf("list connections: %w", err)
	}
	shown, next = database.Cut(
		rows, limit, func(c Connection) database.Mark { return database.Mark{Number: c.CreatedAt.UnixMicro(), ID: c.ID} },
	)
	return shown, next, nil
}

// Reachable are all of an organization's connections, as they were within the last second. The slice is not the caller's
// to change.
func (s *Store) Reachable(ctx context.Context, orgID string) ([]Connection, error) {
	read := func(ctx context.Context) ([]Connection, error) {
		all, err := database.Rows(ctx, s.reading, scanConnection, selectConnection+`WHERE organization_id = $1`, orgID)
		if err != nil {
			return nil, fmt.Errorf("list connections: %w", err)
		}
		return all, nil
	}
	all, err := s.connections.get(ctx, orgID, s.now(), read)
	if err == nil && len(all) == 0 {
		return read(ctx) // the first one is to be there at once
	}
	return all, err
}

// Connection finds one of an organization's connections.
func (s *Store) Connection(ctx context.Context, orgID, id string) (Connection, error) {
	return connection(ctx, s.db, orgID, id)
}

func connection(ctx context.Context, q querier, orgID, id string) (Connection, error) {
	c, err := scanConnection(q.QueryRowContext(ctx, selectConnection+`WHERE organization_id = $1 AND id = $2`, orgID, id))
	return c, missing(err, "connection", id)
}

// CheckConnected makes sure, within a transaction that [Store.RecordAudit] has written to, that a connection has not been deleted
// meanwhile: the error wraps [ErrNotFound]. A deletion writes to the same audit, so either it comes after the transaction or
// the transaction fails.
func CheckConnected(ctx context.Context, tx *sql.Tx, orgID, id string) error {
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

// Access is a connection with its token, which is for the upstream's client alone: no answer may carry it.
type Access struct {
	Connection
	Token Secret
}

// Access opens one of an organization's connections, as it was within the last second.
func (s *Store) Access(ctx context.Context, orgID, id string) (Access, error) {
	return s.accesses.get(ctx, owned{orgID, id}, s.now(), func(ctx context.Context) (Access, error) { return s.AccessNow(ctx, orgID, id) })
}

// AccessNow is [Store.Access] as it is now, whatever is remembered.
func (s *Store) AccessNow(ctx context.Context, orgID, id string) (Access, error) {
	return s.access(ctx, s.reading, orgID, id)
}

func (s *Store) access(ctx context.Context, q querier, orgID, id string) (Access, error) {
	var a Access
	var sealed string
	row := q.QueryRowContext(ctx, `SELECT sealed_token, `+connectionColumns+` WHERE organization_id = $1 AND id = $2`, orgID, id)
	var err error
	if a.Connection, err = scanConnection(behind{row, []any{&sealed}}); err != nil {
		return Access{}, missing(err, "connection", id)
	}
	a.Token, err = s.sealer.open(sealed, tokenPlace(orgID, id))
	return a, err
}

// TokenRefused turns a connection failing because the upstream has refused a token, if it is the connection's own: that
// may have been replaced meanwhile, here or on another replica. isIt tells of the one that is stored. What was remembered
// of the connection is forgotten either way.
func (s *Store) TokenRefused(ctx context.Context, by Caller, orgID, id string, isIt func(Secret) bool) (Connection, error) {
	var c Connection
	err := s.change(ctx, by, orgID, func(tx *sql.Tx) (event, error) {
		stored, err := s.access(ctx, tx, orgID, id)
		c = stored.Connection
		if err != nil || c.State == Failing || !isIt(stored.Token) {
			return event{}, err
		}
		c.State = Failing
		if err := s.writeState(ctx, tx, orgID, &c); err != nil {
			return event{}, err
		}
		return event{"connection." + string(Failing), id, map[string]any{"permissions": c.Permissions}}, nil
	})
	if err != nil {
		return Connection{}, fmt.Errorf("mark the connection failing: %w", err)
	}
	return c, nil
}

// UpdateConnection notes what the upstream said of the connection's token just now.
func (s *Store) UpdateConnection(
	ctx context.Context, by Caller, orgID, id string, state ConnectionState, p Permissions,
) (Connection, error) {
	var c Connection
	err := s.change(ctx, by, orgID, func(tx *sql.Tx) (event, error) {
		var err error
		if c, err = connection(ctx, tx, orgID, id); err != nil {
			return event{}, err
		}
		changed := c.State != state || c.Permissions != p
		c.State, c.Permissions = state, p
		if err := s.writeState(ctx, tx, orgID, &c); err != nil || !changed {
			return event{}, err
		}
		return event{"connection." + string(state), id, map[string]any{"permissions": p}}, nil
	})
	if err != nil {
		return Connection{}, fmt.Errorf("update the connection: %w", err)
	}
	return c, nil
}

// ReplaceToken seals another token, which the upstream has just accepted for the same account.
func (s *Store) ReplaceToken(ctx context.Context, by Caller, orgID, id string, token Secret, p Permissions) (Connection, error) {
	if token.Reveal() == "" {
		return Connection{}, invalid("token", "must not be empty")
	}
	var c Connection
	err := s.change(ctx, by, orgID, func(tx *sql.Tx) (event, error) {
		var err error
		if c, err = connection(ctx, tx, orgID, id); err != nil {
			return event{}, err
		}
		c.State, c.Permissions = Verified, p
		if err := s.writeState(ctx, tx, orgID, &c); err != nil {
			return event{}, err
		}
		_, err = tx.ExecContext(ctx, `UPDATE connections SET sealed_token = $1 WHERE organization_id = $2 AND id = $3`,
			s.sealer.seal(token, tokenPlace(orgID, id)), orgID, id)
		return event{"connection.token_replaced", id, map[string]any{"permissions": p}}, err
	})
	if err != nil {
		return Connection{}, fmt.Errorf("replace the connection's token: %w", err)
	}
	return c, nil
}

// writeState writes state and permissions, and moves verified_at on if the upstream has accepted the token.
func (s *Store) writeState(ctx context.Context, tx *sql.Tx, orgID string, c *Connection) error {
	if c.State == Verified {
		c.VerifiedAt = database.Moment(s.now().UnixMicro())
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE connections SET state = $1, verified_at = $2, view_cost = $3, view_money = $4, write_documents = $5
		WHERE organization_id = $6 AND id = $7`,
		c.State, c.VerifiedAt.UnixMicro(), flag(c.Permissions.ViewCost), flag(c.Permissions.ViewMoney),
		flag(c.Permissions.WriteDocuments), orgID, c.ID)
	return err
}

// DeleteConnection destroys a connection and its sealed token. The audit remembers that it was there.
func (s *Store) DeleteConnection(ctx context.Context, by Caller, orgID, id string) error {
	err := s.change(ctx, by, orgID, func(tx *sql.Tx) (event, error) {
		c, err := connection(ctx, tx, orgID, id)
		if err != nil {
			return event{}, err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM connections WHERE organization_id = $1 AND id = $2`, orgID, id)
		return event{"connection.deleted", id, map[string]any{"name": c.Name, "account_id": c.AccountID}}, err
	})
	if err != nil {
		return fmt.Errorf("delete the connection: %w", err)
	}
	return nil
}
