package drafts_test

import (
	"encoding/json"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/keystest"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
)

// BenchmarkDraft stores drafts with their audit records for 64 organizations in parallel. It uses the server in
// KOPECK_BENCH_POSTGRES or, if that is not set, a server of its own. It needs several organizations, because the audit
// of each is a chain of records that must be written one after the other.
func BenchmarkDraft(b *testing.B) {
	url := os.Getenv("KOPECK_BENCH_POSTGRES")
	if url == "" {
		url = databasetest.PostgresURL(b)
	}
	db, err := database.Open(b.Context(), url)
	must(b, err)
	defer db.Close()
	must(b, db.Migrate(b.Context()))
	var owners []drafts.Owner
	credentials := keys.NewStore(db.DB, keystest.MasterKey(), time.Now)
	for range 64 {
		owners = append(owners, owner(b, credentials))
	}
	store := drafts.NewStore(db.DB, credentials, time.Now, time.Hour)
	write := drafts.Write{Kind: "purchaseorder", Body: json.RawMessage(`{"applicable":false}`)}
	order := drafts.Content{Summary: "An order", Writes: []drafts.Write{write}}
	var next atomic.Int64
	b.SetParallelism(8)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := store.Add(b.Context(), owners[next.Add(1)%64], drafts.PurchaseOrder, order); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "drafts/s")
}

// owner creates an organization with a connection.
func owner(b *testing.B, k *keys.Store) drafts.Owner {
	b.Helper()
	organization, err := k.CreateOrganization(b.Context(), keys.Caller{KeyID: "bench", Operator: true}, "bench")
	must(b, err)
	who := keys.Caller{KeyID: "bench", OrganizationID: organization.ID}
	c, err := k.AddConnection(b.Context(), who, keys.NewConnection{
		OrganizationID: organization.ID, Connector: "moysklad", Name: "Books", AccountID: "a", Token: keys.NewSecret("t"),
	})
	must(b, err)
	return drafts.Owner{Who: who, ConnectionID: c.ID, AccountID: "a"}
}
