package proxy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	spans "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/places"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// How many tools run at once in this process, how many of them for one organization, and how many of one wait: a run of the
// agent calls a few, and a call holds some megabytes of reports. The bound of one is more than questions need that are asked
// at once by all keys of a large shop.
const (
	mostCalls       = 256
	mostCallsOfOne  = 32
	longestCallLine = 256
)

// sightLife is how long what a connection's role may see is taken to be as last read.
const sightLife = time.Hour

// Accounts opens the sets of books that an organization's connections reach. It is the agent's [agent.Accounts], and the
// only place where a stored token is unsealed.
type Accounts struct {
	// Observe is told of every tool that has run, and how it ended; nil is nobody.
	Observe func(tool string, took time.Duration, err error)

	keys    *keys.Store
	pool    *moysklad.Pool
	library *tools.Library
	now     func() time.Time
	calls   *places.Room

	mu     sync.Mutex
	sights map[string]sight // by connection
}

// sight is what a role may see; by its digest readings of the books are shared only between equal sights.
type sight struct {
	digest string
	inPart []string // kinds of records of which it sees only some
	read   time.Time
	by     *moysklad.Client // whose token's role it is
}

// NewAccounts opens accounts with the connections of store.
func NewAccounts(store *keys.Store, pool *moysklad.Pool, library *tools.Library, now func() time.Time) *Accounts {
	return &Accounts{keys: store, pool: pool, library: library, now: now, calls: places.New(mostCalls, mostCallsOfOne, longestCallLine), sights: map[string]sight{}}
}

// Open gives the account of one connection, or of the organization's only account when none is named, with its books; the
// error wraps [agent.AmbiguousError] when there are several. Two connections with one accountId are one set of books.
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
	on.Books, on.InPart = a.library.Books(on.ID, seen.digest), seen.inPart
	return on, nil
}

