package accounts

import (
	"cmp"
	"context"
	"slices"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools"
)

// chooseConnection returns the named connection or, for an empty id, the best connection to the organization's only
// account.
func (a *Accounts) chooseConnection(ctx context.Context, organizationID, connectionID string) (keys.UnsealedConnection, error) {
	if connectionID != "" {
		return a.keys.UnsealConnection(ctx, organizationID, connectionID)
	}
	all, err := a.keys.CachedConnections(ctx, organizationID)
	if err != nil {
		return keys.UnsealedConnection{}, err
	}
	if len(all) == 0 {
		return keys.UnsealedConnection{}, ErrNoConnection
	}
	best := bestPerAccount(all)
	if len(best) > 1 {
		return keys.UnsealedConnection{}, &tools.AmbiguousError{Accounts: candidatesOf(best)}
	}
	return a.keys.UnsealConnection(ctx, organizationID, best[0].ID)
}

// bestPerAccount returns one connection per account: it prefers a working connection, then the one with the most
// rights, then the oldest.
func bestPerAccount(all []keys.Connection) []keys.Connection {
	ordered := slices.SortedFunc(slices.Values(all), func(x, y keys.Connection) int {
		return cmp.Or(cmp.Compare(preference(y), preference(x)), x.CreatedAt.Compare(y.CreatedAt), cmp.Compare(x.ID, y.ID))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(ordered, func(c keys.Connection) bool {
		again := seen[c.AccountID]
		seen[c.AccountID] = true
		return again
	})
}

// preference ranks a connection. Working counts more than all rights together; then come view cost, view money and
// write documents.
func preference(c keys.Connection) int {
	n := 0
	for weight, has := range []bool{c.Permissions.WriteDocuments, c.Permissions.ViewMoney, c.Permissions.ViewCost, c.State != keys.Failing} {
		if has {
			n |= 1 << weight
		}
	}
	return n
}

// Candidates returns the accounts of the organization's connections, with one connection for each.
func (a *Accounts) Candidates(ctx context.Context, caller keys.Caller) ([]tools.Candidate, error) {
	all, err := a.keys.CachedConnections(ctx, caller.OrganizationID)
	if err != nil {
		return nil, err
	}
	return candidatesOf(bestPerAccount(all)), nil
}

func candidatesOf(all []keys.Connection) []tools.Candidate {
	accounts := make([]tools.Candidate, len(all))
	for i, c := range all {
		accounts[i] = tools.Candidate{AccountID: c.AccountID, ConnectionID: c.ID, Name: c.Name}
	}
	slices.SortFunc(accounts, func(x, y tools.Candidate) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.ConnectionID, y.ConnectionID))
	})
	return accounts
}
