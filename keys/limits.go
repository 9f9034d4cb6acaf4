package keys

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/check"
)

// Limits restrict the model requests of one key, or of all keys of an organization together. A nil field means no limit.
// Minutes, days and months are calendar periods in UTC.
type Limits struct {
	Models            []string         `json:"models"` // names; nil allows all, an empty list none
	RequestsPerMinute *int64           `json:"requests_per_minute"`
	TokensPerMinute   *int64           `json:"tokens_per_minute"`
	TokensPerDay      *int64           `json:"tokens_per_day"`
	TokensPerMonth    *int64           `json:"tokens_per_month"`
	TokensInAll       *int64           `json:"tokens_in_all"`
	MoneyPerDay       *decimal.Decimal `json:"money_per_day"`
	MoneyPerMonth     *decimal.Decimal `json:"money_per_month"`
	MoneyInAll        *decimal.Decimal `json:"money_in_all"`
	Currency          string           `json:"currency"` // of the money limits; empty if there are none
}

// SubjectLimits are the limits of a key or an organization.
type SubjectLimits struct {
	CountedAs    string // requests are counted under this id: a rotated key and its successor have the same one
	Organization bool
	Limits
}

// The largest accepted values.
const (
	maxModels     = 200               // models
	maxModelName  = 300               // bytes
	maxLimitValue = 1_000_000_000_000 // tokens or money
	moneyDecimals = 6
)

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// check validates the limits and reports all problems at once.
func (l Limits) check() error {
	var wrong check.InvalidError
	if len(l.Models) > maxModels {
		wrong.Add(manyModels.At("models", maxModels).WithValue(len(l.Models)))
	}
	if slices.ContainsFunc(l.Models, func(name string) bool { return name == "" || len(name) > maxModelName }) {
		wrong.Add(wrongModels.At("models", maxModelName))
	}
	for _, count := range l.counts() {
		if n := count.value; n != nil && (*n < 0 || *n > maxLimitValue) {
			wrong.Add(check.Within.At(count.field, 0, int64(maxLimitValue)).WithValue(*n))
		}
	}
	bounded := false
	for _, sum := range l.sums() {
		if sum.value == nil {
			continue
		}
		bounded = true
		if sum.value.IsNegative() || sum.value.GreaterThan(decimal.NewFromInt(maxLimitValue)) ||
			!sum.value.Equal(sum.value.Truncate(moneyDecimals)) {
			wrong.Add(wrongSum.At(sum.field, int64(maxLimitValue), moneyDecimals).WithValue(*sum.value))
		}
	}
	switch {
	case bounded && !currencyCode.MatchString(l.Currency):
		wrong.Add(noCurrency.At("currency").WithValue(l.Currency))
	case !bounded && l.Currency != "":
		wrong.Add(idleCurrency.At("currency").WithValue(l.Currency))
	}
	return wrong.OrNil()
}

type limitField[T any] struct {
	field string
	value *T
}

func (l Limits) counts() []limitField[int64] {
	return []limitField[int64]{
		{"requests_per_minute", l.RequestsPerMinute}, {"tokens_per_minute", l.TokensPerMinute}, {"tokens_per_day", l.TokensPerDay},
		{"tokens_per_month", l.TokensPerMonth}, {"tokens_in_all", l.TokensInAll},
	}
}

func (l Limits) sums() []limitField[decimal.Decimal] {
	return []limitField[decimal.Decimal]{
		{"money_per_day", l.MoneyPerDay}, {"money_per_month", l.MoneyPerMonth}, {"money_in_all", l.MoneyInAll},
	}
}

// SetLimits replaces the limits of a key, or of an organization if keyID is empty. Only an operator may limit an
// organization. The change takes effect on every replica within a second.
//
// Empty limits remove all restrictions but keep the row, because a missing row counts as removed outside Kopeck.
func (s *Store) SetLimits(ctx context.Context, by Caller, orgID, keyID string, l Limits) error {
	if err := l.check(); err != nil {
		return err
	}
	if keyID == "" && !by.Operator {
		return ErrDenied
	}
	subject := orgID
	return s.changeAndAudit(ctx, by, orgID, "set the limits", func(tx *sql.Tx) (auditEvent, error) {
		if keyID != "" {
			subject = keyID
			if _, err := changeableRecord(ctx, tx, by, orgID, keyID); err != nil {
				return auditEvent{}, err
			}
		}
		row := limitsRow{Subject: subject, OrganizationID: orgID, CountedAs: subject}
		before, err := readLimitsRows(ctx, tx, twoSubjects, subject, subject)
		if err != nil {
			return auditEvent{}, err
		}
		if len(before) > 0 && s.checkLimitsRow(before[0]) == nil { // what was used of the limits stays used
			row.CountedAs = before[0].CountedAs
		}
		return auditEvent{"limits.set", subject, l}, s.writeLimits(ctx, tx, row, l)
	})
}

// Limits returns the limits of a key, or of an organization if keyID is empty.
func (s *Store) Limits(ctx context.Context, orgID, keyID string) (SubjectLimits, error) {
	subject := keyID
	var err error
	if keyID == "" {
		subject = orgID
		_, err = s.Organization(ctx, orgID)
	} else {
		_, err = organizationRecord(ctx, s.db, orgID, keyID)
	}
	if err != nil {
		return SubjectLimits{}, err
	}
	found, err := s.subjectLimits(ctx, s.db, subject, subject)
	if err != nil {
		return SubjectLimits{}, fmt.Errorf("read the limits: %w", err)
	}
	if len(found) == 0 {
		return SubjectLimits{CountedAs: subject, Organization: keyID == ""}, nil
	}
	return found[0], nil
}

// LimitsForCaller returns the limits that apply to a caller's requests: those of its key, and those of the organization
// that it acts for. The error wraps [ErrLimitsAltered] if they were changed outside Kopeck. A change by another replica
// takes effect within a second.
func (s *Store) LimitsForCaller(ctx context.Context, c Caller) ([]SubjectLimits, error) {
	return s.limits.get(ctx, objectRef{c.OrganizationID, c.KeyID}, s.now(), func(ctx context.Context) ([]SubjectLimits, error) {
		found, err := s.subjectLimits(ctx, s.readDB, c.KeyID, c.OrganizationID)
		if err != nil {
			return nil, fmt.Errorf("look up the limits: %w", err)
		}
		return found, nil
	})
}
