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

// exec changes the tables like an attacker with write access to the database but without the master key.
func (o *office) exec(statements ...string) {
	o.t.Helper()
	for _, statement := range statements {
		databasetest.Exec(o.t, o.db, statement)
	}
}

func TestAlteredKeyIsRefused(t *testing.T) {
	for name, statement := range map[string]string{
		"scopes raised":            `UPDATE keys SET scopes = 'admin'`,
		"moved to an organization": `UPDATE keys SET organization_id = 'other'`,
		"made an operator's":       `UPDATE keys SET operator = 1`,
		"life lengthened":          `UPDATE keys SET expires_at = expires_at + 1`,
		"its MAC taken off":        `UPDATE keys SET mac = NULL`,
		"renamed":                  `UPDATE keys SET name = 'other'`,
		"given the hash of a key":  `UPDATE keys SET public_id = 'thief', digest = mac`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databasetest.Each(t, func(t *testing.T, db *sql.DB) {
				o := newOffice(t, db)
				k, secret := o.key(keys.NewKey{Scopes: []keys.Scope{keys.ReadTools}})
				o.accepted(secret)
				o.exec(`INSERT INTO organizations (id, name, created_at, audit_length, audit_hash) VALUES ('other', '', 0, 0, '')`, statement)
				if name != "given the hash of a key" {
					o.Store = o.replica()
					o.refused(secret, keys.ErrAltered)
				}
				home := o.org
				if name == "moved to an organization" {
					home = "other"
				}
				if _, err := o.replica().CallerForKey(t.Context(), home, k.ID); !errors.Is(err, keys.ErrAltered) {
					t.Errorf("CallerForKey: %v", err)
				}
				shown, _, err := o.Keys(t.Context(), home, database.Page{})
				if err != nil || len(shown) != 1 || shown[0].State != keys.Altered {
					t.Errorf("listed as %v, %v", shown, err)
				}
				if _, _, err := o.RotateKey(t.Context(), operator, home, k.ID, 0); err == nil {
					t.Error("a successor got the scopes of the altered key")
				}
				if err := o.VerifyKeys(t.Context()); !errors.Is(err, keys.ErrAltered) || !strings.Contains(err.Error(), k.ID) {
					t.Errorf("VerifyKeys: %v", err)
				}
			})
		})
	}
}

func TestRevocationCannotBeUndoneInTheDatabase(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{})
		_, err := o.RevokeKey(t.Context(), operator, o.org, k.ID, false)
		must(t, err)
		o.refused(secret, keys.ErrRevoked)
		o.exec(`UPDATE keys SET revoked_at = NULL`)
		o.Store = o.replica()
		o.refused(secret, keys.ErrAltered)
	})
}

// The MAC of the restored record is valid. Only the audit shows that the key was revoked.
func TestVerifyKeysFindsRestoredRevokedKey(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, _ := o.key(keys.NewKey{})
		o.exec(`CREATE TABLE saved AS SELECT * FROM keys`)
		_, err := o.RevokeKey(t.Context(), operator, o.org, k.ID, false)
		must(t, err)
		if err := o.VerifyKeys(t.Context()); err != nil {
			t.Error(err)
		}
		o.exec(`DELETE FROM keys`, `INSERT INTO keys SELECT * FROM saved`)
		if err := o.VerifyKeys(t.Context()); !errors.Is(err, keys.ErrAltered) {
			t.Errorf("VerifyKeys: %v", err)
		}
	})
}

func TestAlteredKeyCanBeRevoked(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{})
		o.exec(`UPDATE keys SET scopes = 'admin'`)
		if revoked, err := o.RevokeKey(t.Context(), operator, o.org, k.ID, false); err != nil || revoked.State != keys.Revoked {
			t.Errorf("%v, %v", revoked, err)
		}
		o.refused(secret, keys.ErrRevoked)
	})
}

// A record without a MAC cannot be made valid without the master key.
func TestRecordsWithoutMACAreRefusedUntilAccepted(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		_, old := o.key(keys.NewKey{Name: "old"})
		o.exec(`UPDATE keys SET mac = NULL`, `UPDATE organizations SET audit_mac = NULL`)
		must(t, o.CheckMasterKey(t.Context()))
		o.refused(old, keys.ErrAltered)
		if n, err := o.CountKeysWithoutMAC(t.Context()); err != nil || n != 1 {
			t.Errorf("%d keys without a MAC, %v", n, err)
		}
		if found, err := o.AcceptRecords(t.Context()); err != nil || found != (keys.AcceptedRecords{Keys: 1, Audits: 1}) {
			t.Fatalf("%v, %v", found, err)
		}
		if err := errors.Join(o.VerifyAudit(t.Context()), o.VerifyKeys(t.Context())); err != nil {
			t.Error(err)
		}
		if got := o.actions(); !strings.HasSuffix(got, "key.created records.sealed") {
			t.Errorf("audit: %s", got)
		}
		o.Store = o.replica()
		o.accepted(old)
	})
}

func TestAlteredRecordsCanBeAccepted(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		_, secret := o.key(keys.NewKey{})
		o.exec(`UPDATE keys SET name = 'put back from a copy'`, `UPDATE organizations SET audit_mac = NULL`)
		if found, err := o.AcceptRecords(t.Context()); err != nil || found != (keys.AcceptedRecords{Keys: 1, Audits: 1}) {
			t.Errorf("%v, %v", found, err)
		}
		o.accepted(secret)
		if err := errors.Join(o.VerifyAudit(t.Context()), o.VerifyKeys(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

// An attacker who removes the last records can recompute the hashes, which need no secret. The audit must stay broken even
// after new records are appended.
func TestCutAuditStaysBroken(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		o.key(keys.NewKey{})
		o.key(keys.NewKey{})
		o.exec(`DELETE FROM audit WHERE position = 3`,
			`UPDATE organizations SET audit_length = 2, audit_hash = (SELECT hash FROM audit WHERE position = 2)`)
		for range 2 {
			var broken *keys.BrokenAuditError
			if err := o.VerifyAudit(t.Context()); !errors.As(err, &broken) || !strings.Contains(err.Error(), "outside Kopeck") {
				t.Errorf("VerifyAudit: %v", err)
			}
			o.key(keys.NewKey{})
		}
	})
}
