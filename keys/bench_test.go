package keys_test

import (
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/keystest"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// most returns the largest number of keys to measure: KOPECK_BENCH_KEYS, or 10 000 if it is not set.
func most(b *testing.B) int {
	text := os.Getenv("KOPECK_BENCH_KEYS")
	if text == "" {
		return 10_000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatalf("KOPECK_BENCH_KEYS: %v", err)
	}
	return n
}

// benchPostgres uses the server in KOPECK_BENCH_POSTGRES, or starts one.
func benchPostgres(b *testing.B) *sql.DB {
	b.Helper()
	url := os.Getenv("KOPECK_BENCH_POSTGRES")
	if url == "" {
		return databasetest.Postgres(b)
	}
	db, err := database.Open(b.Context(), url)
	must(b, err)
	b.Cleanup(func() { db.Close() })
	must(b, db.Migrate(b.Context()))
	return db.DB
}

// BenchmarkVerify measures the verification of a key that is not cached.
func BenchmarkVerify(b *testing.B) {
	sqlite, postgres := databasetest.SQLite(b), benchPostgres(b)
	for size := 1000; size <= most(b); size *= 10 {
		b.Run(fmt.Sprintf("sqlite, %d keys", size), func(b *testing.B) { benchmarkVerify(b, sqlite, size) })
		b.Run(fmt.Sprintf("postgres, %d keys", size), func(b *testing.B) { benchmarkVerify(b, postgres, size) })
	}
}

func benchmarkVerify(b *testing.B, db *sql.DB, size int) {
	var looked atomic.Int64
	began := time.Now()
	// The clock advances by a second on each call, so that every cache entry has expired.
	s := keys.NewStore(db, keystest.MasterKey(), func() time.Time { return began.Add(time.Duration(looked.Add(1)) * time.Second) })
	orgID, secret := newKey(b, s)
	fill(b, db, orgID, size)
	b.Run("one after another", func(b *testing.B) {
		for b.Loop() {
			_, err := s.Verify(b.Context(), secret)
			must(b, err)
		}
	})
	b.Run("side by side", func(b *testing.B) {
		b.SetParallelism(8)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := s.Verify(b.Context(), secret); err != nil {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "keys/s")
	})
}

// newKey creates an organization with one key.
func newKey(b *testing.B, s *keys.Store) (orgID, secret string) {
	b.Helper()
	org, err := s.CreateOrganization(b.Context(), operator, "bench")
	must(b, err)
	_, made, err := s.CreateKey(b.Context(), operator, org.ID, keys.NewKey{Name: "bench"})
	must(b, err)
	return org.ID, made.Reveal()
}

// fill adds keys until the table has size rows.
func fill(b *testing.B, db *sql.DB, orgID string, size int) {
	b.Helper()
	tx, err := db.BeginTx(b.Context(), nil)
	must(b, err)
	defer tx.Rollback()
	if _, err := tx.ExecContext(b.Context(), `
		WITH RECURSIVE missing (n) AS (
			SELECT count(*) FROM keys UNION ALL SELECT n + 1 FROM missing WHERE n + 1 < $2
		)
		INSERT INTO keys (id, organization_id, public_id, digest, name, scopes, operator, created_at, created_by, expires_at, expires_in_days)
		SELECT 'filling ' || n, $1, 'filling ' || n, $3, 'filling', 'chat', 0, 0, 'bench', 0, 1 FROM missing WHERE n < $2
		ON CONFLICT DO NOTHING`, orgID, size, make([]byte, 32)); err != nil {
		b.Fatal(err)
	}
	must(b, tx.Commit())
}

// BenchmarkRefusal measures a mistyped key, which is refused without a query.
func BenchmarkRefusal(b *testing.B) {
	s := keys.NewStore(databasetest.SQLite(b), keystest.MasterKey(), time.Now)
	text := keys.WithOtherSecret("sk-org-000000000000")[:67] + "-"
	for b.Loop() {
		if _, err := s.Verify(b.Context(), text); err == nil {
			b.Fatal("accepted")
		}
	}
}

// BenchmarkRemembered measures a key verified within the last second.
func BenchmarkRemembered(b *testing.B) {
	s := keys.NewStore(databasetest.SQLite(b), keystest.MasterKey(), time.Now)
	_, text := newKey(b, s)
	b.ReportAllocs()
	for b.Loop() {
		_, err := s.Verify(b.Context(), text)
		must(b, err)
	}
}
