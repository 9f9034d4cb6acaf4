package keys_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func TestLimitsAreSetAndAudited(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, _ := o.key(keys.NewKey{})
		caller := keys.Caller{KeyID: k.ID, OrganizationID: o.org}
		if none, err := o.LimitsForCaller(t.Context(), caller); err != nil || len(none) != 0 {
			t.Fatal(none, err)
		}
		l := keys.Limits{Models: []string{"small"}, TokensPerDay: new(int64(5)), MoneyInAll: new(decimal.RequireFromString("0.25")), Currency: "USD"}
		must(t, o.SetLimits(t.Context(), o.admin, o.org, k.ID, l))
		if err := o.SetLimits(t.Context(), o.admin, o.org, "", l); !errors.Is(err, keys.ErrDenied) {
			t.Errorf("an admin limits the organization: %v", err)
		}
		must(t, o.SetLimits(t.Context(), operator, o.org, "", keys.Limits{RequestsPerMinute: new(int64(1))}))
		found, err := o.LimitsForCaller(t.Context(), caller)
		if err != nil || len(found) != 2 {
			t.Fatal(found, err)
		}
		for _, b := range found {
			if b.Organization != (b.CountedAs == o.org) || !b.Organization && (b.CountedAs != k.ID || *b.TokensPerDay != 5 || b.MoneyInAll.String() != "0.25") {
				t.Errorf("%+v", b)
			}
		}
		audit, _, err := o.Audit(t.Context(), o.org, database.Page{})
		if err != nil || audit[0].Action != "limits.set" || audit[0].Object != o.org || audit[1].Object != k.ID {
			t.Fatalf("%+v %v", audit, err)
		}
		var told keys.Limits
		if err := json.Unmarshal(audit[1].Details, &told); err != nil || *told.TokensPerDay != 5 {
			t.Errorf("audited details %s: %v", audit[1].Details, err)
		}
	})
}

// The successor of a rotated key keeps the limits, and what was used of them stays used.
func TestRotatedKeyKeepsItsLimits(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, _ := o.key(keys.NewKey{})
		first := k.ID
		must(t, o.SetLimits(t.Context(), o.admin, o.org, k.ID, keys.Limits{TokensInAll: new(int64(5))}))
		for range 2 {
			var err error
			if k, _, err = o.RotateKey(t.Context(), o.admin, o.org, k.ID, 0); err != nil {
				t.Fatal(err)
			}
		}
		found, err := o.LimitsForCaller(t.Context(), keys.Caller{KeyID: k.ID, OrganizationID: o.org})
		if err != nil || len(found) != 1 || found[0].CountedAs != first || *found[0].TokensInAll != 5 {
			t.Errorf("%+v %v", found, err)
		}
		must(t, o.SetLimits(t.Context(), o.admin, o.org, k.ID, keys.Limits{TokensInAll: new(int64(6))}))
		changed, err := o.Limits(t.Context(), o.org, k.ID)
		if err != nil || changed.CountedAs != first || *changed.TokensInAll != 6 {
			t.Errorf("after a change: %+v %v", changed, err)
		}
	})
}

func TestInvalidLimitsAreRefused(t *testing.T) {
	o := newOffice(t, databasetest.SQLite(t))
	k, _ := o.key(keys.NewKey{})
	wrong := keys.Limits{Models: []string{""}, TokensPerDay: new(int64(-1)), MoneyPerDay: new(decimal.RequireFromString("0.0000001"))}
	var invalid *check.InvalidError
	if err := o.SetLimits(t.Context(), o.admin, o.org, k.ID, wrong); !errors.As(err, &invalid) || len(invalid.Problems) != 4 {
		t.Errorf("%v", err)
	}
	if err := o.SetLimits(t.Context(), o.admin, o.org, strings.Repeat("x", 36), keys.Limits{}); !errors.Is(err, keys.ErrNotFound) {
		t.Errorf("limits of an unknown key: %v", err)
	}
}
