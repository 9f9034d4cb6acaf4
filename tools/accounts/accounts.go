// Package accounts opens the books that an organization's connections reach. It is the only place where a stored token is
// unsealed.
package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	spans "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Calls bounds the tools that run at once. Enter waits for a place, which leave gives back.
type Calls interface {
	Enter(ctx context.Context, organizationID string) (leave func(), err error)
}

// Accounts opens accounts, and keeps what their connections' roles may see. Make it with [New].
type Accounts struct {
	// Observe hears of every tool that has run and how it ended; it may be nil.
	Observe func(tool string, took time.Duration, err error)

	keys    *keys.Store
	pool    *moysklad.Pool
	library *tools.Library
	calls   Calls
	now     func() time.Time

	mu     sync.Mutex
	sights map[string]sight // by connection
}

// New opens accounts with the connections of store, and runs their tools within the bound of calls.
func New(store *keys.Store, pool *moysklad.Pool, library *tools.Library, calls Calls, now func() time.Time) *Accounts {
	return &Accounts{keys: store, pool: pool, library: library, calls: calls, now: now, sights: map[string]sight{}}
}

// Open gives the account of one connection, or of the organization's only account when none is named, with its books; the
// error wraps [tools.AmbiguousError] when there are several. Two connections with one accountId are one set of books.
func (a *Accounts) Open(ctx context.Context, who keys.Caller, connectionID string) (*tools.Account, error) {
	on, err := a.open(ctx, who, connectionID)
	if errors.Is(err, errReplaced) {
		on, err = a.open(ctx, who, connectionID)
	}
	return on, err
}

func (a *Accounts) open(ctx context.Context, who keys.Caller, connectionID string) (*tools.Account, error) {
	on, err := a.Reach(ctx, who, connectionID)
	if err != nil {
		return nil, err
	}
	seen, err := a.sight(ctx, who, on.ConnectionID, on.Client)
	if err != nil {
		return nil, err
	}
	on.Books, on.PartlyVisible = a.library.Books(on.ID, seen.digest), seen.inPart
	return on, nil
}

// Reach is [Accounts.Open] without books, for callers that only pass requests on: it does not ask what the role may see.
func (a *Accounts) Reach(ctx context.Context, who keys.Caller, connectionID string) (*tools.Account, error) {
	c, err := a.choose(ctx, who.OrganizationID, connectionID)
	if err != nil {
		return nil, err
	}
	if c.State == keys.Failing {
		return nil, &FailingError{Connection: c.Connection}
	}
	return &tools.Account{
		ID:           c.AccountID,
		ConnectionID: c.ID,
		Name:         c.AccountName,

		OrganizationID: who.OrganizationID,
		KeyID:          who.KeyID,

		Rights: tools.Rights{
			Cost: c.Permissions.ViewCost, Money: c.Permissions.ViewMoney, Write: c.Permissions.WriteDocuments,
		},
		Client: a.client(c),
		Now:    a.now,
	}, nil
}

// Execute runs a tool, if the key that asks is still valid: a run may outlast it. When the upstream refuses the stored
// token, the connection turns failing.
func (a *Accounts) Execute(
	ctx context.Context, who keys.Caller, t tools.Tool, on *tools.Account, args json.RawMessage,
) (*tools.Result, error) {
	if _, err := a.keys.CallerForKey(ctx, who.OrganizationID, who.KeyID); err != nil {
		return nil, &KeyError{err}
	}
	leave, err := a.calls.Enter(ctx, who.OrganizationID)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, span := trace.SpanFromContext(ctx).TracerProvider().Tracer("kopeck/tools/accounts").Start(ctx, "tool "+t.Name)
	defer span.End()
	began := a.now()
	var result *tools.Result
	err = a.Ask(ctx, who, on, func(on *tools.Account) (err error) {
		result, err = t.Execute(ctx, on, args)
		return err
	})
	if a.Observe != nil {
		a.Observe(t.Name, a.now().Sub(began), err)
	}
	if err != nil {
		span.SetStatus(spans.Error, "")
	}
	return result, err
}

// Ask asks something of an account. It asks once more, of the account as it is opened now, if the token has been replaced since
// and is refused. A refused token that has not been replaced turns the connection failing.
func (a *Accounts) Ask(ctx context.Context, who keys.Caller, on *tools.Account, ask func(*tools.Account) error) error {
	err := a.noted(ctx, who, on.ConnectionID, ask(on))
	if !errors.Is(err, errReplaced) {
		return err
	}
	now, err := a.Open(ctx, who, on.ConnectionID)
	if err != nil {
		return err
	}
	now.SessionID = on.SessionID
	return a.noted(ctx, who, now.ConnectionID, ask(now))
}
