package pace_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/pace"
)

// benchDatabase connects to the PostgreSQL server in KOPECK_BENCH_POSTGRES. Use a server that syncs writes to disk, as
// in production. If the variable is not set, it uses the test server, which does not sync.
func benchDatabase(b *testing.B) *database.DB {
	b.Helper()
	url := os.Getenv("KOPECK_BENCH_POSTGRES")
	if url == "" {
		url = databasetest.PostgresURL(b)
	}
	db := connect(b, url)
	must(b, db.Migrate(b.Context()))
	return db
}

// instant is a connection that answers at once, so that the benchmark measures only the pace.
type instant struct {
	net.Conn
	answer strings.Reader
}

func (c *instant) Write(p []byte) (int, error) {
	c.answer.Reset("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	return len(p), nil
}

func (c *instant) Read(p []byte) (int, error) { return c.answer.Read(p) }

func (c *instant) SetDeadline(time.Time) error { return nil }

func (c *instant) Close() error { return nil }

// BenchmarkCall measures what the pace adds to one upstream call: admitting it and recording its end. The calls rotate
// over 100 000 accounts, so that none has to wait.
func BenchmarkCall(b *testing.B) {
	b.Run("in memory", func(b *testing.B) { benchmarkCall(b, nil) })
	b.Run("postgres", func(b *testing.B) { benchmarkCall(b, pace.New(benchDatabase(b).DB)) })
}

var account atomic.Int64

func benchmarkCall(b *testing.B, ledgers moysklad.Ledgers) {
	p, err := moysklad.NewPool(moysklad.Config{Ledgers: ledgers, Dial: func(context.Context) (net.Conn, error) { return &instant{}, nil }})
	must(b, err)
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c := p.Client(fmt.Sprintf("account %d", account.Add(1)%100_000), token)
			if _, err := c.Object(b.Context(), "entity/product", nil); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}
