package accounts

import (
	"context"
	"errors"
	"fmt"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/moysklad"
)

func (a *Accounts) client(c keys.UnsealedConnection) *moysklad.Client {
	return a.pool.Client(c.AccountID, moysklad.Token(c.Token.Reveal()))
}

// errReplaced tells that the upstream has refused a token that is the connection's no longer.
var errTokenReplaced = errors.New("the connection's token has been replaced meanwhile")

// noted turns the connection failing when err says that its token is refused. It gives err back, as errReplaced if it was
// not the connection's.
func (a *Accounts) markIfRefused(ctx context.Context, caller keys.Caller, connectionID string, err error) error {
	if !errors.Is(err, moysklad.ErrTokenRefused) {
		return err
	}
	c, markErr := a.markFailing(ctx, caller, caller.OrganizationID, connectionID, err)
	switch {
	case markErr != nil:
		return errors.Join(err, markErr)
	case c.State != keys.Failing:
		return fmt.Errorf("%w: %w", errTokenReplaced, err)
	}
	return &FailingError{c, err}
}

// condemn turns a connection failing whose token a refusal is about, and gives it as it is then.
func (a *Accounts) markFailing(
	ctx context.Context, caller keys.Caller, organizationID, connectionID string, refusal error,
) (keys.Connection, error) {
	return a.keys.MarkTokenRefused(ctx, caller, organizationID, connectionID, func(stored keys.Secret) bool {
		return moysklad.Refuses(refusal, moysklad.Token(stored.Reveal()))
	})
}

// Writer reaches the account of a connection for creating what was confirmed. Accounts are the drafts' upstreams.
func (a *Accounts) Writer(ctx context.Context, organizationID, connectionID string) (*moysklad.Writer, error) {
	c, err := a.keys.UnsealConnectionNow(ctx, organizationID, connectionID)
	if err != nil {
		return nil, err
	}
	if c.State == keys.Failing {
		return nil, &FailingError{Connection: c.Connection}
	}
	return a.pool.Writer(c.AccountID, moysklad.Token(c.Token.Reveal())), nil
}

// Refused turns the connection failing: the service itself has found out, while it created something confirmed.
func (a *Accounts) Refused(ctx context.Context, organizationID, connectionID string, refusal error) error {
	_, err := a.markFailing(ctx, keys.Caller{KeyID: "service", OrganizationID: organizationID}, organizationID, connectionID, refusal)
	return err
}
