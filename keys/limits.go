package keys

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"

	"github.com/shopspring/decimal"
)

// Limits bound what a key, or all keys of an organization together, may ask of models. What is nil is not bounded. Minutes,
// days and months are calendar ones, in UTC.
type Limits struct {
	Models            []string         `json:"models"` // by name; nil is all, an empty list none
	RequestsPerMinute *int64           `json:"requests_per_minute"`
	TokensPerMinute   *int64           `json:"tokens_per_minute"`
	TokensPerDay      *int64           `json:"tokens_per_day"`
	TokensPerMonth    *int64           `json:"tokens_per_month"`
	TokensInAll       *int64           `json:"tokens_in_all"`
	MoneyPerDay       *decimal.Decimal `json:"money_per_day"`
	MoneyPerMonth     *decimal.Decimal `json:"money_per_month"`
	MoneyInAll        *decimal.Decimal `json:"money_in_all"`
	Currency          string           `json:"currency"` // of the money; empty where none is bounded
}

// Bounded is a key or an organization with its limits.
type Bounded struct {
	CountedAs    string // under which its use is counted
	Organization bool
	Limits
}

// Bounds of limits.
const (
	mostAllowed   = 200               // models
	longestModel  = 300               // bytes of a name
	mostOfALimit  = 1_000_000_000_000 // tokens, or money
	moneyDecimals = 6
)

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// check returns all that is wrong with limits.
func (l Limits) check() error {
	var wrong []FieldProblem
	add := func(field, format string, values ...any) {
		wrong = append(wrong, FieldProblem{field, fmt.Sprintf(format, values...)})
	}
	if len(l.Models) > mostAllowed {
		add("models", "must name at most %d models, got %d", mostAllowed, len(l.Models))
	}
	if slices.ContainsFunc(l.Models, func(name string) bool { return name == "" || len(name) > longestModel }) {
		add("models", "must be names of 1 to %d bytes", longestModel)
	}
	for _, count := range l.counts() {
		if n := count.value; n != nil && (*n < 0 || *n > mostOfALimit) {
			add(count.field, "must be 0 to %d, got %d", int64(mostOfALimit), *n)
		}
	}
	bounded := false
	for _, sum := range l.sums() {
		if sum.value == nil {
			continue
		}
		bounded = true
		if sum.value.IsNegative() || sum.value.GreaterThan(decimal.NewFromInt(mostOfALimit)) ||
			!sum.value.Equal(sum.value.Truncate(moneyDecimals)) {
			add(sum.field, "must be 0 to %d with at most %d decimals, got %s", int64(mostOfALimit), moneyDecimals, sum.value)
		}
	}
	if bounded != (l.Currency != "") || bounded && !currencyCode.MatchString(l.Currency) {
		add("currency", "must be a code such as USD where money is bounded, and absent elsewhere, got %q", l.Currency)
	}
	if wrong != nil {
		return &InvalidError{wrong}
	}
	return nil
}

type bound[T any] struct {
	field string
	value *T
}

func (l Limits) counts() []bound[int64] {
	return []bound[int64]{
		{"requests_per_minute", l.RequestsPerMinute}, {"tokens_per_minute", l.TokensPerMinute}, {"tokens_per_day", l.TokensPerDay},
		{"tokens_per_month", l.TokensPerMonth}, {"tokens_in_all", l.TokensInAll},
	}
}

func (l Limits) sums() []bound[decimal.Decimal] {
	return []bound[decimal.Decimal]{{"money_per_day", l.MoneyPerDay}, {"money_per_month", l.MoneyPerMonth}, {"money_in_all", l.MoneyInAll}}
}

// SetLimits puts limits on a key, or on an organization if keyID is empty, in the place of those it had. Only an operator
// bounds an organization. Limits that bound nothing lift all; their row stays, since a missing row means that somebody else has
// removed it. Every replica holds requests to them within a second.
func (s *Store) SetLimits(ctx context.Context, by Caller, orgID, keyID string, l Limits) error {
	if err := l.check(); err != nil {
		return err
	}
	if keyID == "" && !by.Operator {
		return ErrDenied
	}
	subject := orgID
	err := s.change(ctx, by, orgID, func(tx *sql.Tx) (event, error) {
		if keyID != "" {
			subject = keyID
			if _, err := changeable(ctx, tx, by, orgID, keyID); err != nil {
				return event{}, err
			}
		}
		return event{"limits.set", subject, l}, s.writeLimits(ctx, tx, boundary{Subject: subject, OrganizationID: orgID, CountedAs: subject}, l)
	})
	if err != nil {
		return fmt.Errorf("set the limits: %w", err)
	}
	return nil
}

// LimitsOf are the limits of a key, or of an organization if keyID is empty.
func (s *Store) LimitsOf(ctx context.Context, orgID, keyID string) (Bounded, error) {
	subject := keyID
	var err error
	if keyID == "" {
		subject = orgID
		_, err = s.Organization(ctx, orgID)
	} else {
		_, err = ownRecord(ctx, s.db, orgID, keyID)
	}
	if err != nil {
		return Bounded{}, err
	}
	found, err := s.bounded(ctx, s.db, subject, subject)
	if err != nil {
		return Bounded{}, fmt.Errorf("read the limits: %w", err)
	}
	if len(found) == 0 {
		return Bounded{CountedAs: subject, Organization: keyID == ""}, nil
	}
	return found[0], nil
}

// LimitsFor are the limits that a caller's requests have to keep: its key's and those of the organization that it acts on.
// A change by another replica takes effect within a second. The error wraps [ErrLimitsAltered] if they are not as this program
// wrote them.
func (s *Store) LimitsFor(ctx context.Context, c Caller) ([]Bounded, error) {
	return s.limits.get(ctx, owned{c.OrganizationID, c.KeyID}, s.now(), func(ctx context.Context) ([]Bounded, error) {
		found, err := s.bounded(ctx, s.reading, c.KeyID, c.OrganizationID)
		if err != nil {
			return nil, fmt.Errorf("look up the limits: %w", err)
		}
		return found, nil
	})
}
