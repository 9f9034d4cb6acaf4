// Package tasks carries out the due tasks in a table that several processes share.
package tasks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/schemas/database"
)

// Runner carries out the tasks in a table. A process leases the tasks that it works on. If it dies, another one takes them when
// the leases have ended. All fields but Prepare are required.
//
// The table has the columns id, organization_id and lease_until. The texts must be constants, because they become part of
// the SQL.
type Runner[T any] struct {
	DB  *sql.DB
	Now func() time.Time
	Log *slog.Logger

	Table             string
	Columns           string // what Scan reads
	Waiting           string // condition for tasks that are not settled
	Due               string // column with the time from which a task may be carried out
	OnClaim           string // assignments to the columns of a task when it is taken
	Group             string // column that divides an organization's tasks into groups
	MaxInGroup        int    // tasks of a group at once, in all processes
	MaxOfOrganization int    // tasks of an organization at once, in all processes
	MaxHere           int    // tasks at once in this process
	Lease             time.Duration
	Poll              time.Duration // between checks for due tasks

	Scan    func(database.Row) (T, error)
	Prepare func(context.Context) error // called before each check, which an error does not prevent; may be nil
	Do      func(context.Context, T)    // carries out a task and records the result

	running  sync.WaitGroup
	underway atomic.Int64
}

// Run carries out due tasks until ctx ends, and waits for those that are running then.
func (t *Runner[T]) Run(ctx context.Context) {
	defer t.running.Wait()
	database.Every(ctx, t.Poll, t.start, func(err error) { t.Log.Warn("finding due tasks failed", "table", t.Table, "error", err) })
}

// RunDue carries out the tasks that are due now, and waits for them.
func (t *Runner[T]) RunDue(ctx context.Context) error {
	defer t.running.Wait()
	return t.start(ctx)
}

func (t *Runner[T]) start(ctx context.Context) (wrong error) {
	if t.Prepare != nil {
		wrong = t.Prepare(ctx)
	}
	claimed, err := t.Claim(ctx, t.MaxHere-int(t.underway.Load()))
	if err != nil {
		return errors.Join(wrong, fmt.Errorf("claim %s: %w", t.Table, err))
	}
	for _, task := range claimed {
		t.underway.Add(1)
		t.running.Go(func() {
			defer t.underway.Add(-1)
			caught.Logged(t.Log, "a task of "+t.Table, func() { t.Do(ctx, task) })
		})
	}
	return wrong
}

// Claim leases due tasks, at most the given number. Organizations take turns: the first task of each comes before the second
// of any. The conditions outside the subquery are necessary because another process may have changed a row after the
// subquery selected it.
func (t *Runner[T]) Claim(ctx context.Context, most int) ([]T, error) {
	now := t.Now()
	return database.Rows(ctx, t.DB, t.Scan, fmt.Sprintf(`
		UPDATE %[4]s SET lease_until = $3, %[8]s WHERE %[2]s <= $1 AND lease_until <= $1 AND %[5]s AND id IN (
			SELECT id FROM (
				SELECT id, due, lease_until, row_number() OVER (PARTITION BY organization_id ORDER BY %[1]s, due) AS turn
				FROM (
					SELECT id, organization_id, lease_until, %[2]s AS due, row_number() OVER (PARTITION BY %[3]s ORDER BY %[1]s, %[2]s) AS place
					FROM %[4]s WHERE %[5]s AND %[2]s <= $1) AS ready
				WHERE place <= %[6]d) AS ordered
			WHERE turn <= %[7]d AND lease_until <= $1 ORDER BY turn, due LIMIT $2)
		RETURNING %[9]s`,
		`CASE WHEN lease_until > $1 THEN 0 ELSE 1 END`, t.Due, t.Group, t.Table, t.Waiting, t.MaxInGroup, t.MaxOfOrganization, t.OnClaim, t.Columns),
		now.UnixMicro(), most, now.Add(t.Lease).UnixMicro())
}
