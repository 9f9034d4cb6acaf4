package keys_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// If somebody with access to the database raises, removes or restores limits, every request is refused until the limits are
// set again or accepted.
func TestAlteredLimitsAreRefused(t *testing.T) {
	for name, statement := range map[string]string{
		"raised":                  `UPDATE model_limits SET limits = replace(limits, '"tokens_in_all":5', '"tokens_in_all":500')`,
		"removed":                 `DELETE FROM model_limits`,
		"put back":                `DELETE FROM model_limits; INSERT INTO model_limits SELECT * FROM saved`,
		"moved to another key":    `UPDATE model_limits SET subject = 'other'`,
		"counted as another":      `UPDATE model_limits SET counted_as = 'other'`,
		"its MAC taken off":       `UPDATE model_limits SET mac = NULL`,
		"cut out of the audit":    `DELETE FROM audit WHERE action = 'limits.set'`,
		"another key's put on it": `UPDATE model_limits SET limits = (SELECT limits FROM saved), mac = (SELECT mac FROM saved)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databasetest.Each(t, func(t *testing.T, db *sql.DB) {
				o := newOffice(t, db)
				k, _ := o.key(keys.NewKey{})
				set := func(tokens int64) {
					t.Helper()
					must(t, o.SetLimits(t.Context(), o.admin, o.org, k.ID, keys.Limits{TokensInAll: &tokens}))
				}
				set(50)
				o.exec(`CREATE TABLE saved AS SELECT * FROM model_limits`)
				set(5)
				must(t, o.VerifyLimits(t.Context()))
				o.exec(strings.Split(statement, "; ")...)
				caller := keys.Caller{KeyID: k.ID, OrganizationID: o.org}
				if found, err := o.replica().LimitsForCaller(t.Context(), caller); !errors.Is(err, keys.ErrLimitsAltered) {
					t.Errorf("LimitsForCaller: %+v, %v", found, err)
				}
				if _, _, err := o.RotateKey(t.Context(), o.admin, o.org, k.ID, 0); !errors.Is(err, keys.ErrLimitsAltered) {
					t.Errorf("a successor got the altered limits: %v", err)
				}
				if err := o.VerifyLimits(t.Context()); !errors.Is(err, keys.ErrLimitsAltered) {
					t.Errorf("VerifyLimits: %v", err)
				}
				if name == "moved to another key" {
					return // nothing repairs a row whose key does not exist
				}
				set(7)
				if found, err := o.replica().LimitsForCaller(t.Context(), caller); err != nil || *found[0].TokensInAll != 7 {
					t.Errorf("limits that were set again: %+v, %v", found, err)
				}
			})
		})
	}
}

func TestAlteredLimitsCanBeAccepted(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, _ := o.key(keys.NewKey{})
		for _, id := range []string{k.ID, ""} {
			must(t, o.SetLimits(t.Context(), operator, o.org, id, keys.Limits{TokensInAll: new(int64(5))}))
		}
		o.exec(`UPDATE model_limits SET mac = NULL WHERE subject <> organization_id`, `DELETE FROM model_limits WHERE subject = organization_id`)
		if found, err := o.AcceptRecords(t.Context()); err != nil || found != (keys.AcceptedRecords{Limits: 2}) {
			t.Fatalf("%+v, %v", found, err)
		}
		if err := errors.Join(o.VerifyLimits(t.Context()), o.VerifyAudit(t.Context())); err != nil {
			t.Error(err)
		}
		found, err := o.replica().LimitsForCaller(t.Context(), keys.Caller{KeyID: k.ID, OrganizationID: o.org})
		if err != nil || len(found) != 2 {
			t.Fatalf("%+v, %v", found, err)
		}
		for _, b := range found {
			if (b.TokensInAll == nil) != b.Organization {
				t.Errorf("%+v", b)
			}
		}
	})
}
