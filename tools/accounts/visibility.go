package accounts

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/encoded"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// visibilityMaxAge is how long what a role may see and do is cached.
const visibilityMaxAge = time.Hour

// visibility is what a connection's role may see. Connections share cached data only if their hashes are equal.
type visibility struct {
	accountID     string // the account of the token
	hash          string
	partlyVisible []string // kinds of records of which the role sees only some
	readAt        time.Time
	client        *moysklad.Client // the client with the token that this was read with
}

// visibilityOf returns what the connection's role may see. It asks the upstream at most once an hour, and again after
// the token changes. If the role's rights have changed, it stores the new ones and sets them in c. If the token belongs to
// another account, for example because the connection was altered in the database, the error is an [*OtherAccountError].
func (a *Accounts) visibilityOf(
	ctx context.Context, caller keys.Caller, c *keys.UnsealedConnection, client *moysklad.Client,
) (visibility, error) {
	a.mu.Lock()
	known := a.visibilities[c.ID]
	a.mu.Unlock()
	if known.client != nil && known.client.SameToken(client) && a.now().Sub(known.readAt) < visibilityMaxAge {
		return known, mustOwn(c.Connection, known.accountID, "")
	}
	employee, err := client.Employee(ctx)
	if err != nil {
		return visibility{}, a.markIfRefused(ctx, caller, c.ID, err)
	}
	if err := mustOwn(c.Connection, employee.AccountID, ""); err != nil {
		return visibility{}, err
	}
	before := rightsOf(c.Permissions)
	rights, err := client.Rights(ctx, employee, before, before)
	if err != nil {
		return visibility{}, a.markIfRefused(ctx, caller, c.ID, err)
	}
	if now := permissions(rights); now != c.Permissions {
		organization := caller.OrganizationID
		if _, err := a.keys.UpdateConnection(ctx, service(organization), organization, c.ID, c.Token, keys.Verified, now); err != nil {
			return visibility{}, err
		}
		c.Permissions = now
	}
	return a.remember(c.ID, employee, client), nil
}

// remember caches what an employee's role may see. A right to only some records, such as one's own, depends on the
// employee; in that case the hash includes the employee's id.
func (a *Accounts) remember(connectionID string, employee moysklad.Employee, client *moysklad.Client) visibility {
	fingerprinted := map[string]any{"permissions": employee.Permissions}
	if !reachesAll(employee.Permissions) {
		fingerprinted["employee"] = employee.ID
	}
	sum := sha256.Sum256(encoded.JSON(fingerprinted))
	s := visibility{
		accountID: employee.AccountID, hash: string(sum[:]), partlyVisible: employee.PartlyVisible(), readAt: a.now(), client: client,
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.visibilities[connectionID] = s
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

// Forget drops the cached visibility of a deleted connection.
func (a *Accounts) Forget(connectionID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.visibilities, connectionID)
}
