package keys_test

import (
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func BenchmarkVerify(b *testing.B) {
	db := databasetest.SQLite(b)
	b.Run("sqlite", func(b *testing.B) { benchmarkVerify(b, keys.NewStore(db, keys.NewMasterKey(), time.Now)) })
	server := databasetest.Postgres(b)
	b.Run("postgres", func(b *testing.B) { benchmarkVerify(b, keys.NewStore(server, keys.NewMasterKey(), time.Now)) })
}

func benchmarkVerify(b *testing.B, s *keys.Store) {
	org, err := s.CreateOrganization(b.Context(), operator, "bench")
	if err != nil {
		b.Fatal(err)
	}
	_, secret, err := s.CreateKey(b.Context(), operator, org.ID, keys.NewKey{Name: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("valid", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Verify(b.Context(), secret.Reveal()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("valid, parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := s.Verify(b.Context(), secret.Reveal()); err != nil {
					b.Error(err)
				}
			}
		})
	})
	b.Run("mistyped", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Verify(b.Context(), secret.Reveal()[:67]+"-"); err == nil {
				b.Fatal("accepted")
			}
		}
	})
}
