package database

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Row is one row of a result.
type Row interface{ Scan(columns ...any) error }

// Conn executes statements; it is a database or a transaction.
type Conn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Querier runs queries; it is a database or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Rows reads all rows of a query. Without rows it returns an empty list and not nil, so that the JSON is [].
func Rows[T any](ctx context.Context, q Querier, scan func(Row) (T, error), query string, args ...any) ([]T, error) {
	found := []T{}
	err := eachRow(ctx, q, query, args, func(row Row) error {
		one, err := scan(row)
		found = append(found, one)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// eachRow calls take for each row of a query, until it returns an error. It is not generic, because the binary has a copy of a
// generic function for each type.
func eachRow(ctx context.Context, q Querier, query string, args []any, take func(Row) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := take(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Changed reports whether a statement changed a row. Its arguments are the results of ExecContext.
func Changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// ErrMaybeCommitted means that COMMIT failed. The changes may be stored, because the connection can be lost after the
// database has carried out the COMMIT and before it has answered.
var ErrMaybeCommitted = errors.New("the transaction may have been committed")

// InTx runs f in a transaction and rolls it back if f fails. If COMMIT fails, the error wraps [ErrMaybeCommitted].
func InTx(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w: %w", ErrMaybeCommitted, err)
	}
	return nil
}

// NewID returns an id for a new row. New ids sort after old ones, so that an index grows at its end.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// OrNull returns nil, which is stored as NULL, for an empty text or 0.
func OrNull[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}

// FromJSON decodes a text from the tables into target. It does nothing if the text is empty.
func FromJSON(text string, target any) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), target)
}

// Moment converts a time from the tables, which is stored in microseconds since 1970.
func Moment(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// OptionalMoment converts a time from the tables that may be null.
func OptionalMoment(micros sql.Null[int64]) *time.Time {
	if !micros.Valid {
		return nil
	}
	t := Moment(micros.V)
	return &t
}
