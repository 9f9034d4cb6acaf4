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

// errTokenReplaced means that the upstream refused an old token, and the connection has a new one.
var errTokenReplaced = errors.New("the connection's token has been replaced meanwhile")

// markIfRefused marks the connection as failing if err means that the upstream refused its token, and returns err as a
// [*FailingError]. If the connection has a new token by now, it returns errTokenReplaced instead. It returns other
// errors unchanged.
func (a *Accounts) markIfRefused(ctx context.Context, caller keys.Caller, connectionID string, err error) error {
	if !errors.Is(err, moysklad.ErrTokenRefused) {
		return err
	}
	c, markErr := a.markFailing(ctx, caller, connectionID, err)
	switch {
	case markErr != nil:
		return errors.Join(err, markErr)
	case c.State != keys.Failing:
		return fmt.Errorf("%w: %w", errTokenReplaced, err)
	}
	return &FailingError{c, err}
}

// markFailing marks the connection as failing if its stored token is still the refused one. It returns the connection
// as it is afterwards.
func (a *Accounts) markFailing(ctx context.Context, caller keys.Caller, connectionID string, refusal error) (keys.Connection, error) {
	return a.keys.MarkTokenRefused(ctx, caller, caller.OrganizationID, connectionID, func(stored keys.Secret) bool {
		return moysklad.IsTokenRefused(refusal, moysklad.Token(stored.Reveal()))
	})
}

// Writer returns a client that creates confirmed documents through the connection. It is part of drafts.Upstreams.
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

// RecordRefusal marks the connection as failing after the upstream refused its token while a confirmed document was
// being created. The audit log names the service as the actor.
func (a *Accounts) RecordRefusal(ctx context.Context, organizationID, connectionID string, refusal error) error {
	_, err := a.markFailing(ctx, service(organizationID), connectionID, refusal)
	return err
}

// service is the actor of changes that nobody asked for.
func service(organizationID string) keys.Caller {
	return keys.Caller{KeyID: "service", OrganizationID: organizationID}
}
