package accounts

import (
	"context"
	"errors"
	"fmt"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Connect tries a token and stores a connection with it. A token that the upstream refuses is [ErrTokenInvalid].
func (a *Accounts) Connect(ctx context.Context, caller keys.Caller, connector, name, token string) (keys.Connection, error) {
	probe := a.pool.Probe(moysklad.Token(token))
	found, err := a.readTokenOwner(ctx, probe)
	if err != nil {
		return keys.Connection{}, err
	}
	c, err := a.keys.AddConnection(ctx, caller, keys.NewConnection{
		OrganizationID: caller.OrganizationID,
		Connector:      connector,
		Name:           name,
		AccountID:      found.AccountID,
		AccountName:    found.accountName,
		Permissions:    found.permissions,
		Token:          keys.NewSecret(token),
	})
	if err != nil {
		return keys.Connection{}, err
	}
	a.remember(c.ID, found.Employee, probe)
	return c, nil
}

// Verify asks the upstream about the stored token again, and heals or condemns the connection by what it says.
func (a *Accounts) Verify(ctx context.Context, caller keys.Caller, connectionID string) (keys.Connection, error) {
	c, err := a.keys.UnsealConnectionNow(ctx, caller.OrganizationID, connectionID)
	if err != nil {
		return keys.Connection{}, err
	}
	client := a.client(c)
	found, err := a.readTokenOwner(ctx, client)
	if errors.Is(err, moysklad.ErrTokenRefused) {
		if _, updateErr := a.markFailing(ctx, caller, caller.OrganizationID, connectionID, err); updateErr != nil {
			return keys.Connection{}, updateErr
		}
	}
	if err != nil {
		return keys.Connection{}, err
	}
	if found.AccountID != c.AccountID {
		return keys.Connection{}, fmt.Errorf(
			"the token of connection %s answers for account %s instead of %s", connectionID, found.AccountID, c.AccountID,
		)
	}
	a.remember(connectionID, found.Employee, client)
	return a.keys.UpdateConnection(ctx, caller, caller.OrganizationID, connectionID, keys.Verified, found.permissions)
}

// Replace puts a new token in the place of one that was lost, revoked or given to the wrong employee. The connection stays what
// it is for everyone who named it, so a token of another account is an [*OtherAccountError].
func (a *Accounts) Replace(ctx context.Context, caller keys.Caller, connectionID, token string) (keys.Connection, error) {
	c, err := a.keys.Connection(ctx, caller.OrganizationID, connectionID)
	if err != nil {
		return keys.Connection{}, err
	}
	probe := a.pool.Probe(moysklad.Token(token))
	found, err := a.readTokenOwner(ctx, probe)
	if err != nil {
		return keys.Connection{}, err
	}
	if found.AccountID != c.AccountID {
		return keys.Connection{}, &OtherAccountError{Connection: c, AccountID: found.AccountID, AccountName: found.accountName}
	}
	c, err = a.keys.ReplaceToken(ctx, caller, caller.OrganizationID, connectionID, keys.NewSecret(token), found.permissions)
	if err != nil {
		return keys.Connection{}, err
	}
	a.remember(connectionID, found.Employee, probe)
	return c, nil
}

// owner is whose a token is, what the role allows, and the account's name for people.
type tokenOwner struct {
	moysklad.Employee
	permissions keys.Permissions
	accountName string
}

// owner asks the upstream which organizations the token sees, who its owner is and what the role allows: the first says that
// there are books to read, the second which account's they are.
func (a *Accounts) readTokenOwner(ctx context.Context, client *moysklad.Client) (tokenOwner, error) {
	organizations, err := client.Organizations(ctx)
	if err != nil {
		return tokenOwner{}, asTokenError(err)
	}
	rights, employee, err := client.Rights(ctx)
	if err != nil {
		return tokenOwner{}, asTokenError(err)
	}
	if employee.AccountID == "" || len(organizations) == 0 {
		return tokenOwner{}, ErrNoOrganization
	}
	return tokenOwner{
		Employee:    employee,
		permissions: keys.Permissions{ViewCost: rights.Cost, ViewMoney: rights.Money, WriteDocuments: rights.Write},
		accountName: organizations[0].Name,
	}, nil
}

// tried tells a token that is refused while it is being tried from one that is in use.
func asTokenError(err error) error {
	if errors.Is(err, moysklad.ErrTokenRefused) {
		return fmt.Errorf("%w: %w", ErrTokenInvalid, err)
	}
	return err
}
