package keys_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func (o *office) head() keys.AuditHead {
	o.t.Helper()
	heads, broken, err := o.AuditHeads(o.t.Context())
	if err != nil || len(heads) != 1 || broken != nil {
		o.t.Fatal(heads, broken, err)
	}
	return heads[0]
}

// In a restored backup all MACs are valid. Only a head kept outside the database shows that records are missing.
func TestSignedHeadDetectsRestoredBackup(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		o.key(keys.NewKey{})
		o.exec(`CREATE TABLE saved AS SELECT audit_length, audit_hash, audit_mac FROM organizations`)
		early := o.head().Signed
		o.key(keys.NewKey{})
		late := o.head()
		for _, signed := range []string{early, late.Signed} {
			if err := o.CheckAuditHead(t.Context(), signed); err != nil {
				t.Errorf("unchanged audit: %v", err)
			}
		}
		o.exec(`DELETE FROM audit WHERE position = 3`, `DELETE FROM keys WHERE id = '`+o.newest()+`'`,
			`UPDATE organizations SET audit_length = (SELECT audit_length FROM saved), audit_hash = (SELECT audit_hash FROM saved),
				audit_mac = (SELECT audit_mac FROM saved)`)
		if err := o.VerifyAudit(t.Context()); err != nil {
			t.Errorf("restored audit, which is consistent: %v", err)
		}
		var broken *keys.BrokenAuditError
		err := o.CheckAuditHead(t.Context(), late.Signed)
		if !errors.As(err, &broken) || broken.Position != late.Length || !strings.Contains(err.Error(), "cut") {
			t.Errorf("head signed after the backup: %v", err)
		}
		o.key(keys.NewKey{Name: "another"})
		if err := o.CheckAuditHead(t.Context(), late.Signed); !errors.As(err, &broken) || !strings.Contains(err.Error(), "not the one") {
			t.Errorf("after another record was appended at the head's position: %v", err)
		}
		if err := o.CheckAuditHead(t.Context(), early); err != nil {
			t.Errorf("head signed before the backup: %v", err)
		}
	})
}

func (o *office) newest() string {
	o.t.Helper()
	all, _, err := o.Keys(o.t.Context(), o.org, database.Page{Limit: 1})
	must(o.t, err)
	return all[0].ID
}

func TestForeignHeadIsRefused(t *testing.T) {
	o := newOffice(t, databasetest.SQLite(t))
	signed := o.head().Signed
	other := newOffice(t, databasetest.SQLite(t)).head().Signed
	for _, wrong := range []string{"", "v1", other, signed[:len(signed)-1], strings.Replace(signed, ".1.", ".2.", 1), "v2" + signed[2:]} {
		var broken *keys.BrokenAuditError
		if err := o.CheckAuditHead(t.Context(), wrong); err == nil || errors.As(err, &broken) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestBrokenAuditHasNoHead(t *testing.T) {
	o := newOffice(t, databasetest.SQLite(t))
	o.exec(`UPDATE organizations SET audit_length = 7`)
	if heads, broken, err := o.AuditHeads(t.Context()); err != nil || heads != nil || len(broken) != 1 || broken[0] != o.org {
		t.Errorf("%v, %v, %v", heads, broken, err)
	}
}

func TestNewOrganizationHasIntactAudit(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		_, err := o.CreateOrganization(t.Context(), operator, "new")
		must(t, err)
		if heads, broken, err := o.AuditHeads(t.Context()); err != nil || len(heads) != 2 || broken != nil {
			t.Errorf("%v, broken %v, %v", heads, broken, err)
		}
	})
}
