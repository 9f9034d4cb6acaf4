package keys_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// openIn opens a migrated database in a folder, for tests in a synctest bubble.
func openIn(t *testing.T, folder string) *sql.DB {
	t.Helper()
	db, err := database.Open(t.Context(), "sqlite:"+filepath.Join(folder, "kopeck.db"))
	must(t, err)
	t.Cleanup(func() { db.Close() })
	must(t, db.Migrate(t.Context()))
	return db.DB
}

// actions returns the actions in the organization's audit, oldest first.
func (o *office) actions() string {
	o.t.Helper()
	records, _, err := o.Audit(o.t.Context(), o.org, database.Page{Limit: 100})
	must(o.t, err)
	told := ""
	for _, r := range records {
		told = r.Action + " " + told
	}
	return strings.TrimSpace(told)
}

func TestAuditRecordsActorActionObjectAndTime(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret, err := o.CreateKey(t.Context(), o.admin, o.org, keys.NewKey{Name: "till"})
		must(t, err)
		records, _, err := o.Audit(t.Context(), o.org, database.Page{Limit: 1})
		if err != nil || len(records) != 1 {
			t.Fatalf("%v, %v", records, err)
		}
		got, err := json.Marshal(records[0])
		must(t, err)
		want := fmt.Sprintf(`{"id":"2","at":"2026-11-02T09:30:00.123456Z","actor":"admin of Horns \u0026 Hooves","action":"key.created",`+
			`"object":%q,"details":{"expires_at":"2027-01-31T09:30:00.123456Z","name":"till","scopes":["write:tools"]},"hash":%q}`,
			k.ID, records[0].Hash)
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if strings.Contains(string(got), secret.Reveal()[19:]) {
			t.Error("the audit contains the secret")
		}
	})
}

func TestEveryChangeOfTheAuditIsDetected(t *testing.T) {
	for name, c := range map[string]struct {
		statement string
		position  int64
		problem   string
	}{
		"a record changed":             {`UPDATE audit SET actor = 'nobody' WHERE position = 3`, 3, "was changed"},
		"its time changed":             {`UPDATE audit SET created_at = created_at + 1 WHERE position = 3`, 3, "was changed"},
		"its hash changed":             {`UPDATE audit SET hash = (SELECT a.hash FROM audit a WHERE a.position = 1) WHERE position = 3`, 3, "was changed"},
		"the first removed":            {`DELETE FROM audit WHERE position = 1`, 1, "is missing"},
		"one in the middle removed":    {`DELETE FROM audit WHERE position = 2`, 2, "is missing"},
		"the last removed":             {`DELETE FROM audit WHERE position = 4`, 4, "is missing"},
		"all removed":                  {`DELETE FROM audit`, 1, "is missing"},
		"the end forgotten":            {`UPDATE organizations SET audit_length = audit_length - 1`, 4, "is not what the audit ended with"},
		"one put in":                   {`INSERT INTO audit SELECT organization_id, 5, created_at, actor, action, object, details, hash FROM audit WHERE position = 4`, 5, "was changed"},
		"the last removed, end fitted": {`DELETE FROM audit WHERE position = 4; UPDATE organizations SET audit_length = 3`, 3, "is not what the audit ended with"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databasetest.Each(t, func(t *testing.T, db *sql.DB) {
				o := newOffice(t, db)
				for range 3 {
					o.key(keys.NewKey{})
				}
				must(t, o.VerifyAudit(t.Context()))
				for statement := range strings.SplitSeq(c.statement, ";") {
					databasetest.Exec(t, db, statement)
				}
				var broken *keys.BrokenAuditError
				if err := o.VerifyAudit(t.Context()); !errors.As(err, &broken) || *broken != (keys.BrokenAuditError{
					OrganizationID: o.org, Position: c.position, Problem: c.problem,
				}) {
					t.Errorf("got %v, want record %d %s", err, c.position, c.problem)
				}
			})
		})
	}
}

func TestReplicasAppendToOneChain(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		const replicas, changes = 6, 8
		var running errgroup.Group
		for range replicas {
			s := o.replica()
			running.Go(func() error {
				for range changes {
					if _, _, err := s.CreateKey(t.Context(), o.admin, o.org, keys.NewKey{Name: "x"}); err != nil {
						return err
					}
					if err := s.VerifyAudit(t.Context()); err != nil {
						return err
					}
				}
				return nil
			})
		}
		must(t, running.Wait())
		if n := strings.Count(o.actions(), "key.created"); n != replicas*changes {
			t.Errorf("%d records, want one for each of %d changes", n, replicas*changes)
		}
	})
}

func TestChangeIsRolledBackIfAuditFails(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{})
		databasetest.Exec(t, db, `DROP TABLE audit`)
		if _, err := o.RevokeKey(t.Context(), o.admin, o.org, k.ID, false); err == nil {
			t.Error("the key was revoked although the audit failed")
		}
		o.accepted(secret)
	})
}
