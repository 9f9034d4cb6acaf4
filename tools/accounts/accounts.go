// Package accounts opens the upstream accounts of an organization's connections. Stored tokens are decrypted only here.
package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Places limits how many tools run at once. Enter waits for a free place; leave gives it back.
type Places interface {
	Enter(ctx context.Context, organizationID string) (leave func(), err error)
}

// Accounts opens accounts and caches what each connection's role may see. Create it with [New].
type Accounts struct {
	// Observe is called after every tool run with its duration and error. It may be nil.
	Observe func(tool string, took time.Duration, err error)

	keys   *keys.Store
	pool   *moysklad.Pool
	cache  *tools.Cache
	places Places
	now    func() time.Time

	mu           sync.Mutex
	visibilities map[string]visibility // by connection
}

// New returns Accounts for the connections in keyStore. Each tool run takes one of the places. now returns the current
// time.
func New(keyStore *keys.Store, pool *moysklad.Pool, cache *tools.Cache, places Places, now func() time.Time) *Accounts {
	return &Accounts{keys: keyStore, pool: pool, cache: cache, places: places, now: now, visibilities: map[string]visibility{}}
}

// Open returns the account of the named connection, with its cache. An empty connectionID means the organization's
// only account; if there are several, the error wraps [tools.AmbiguousError]. Connections to one account
// share a cache if their roles see the same. If the upstream has refused the connection's token, the error is a
// [*FailingError]; if the token belongs to another account, it is an [*OtherAccountError].
func (a *Accounts) Open(ctx context.Context, caller keys.Caller, connectionID string) (*tools.Account, error) {
	account, err := a.open(ctx, caller, connectionID)
	if errors.Is(err, errTokenReplaced) {
		account, err = a.open(ctx, caller, connectionID)
	}
	return account, err
}

func (a *Accounts) open(ctx context.Context, caller keys.Caller, connectionID string) (*tools.Account, error) {
	c, err := a.workingConnection(ctx, caller, connectionID)
	if err != nil {
		return nil, err
	}
	client := a.client(c)
	visible, err := a.visibilityOf(ctx, caller, &c, client)
	if err != nil {
		return nil, err
	}
	account := a.account(caller, c.Connection, client)
	account.Cache, account.PartlyVisible = a.cache.For(account.ID, visible.hash), visible.partlyVisible
	return account, nil
}

// OpenWithoutCache is [Accounts.Open] without a cache, for callers that only forward requests. It does not ask the
// upstream what the role may see.
func (a *Accounts) OpenWithoutCache(ctx context.Context, caller keys.Caller, connectionID string) (*tools.Account, error) {
	c, err := a.workingConnection(ctx, caller, connectionID)
	if err != nil {
		return nil, err
	}
	return a.account(caller, c.Connection, a.client(c)), nil
}

func (a *Accounts) workingConnection(ctx context.Context, caller keys.Caller, connectionID string) (keys.UnsealedConnection, error) {
	c, err := a.chooseConnection(ctx, caller.OrganizationID, connectionID)
	if err == nil && c.State == keys.Failing {
		err = &FailingError{Connection: c.Connection}
	}
	return c, err
}

func (a *Accounts) account(caller keys.Caller, c keys.Connection, client *moysklad.Client) *tools.Account {
	return &tools.Account{
		ID:           c.AccountID,
		ConnectionID: c.ID,

		OrganizationID: caller.OrganizationID,
		KeyID:          caller.KeyID,

		Rights: rightsOf(c.Permissions),
		Client: client,
		Now:    a.now,
	}
}

// Execute runs a tool on the account. It returns a [*KeyError] if the caller's key is no longer valid, because an agent
// run can outlive its key. If the upstream refuses the connection's token, the connection is marked as failing.
func (a *Accounts) Execute(
	ctx context.Context, caller keys.Caller, t tools.Tool, account *tools.Account, args json.RawMessage,
) (*tools.Result, error) {
	if _, err := a.keys.CallerForKey(ctx, caller.OrganizationID, caller.KeyID); err != nil {
		return nil, &KeyError{err}
	}
	leave, err := a.places.Enter(ctx, caller.OrganizationID)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, span := trace.SpanFromContext(ctx).TracerProvider().Tracer("kopeck/tools/accounts").Start(ctx, "tool "+t.Name)
	defer span.End()
	began := a.now()
	var result *tools.Result
	err = a.Call(ctx, caller, account, func(account *tools.Account) (err error) {
		result, err = t.Execute(ctx, account, args)
		return err
	})
	if a.Observe != nil {
		a.Observe(t.Name, a.now().Sub(began), err)
	}
	if err != nil {
		span.SetStatus(otelcodes.Error, "")
	}
	return result, err
}

// Call calls f with the account. If the upstream refuses the token and a new one has been stored in the meantime, Call
// opens the account again and calls f once more. Otherwise it marks the connection as failing.
func (a *Accounts) Call(ctx context.Context, caller keys.Caller, account *tools.Account, f func(*tools.Account) error) error {
	err := a.markIfRefused(ctx, caller, account.ConnectionID, f(account))
	if !errors.Is(err, errTokenReplaced) {
		return err
	}
	reopened, err := a.Open(ctx, caller, account.ConnectionID)
	if err != nil {
		return err
	}
	reopened.SessionID = account.SessionID
	return a.markIfRefused(ctx, caller, reopened.ConnectionID, f(reopened))
}
