package accounts

import (
	"context"
	"errors"
	"fmt"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Connect checks a token with the upstream and stores a connection with it. The error wraps [ErrTokenInvalid] if the
// upstream refuses the token, and is [ErrNoOrganization] if the token sees no organization.
func (a *Accounts) Connect(ctx context.Context, caller keys.Caller, connector, name, token string) (keys.Connection, error) {
	probe := a.pool.Probe(moysklad.Token(token))
	found, err := a.readTokenOwner(ctx, probe, keys.Permissions{})
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

// Verify checks the stored token with the upstream and sets the connection's state to verified or failing. A token of
// another account gives an [*OtherAccountError]. If the token is replaced meanwhile, Verify changes nothing and returns the
// connection with the new one.
func (a *Accounts) Verify(ctx context.Context, caller keys.Caller, connectionID string) (keys.Connection, error) {
	c, err := a.keys.UnsealConnectionNow(ctx, caller.OrganizationID, connectionID)
	if err != nil {
		return keys.Connection{}, err
	}
	client := a.client(c)
	found, err := a.readTokenOwner(ctx, client, c.Permissions)
	if errors.Is(err, moysklad.ErrTokenRefused) {
		if _, updateErr := a.markFailing(ctx, caller, connectionID, err); updateErr != nil {
			return keys.Connection{}, updateErr
		}
	}
	if err != nil {
		return keys.Connection{}, err
	}
	if err := mustOwn(c.Connection, found.AccountID, found.accountName); err != nil {
		return keys.Connection{}, err
	}
	a.remember(connectionID, found.Employee, client)
	return a.keys.UpdateConnection(ctx, caller, caller.OrganizationID, connectionID, c.Token, keys.Verified, found.permissions)
}

// Replace stores a new token for a connection, for example after the old one was lost or revoked. The connection
// keeps its id and its account: a token of another account gives an [*OtherAccountError].
func (a *Accounts) Replace(ctx context.Context, caller keys.Caller, connectionID, token string) (keys.Connection, error) {
	c, err := a.keys.Connection(ctx, caller.OrganizationID, connectionID)
	if err != nil {
		return keys.Connection{}, err
	}
	client := a.pool.Client(c.AccountID, moysklad.Token(token))
	found, err := a.readTokenOwner(ctx, client, c.Permissions)
	if err != nil {
		return keys.Connection{}, err
	}
	if err := mustOwn(c, found.AccountID, found.accountName); err != nil {
		return keys.Connection{}, err
	}
	c, err = a.keys.ReplaceToken(ctx, caller, caller.OrganizationID, connectionID, keys.NewSecret(token), found.permissions)
	if err != nil {
		return keys.Connection{}, err
	}
	a.remember(connectionID, found.Employee, client)
	return c, nil
}

// tokenOwner is the employee that a token belongs to, with the rights of the role and the account's display name.
type tokenOwner struct {
	moysklad.Employee
	permissions keys.Permissions
	accountName string
}

// mustOwn returns an [*OtherAccountError] unless a token's account is the connection's. The name may be empty.
func mustOwn(c keys.Connection, accountID, accountName string) error {
	if accountID == c.AccountID {
		return nil
	}
	return &OtherAccountError{Connection: c, AccountID: accountID, AccountName: accountName}
}

// readTokenOwner reads the token's employee and its rights, and the organizations that the token can see. The employee
// identifies the account, so it is read first: all other calls wait in the account's pace. The organizations show that
// there are books to read. before are the connection's rights so far.
func (a *Accounts) readTokenOwner(ctx context.Context, client *moysklad.Client, before keys.Permissions) (tokenOwner, error) {
	employee, err := client.Employee(ctx)
	if err != nil {
		return tokenOwner{}, asTokenError(err)
	}
	client = client.OfAccount(employee.AccountID)
	organizations, err := client.Organizations(ctx)
	if err != nil {
		return tokenOwner{}, asTokenError(err)
	}
	if len(organizations) == 0 {
		return tokenOwner{}, ErrNoOrganization
	}
	rights, err := client.Rights(ctx, employee, moysklad.Rights{Cost: true, Money: true}, rightsOf(before))
	if err != nil {
		return tokenOwner{}, asTokenError(err)
	}
	return tokenOwner{
		Employee:    employee,
		permissions: permissions(rights),
		accountName: organizations[0].Name,
	}, nil
}

func permissions(r moysklad.Rights) keys.Permissions {
	return keys.Permissions{ViewCost: r.Cost, ViewMoney: r.Money, WriteDocuments: r.Write}
}

func rightsOf(p keys.Permissions) moysklad.Rights {
	return moysklad.Rights{Cost: p.ViewCost, Money: p.ViewMoney, Write: p.WriteDocuments}
}

// asTokenError converts a refusal of a token that is just being connected to [ErrTokenInvalid]. The key of an existing
// connection is not affected.
func asTokenError(err error) error {
	if errors.Is(err, moysklad.ErrTokenRefused) {
		return fmt.Errorf("%w: %w", ErrTokenInvalid, err)
	}
	return err
}
