package webhooks

import (
	"database/sql"
	"encoding/json"
	"testing"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// Although every replica checks the audits, the receiver gets each head only once. The head's signature can be verified.
func TestAuditHeadIsSentOncePerLength(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := open(t, db)
		o.webhook(AuditHead)
		send := func() {
			t.Helper()
			heads, broken, err := o.keys.AuditHeads(t.Context())
			if err != nil || len(heads) != 1 || broken != nil {
				t.Fatal(heads, broken, err)
			}
			for range 2 {
				o.must(o.store.SendAuditHead(t.Context(), heads[0]))
			}
			o.step()
		}
		send()
		send()
		o.draft(o.who)
		send()
		got := o.arrived()
		if len(got) != 2 {
			t.Fatalf("%d messages arrived, want 2", len(got))
		}
		for _, message := range got {
			var said struct {
				Type Event
				Data keys.AuditHead
			}
			if err := json.Unmarshal(message.body, &said); err != nil || said.Type != AuditHead || said.Data.OrganizationID != o.who.OrganizationID {
				t.Errorf("%s, %v", message.body, err)
			}
			if err := o.keys.CheckAuditHead(t.Context(), said.Data.Signed); err != nil {
				t.Errorf("%s: %v", message.body, err)
			}
		}
	})
}