// Reach is [Accounts.Open] for who only calls the upstream: without books, and so without asking what the role may see.
func (a *Accounts) Reach(ctx context.Context, who keys.Caller, connectionID string) (*tools.Account, error) {
	c, err := a.choose(ctx, who.OrganizationID, connectionID)
	if err != nil {
		return nil, err
	}
	if c.State == keys.Failing {
		return nil, failing(c.Connection)
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
func (a *Accounts) Execute(ctx context.Context, who keys.Caller, t tools.Tool, on *tools.Account, args json.RawMessage) (*tools.Result, error) {
	if _, err := a.keys.CallerOf(ctx, who.OrganizationID, who.KeyID); err != nil {
		return nil, &keyLost{verifyProblem(ctx, err)}
	}
	leave, err := a.calls.Enter(ctx, who.OrganizationID)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, span := trace.SpanFromContext(ctx).TracerProvider().Tracer("kopeck/proxy").Start(ctx, "tool "+t.Name)
	defer span.End()
	began := a.now()
	var result *tools.Result
	err = a.with(ctx, who, on, func(on *tools.Account) (err error) {
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

// with asks something of an account: once more, as it is opened now, if the token that it was opened with has been replaced
// and is refused. Another token that is refused turns the connection failing.
func (a *Accounts) with(ctx context.Context, who keys.Caller, on *tools.Account, ask func(*tools.Account) error) error {
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

// keyLost is the error of a tool that was not run because the key behind the run is not known to be valid any more.
type keyLost struct{ error }

func (e *keyLost) Unwrap() error { return e.error }

// Fatal reports whether an error of a tool concerns the connection or the key itself, so that no other call can succeed.
func (a *Accounts) Fatal(err error) bool {
	_, lost := errors.AsType[*keyLost](err)
	return lost || errors.Is(err, moysklad.ErrTokenRefused) || refusedKey(err) != nil
}

// choose opens the connection that is named, or the only account's best one.
func (a *Accounts) choose(ctx context.Context, organizationID, connectionID string) (keys.Access, error) {
	if connectionID != "" {
		return a.keys.Access(ctx, organizationID, connectionID)
	}
	all, err := a.keys.Reachable(ctx, organizationID)
	if err != nil {
		return keys.Access{}, err
	}
	if len(all) == 0 {
		return keys.Access{}, refuse(http.StatusNotFound, "NOT_FOUND", "The organization has no connection to an upstream account.",
			"An admin connects one with POST /api/v1/connections.").
			inRussian("У организации нет подключения к МоемуСкладу.", "Администратор подключает его: kopeck connect, или POST /api/v1/connections.")
	}
	best := bestByAccount(all)
	if len(best) > 1 {
		return keys.Access{}, &agent.AmbiguousError{Accounts: candidates(best)}
	}
	return a.keys.Access(ctx, organizationID, best[0].ID)
}

// bestByAccount gives each account's connection that works and sees the most, the oldest of equals first.
func bestByAccount(all []keys.Connection) []keys.Connection {
	ordered := slices.SortedFunc(slices.Values(all), func(x, y keys.Connection) int {
		return cmp.Or(cmp.Compare(worth(y), worth(x)), x.CreatedAt.Compare(y.CreatedAt), cmp.Compare(x.ID, y.ID))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(ordered, func(c keys.Connection) bool {
		again := seen[c.AccountID]
		seen[c.AccountID] = true
		return again
	})
}

func worth(c keys.Connection) int {
	n := 0
	for weight, has := range []bool{c.Permissions.WriteDocuments, c.Permissions.ViewMoney, c.Permissions.ViewCost, c.State != keys.Failing} {
		if has {
			n |= 1 << weight
		}
	}
	return n
}

// Candidates are the accounts that an organization's connections reach.
func (a *Accounts) Candidates(ctx context.Context, who keys.Caller) ([]agent.Candidate, error) {
	all, err := a.keys.Reachable(ctx, who.OrganizationID)
	if err != nil {
		return nil, err
	}
	return candidates(bestByAccount(all)), nil
}

func candidates(all []keys.Connection) []agent.Candidate {
	accounts := make([]agent.Candidate, len(all))
	for i, c := range all {
		accounts[i] = agent.Candidate{AccountID: c.AccountID, ConnectionID: c.ID, Name: c.Name}
	}
	slices.SortFunc(accounts, func(x, y agent.Candidate) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.ConnectionID, y.ConnectionID))
	})
	return accounts
}

// failing is the refusal to try a token that the upstream has refused: identical failing calls get an account locked.
func failing(c keys.Connection) *problem {
	return refuse(http.StatusFailedDependency, "UPSTREAM_TOKEN_REVOKED",
		fmt.Sprintf("The upstream refused the token of connection %q (%s).", c.Name, c.ID),
		"Verify it with POST /api/v1/connections/"+c.ID+"/verify, or connect the account again with a new token.").
		inRussian(fmt.Sprintf("МойСклад не принимает токен подключения «%s» (%s).", c.Name, c.ID),
			"Замените токен новым: kopeck connect --replace "+c.ID+". Если он снова действует, проверьте подключение: POST /api/v1/connections/"+c.ID+"/verify.")
}

func (a *Accounts) client(c keys.Access) *moysklad.Client {
	return a.pool.Client(c.AccountID, moysklad.Token(c.Token.Reveal()))
}

// errReplaced tells that the upstream has refused a token that is the connection's no longer.
var errReplaced = errors.New("the connection's token has been replaced meanwhile")

// noted turns the connection failing when err says that its token is refused. It gives err back, as errReplaced if it was
// not the connection's.
func (a *Accounts) noted(ctx context.Context, who keys.Caller, connectionID string, err error) error {
	if !errors.Is(err, moysklad.ErrTokenRefused) {
		return err
	}
	c, markErr := a.condemn(ctx, who, who.OrganizationID, connectionID, err)
	switch {
	case markErr != nil:
		return errors.Join(err, markErr)
	case c.State != keys.Failing:
		return fmt.Errorf("%w: %w", errReplaced, err)
	}
	return failing(c).because(err)
}

// condemn turns a connection failing whose token a refusal is about, and gives it as it is then.
func (a *Accounts) condemn(ctx context.Context, by keys.Caller, organizationID, connectionID string, refusal error) (keys.Connection, error) {
	return a.keys.TokenRefused(ctx, by, organizationID, connectionID, func(stored keys.Secret) bool {
		return moysklad.Refuses(refusal, moysklad.Token(stored.Reveal()))
	})
}

// sight reads what the role may see where it is not known yet: once a connection and hour.
func (a *Accounts) sight(ctx context.Context, who keys.Caller, connectionID string, client *moysklad.Client) (sight, error) {
	a.mu.Lock()
	known := a.sights[connectionID]
	a.mu.Unlock()
	if known.by != nil && known.by.SameToken(client) && a.now().Sub(known.read) < sightLife {
		return known, nil
	}
	employee, err := client.Employee(ctx)
	if err != nil {
		return sight{}, a.noted(ctx, who, connectionID, err)
	}
	return a.remember(connectionID, employee, client), nil
}

// remember keeps a digest of the role's permissions, and what the role sees in part. A right that reaches less than all of the
// account depends on who the employee is, so then the employee is part of the digest.
func (a *Accounts) remember(connectionID string, e moysklad.Employee, by *moysklad.Client) sight {
	seen := map[string]any{"permissions": e.Permissions}
	if !reachesAll(e.Permissions) {
		seen["employee"] = e.ID
	}
	text, err := json.Marshal(seen)
	if err != nil {
		panic(err) // maps of strings
	}
	sum := sha256.Sum256(text)
	s := sight{digest: string(sum[:]), inPart: e.SeenInPart(), read: a.now(), by: by}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sights[connectionID] = s
	return s
}

func reachesAll(permissions map[string]map[string]string) bool {
	for _, rights := range permissions {
		for _, reach := range rights {
			if reach != "ALL" {
				return false
			}
		}
	}
	return true
}

func (a *Accounts) forget(connectionID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sights, connectionID)
}
