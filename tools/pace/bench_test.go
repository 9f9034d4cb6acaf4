package pace_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/pace"
)

// benchDatabase is the server that KOPECK_BENCH_POSTGRES names, which should write to its disk as in earnest; without it
// one of the test's own that does not.
func benchDatabase(b *testing.B) *database.DB {
	b.Helper()
	url := os.Getenv("KOPECK_BENCH_POSTGRES")
	if url == "" {
		url = databasetest.PostgresURL(b)
	}
	db := connect(b, url)
	if err := db.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	return db
}

// instant answers at once, so that what remains is the pace.
type instant struct{}

func (instant) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Request: req, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader("{}")),
	}, nil
}

// BenchmarkCall is one call upstream of which nothing but the pace takes time: it is let go, and it is told to be over.
// Each goes to another of 100 000 accounts, so that none has to wait.
func BenchmarkCall(b *testing.B) {
	b.Run("in memory", func(b *testing.B) { benchmarkCall(b, pool(b, instant{}, nil)) })
	b.Run("postgres", func(b *testing.B) { benchmarkCall(b, pool(b, instant{}, pace.New(benchDatabase(b).DB))) })
}

var account atomic.Int64

func benchmarkCall(b *testing.B, p *moysklad.Pool) {
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
