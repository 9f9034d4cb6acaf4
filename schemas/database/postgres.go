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

// postgresConns is the number of connections per replica, unless the url sets pool_max_conns. By default PostgreSQL allows
// 100 in total.
const postgresConns = 20

// Timeouts that cannot be set in the url.
const (
	poolWait     = 2 * time.Second // for getting a connection from the pool
	connectTime  = 5 * time.Second // for opening a connection
	answerMargin = 2 * time.Second // on top of PostgreSQL's own statement timeout
)

// statementLimits make PostgreSQL end statements and lock waits that take longer than any request, and transactions of
// clients that have gone away. The url can set other values.
var statementLimits = map[string]string{
	"statement_timeout":                   "15s",
	"lock_timeout":                        "10s",
	"idle_in_transaction_session_timeout": "30s",
}

func openPostgres(url string) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// Do not use pgx's error: it quotes the url and does not always recognize the password in it.
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
	config.AfterConnect = registerTypes
	migrating := config.ConnConfig.Copy()
	config.ConnConfig = withStatementLimits(config.ConnConfig)
	pool, err := pgxpool.NewWithConfig(context.Background(), config) // connects on first use
	if err != nil {
		return nil, fmt.Errorf("open the pool of connections: %w", err)
	}
	all := sql.OpenDB(boundedConnector{stdlib.GetPoolConnector(pool), pool})
	all.SetMaxIdleConns(0) // the pgx pool keeps the idle connections
	return &DB{DB: all, Engine: Postgres, ReadPool: all, pool: pool, openMigrating: func() (*migrator, error) {
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
		if err != nil {
			return nil, err
		}
		// Migrations have no statement limits: on a large table they can take longer than any request.
		return &migrator{
			stdlib.OpenDB(*migrating, stdlib.OptionAfterConnect(registerTypes)),
			goose.DialectPostgres,
			goose.WithSessionLocker(locker),
		}, nil
	}}, nil
}

// registerTypes registers the types of our parameters. Connections need them if they do not ask PostgreSQL for types, as
// some poolers require (default_query_exec_mode=exec in the url). pgx's own table of all types takes 1.4 MB, so the
// Makefile excludes it.
func registerTypes(_ context.Context, conn *pgx.Conn) error {
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

func withStatementLimits(config *pgx.ConnConfig) *pgx.ConnConfig {
	impatient := config.Copy()
	impatient.RuntimeParams = maps.Clone(statementLimits)
	maps.Copy(impatient.RuntimeParams, config.RuntimeParams)
	if longest := milliseconds(impatient.RuntimeParams["statement_timeout"]); longest > 0 {
		impatient.DialFunc = dialWithReadTimeout(impatient.DialFunc, longest+answerMargin)
	}
	return impatient
}

// milliseconds parses a duration from PostgreSQL's settings, where a number without a unit means milliseconds. It returns 0
// for an invalid duration.
func milliseconds(setting string) time.Duration {
	if setting != "" && setting[len(setting)-1] >= '0' && setting[len(setting)-1] <= '9' {
		setting += "ms"
	}
	d, _ := time.ParseDuration(strings.Replace(setting, "min", "m", 1))
	return d
}

// boundedConnector takes connections from a pool, and fails if none is free in time. If requests could queue without limit,
// all answers would be late.
type boundedConnector struct {
	driver.Connector
	pool *pgxpool.Pool
}

// Connect returns a connection from the pool. After poolWait it fails: with [ErrBusy] if all connections are in use, or
// with errNoAnswer if the pool was opening another one and the database did not answer.
func (c boundedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	waiting, cancel := context.WithTimeout(ctx, poolWait)
	defer cancel()
	conn, err := c.Connector.Connect(waiting)
	if err == nil || ctx.Err() != nil || waiting.Err() == nil {
		return conn, err
	}
	if c.pool.Stat().AcquiredConns() < c.pool.Config().MaxConns {
		return nil, errNoAnswer
	}
	return nil, ErrBusy
}
