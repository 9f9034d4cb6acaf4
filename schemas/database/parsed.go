package database

import (
	"context"
	"database/sql/driver"
	"errors"
)

// maxParsed is how many statements a connection keeps, of some kilobytes each. The program says fewer of them often.
const maxParsed = 100

// parsing makes connections to SQLite that parse a statement once, however often it is said: that costs several times what
// finding a row does, and database/sql throws a statement away as soon as it has run. (pgx does the same by itself.)
type parsing struct{ driver.Connector }

// Connect opens a connection.
func (p parsing) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &parsed{sqliteConn: conn.(sqliteConn), idle: map[string]sqliteStatement{}}, nil
}

// sqliteConn is what the driver's connections can do, all of which must show through.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type sqliteStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// parsed is a connection with its statements. Like the driver's, it is used by one goroutine at a time.
type parsed struct {
	sqliteConn
	idle map[string]sqliteStatement // by their texts; one that runs is taken out
}

// ExecContext runs a statement that answers no rows.
func (p *parsed) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, err := p.take(ctx, text)
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, args)
	return result, errors.Join(err, p.giveBack(text, s))
}

// QueryContext runs a statement that answers rows, and keeps it when they are closed.
func (p *parsed) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := p.take(ctx, text)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, p.giveBack(text, s))
	}
	return &parsedRows{rows, func() error { return p.giveBack(text, s) }}, nil
}

// BeginTx begins a transaction, as one that will write unless the options say that it only reads.
func (p *parsed) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	begin := "BEGIN IMMEDIATE"
	if options.ReadOnly {
		begin = "BEGIN"
	}
	t := transaction{p}
	if _, err := p.ExecContext(ctx, begin, nil); err != nil {
		_ = t.Rollback() // it may have begun as ctx ended
		return nil, err
	}
	return t, nil
}

// transaction is one that is under way on a connection.
type transaction struct{ conn *parsed }

// Commit keeps what was changed, or undoes it if that fails.
func (t transaction) Commit() error {
	_, err := t.conn.ExecContext(context.Background(), "COMMIT", nil)
	if err != nil {
		_ = t.Rollback() // there may be nothing to undo
	}
	return err
}

// Rollback undoes what was changed.
func (t transaction) Rollback() error {
	_, err := t.conn.ExecContext(context.Background(), "ROLLBACK", nil)
	return err
}

func (p *parsed) take(ctx context.Context, text string) (sqliteStatement, error) {
	if s, ok := p.idle[text]; ok {
		delete(p.idle, text)
		return s, nil
	}
	s, err := p.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	return s.(sqliteStatement), nil
}

func (p *parsed) giveBack(text string, s sqliteStatement) error {
	if _, another := p.idle[text]; another {
		return s.Close()
	}
	var err error
	if len(p.idle) >= maxParsed {
		err = p.dropAny()
	}
	p.idle[text] = s
	return err
}

func (p *parsed) dropAny() error {
	for text, s := range p.idle {
		delete(p.idle, text)
		return s.Close()
	}
	return nil
}

// Close ends the connection.
func (p *parsed) Close() error {
	var err error
	for len(p.idle) > 0 {
		err = errors.Join(err, p.dropAny())
	}
	return errors.Join(err, p.sqliteConn.Close())
}

// parsedRows give their statement back.
type parsedRows struct {
	driver.Rows
	giveBack func() error
}

// Close ends the reading.
func (r *parsedRows) Close() error { return errors.Join(r.Rows.Close(), r.giveBack()) }
