package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// postgresConns is how many connections one replica holds at most, unless the url says pool_max_conns. PostgreSQL admits 100 in
// all by default.
const postgresConns = 20

// Bounds of waiting that the url does not set.
const (
	turnAtPool  = 2 * time.Second // for a connection, when all are in use: then the work is shed
	connectTime = 5 * time.Second // for a new connection to be made
	silence     = 2 * time.Second // for an answer past the time that PostgreSQL ends a statement by itself
)

// patience is what PostgreSQL ends by itself: a statement or a wait for a lock that outlasts any request, and a
// transaction whose owner has gone. The url may set other values.
var patience = map[string]string{
	"statement_timeout":                   "15s",
	"lock_timeout":                        "10s",
	"idle_in_transaction_session_timeout": "30s",
}

func openPostgres(url string) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// pgx's own text quotes the url, and hides the password only where it can tell which part that is.
		return nil, errors.New("the database url is not of the form postgres://USER:PASSWORD@HOST:PORT/NAME?OPTION=VALUE" +
			" (percent-encode special characters in the password)")
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = postgresConns
	}
	if !strings.Contains(url, "connect_timeout") {
		config.ConnConfig.ConnectTimeout = connectTime
	}
	config.MaxConnIdleTime = 5 * time.Minute
	config.AfterConnect = nameTypes
	migrating := config.ConnConfig.Copy()
	config.ConnConfig = withPatience(config.ConnConfig)
	pool, err := pgxpool.NewWithConfig(context.Background(), config) // connects when it is first asked
	if err != nil {
		return nil, fmt.Errorf("open the pool of connections: %w", err)
	}
	all := sql.OpenDB(shedding{stdlib.GetPoolConnector(pool), pool})
	all.SetMaxIdleConns(0) // they wait in the pool
	return &DB{DB: all, Engine: Postgres, Reading: all, pool: pool, openMigrating: func() (*migrator, error) {
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
		if err != nil {
			return nil, err
		}
		// Changing a large table may take longer than any request may wait.
		return &migrator{
			stdlib.OpenDB(*migrating, stdlib.OptionAfterConnect(nameTypes)),
			goose.DialectPostgres,
			goose.WithSessionLocker(locker),
		}, nil
	}}, nil
}

// nameTypes says as what our parameters go to PostgreSQL when it is not asked for their types, which a pooler in front may
// need (default_query_exec_mode=exec in the url). pgx has a table of all types there are, 1.4 MB, which the Makefile leaves out.
func nameTypes(_ context.Context, conn *pgx.Conn) error {
	named := conn.TypeMap().RegisterDefaultPgType
	named("", "text")
	named(new(string), "text")
	named(0, "int8")
	named(int64(0), "int8")
	named(new(int64), "int8")
	named(0.0, "float8")
	named(false, "bool")
	named([]byte(nil), "bytea")
	named(time.Time{}, "timestamptz")
	return nil
}

func withPatience(config *pgx.ConnConfig) *pgx.ConnConfig {
	impatient := config.Copy()
	impatient.RuntimeParams = maps.Clone(patience)
	maps.Copy(impatient.RuntimeParams, config.RuntimeParams)
	if longest := milliseconds(impatient.RuntimeParams["statement_timeout"]); longest > 0 {
		impatient.DialFunc = listening(impatient.DialFunc, longest+silence)
	}
	return impatient
}

// milliseconds reads a time as PostgreSQL's settings are written; 0 where it is none, or has no bound.
func milliseconds(setting string) time.Duration {
	if setting != "" && setting[len(setting)-1] >= '0' && setting[len(setting)-1] <= '9' {
		setting += "ms"
	}
	d, _ := time.ParseDuration(strings.Replace(setting, "min", "m", 1))
	return d
}

// shedding hands out a pool's connections, and gives up when there is none for a while: a queue without end would only
// make everyone's answer late.
type shedding struct {
	driver.Connector
	pool *pgxpool.Pool
}

// Connect waits its turn. The error is [ErrBusy] when that takes too long, or that the database does not answer, when
// there is room for another connection.
func (s shedding) Connect(ctx context.Context) (driver.Conn, error) {
	waiting, cancel := context.WithTimeout(ctx, turnAtPool)
	defer cancel()
	conn, err := s.Connector.Connect(waiting)
	if err == nil || ctx.Err() != nil || waiting.Err() == nil {
		return conn, err
	}
	if s.pool.Stat().AcquiredConns() < s.pool.Config().MaxConns {
		return nil, errSilent
	}
	return nil, ErrBusy
}
