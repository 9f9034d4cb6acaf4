package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// sightLife is how long what a connection's role may see is taken to be as last read.
const visibilityMaxAge = time.Hour

// sight is what a role may see; by its digest readings of the books are shared only between equal sights.
type visibility struct {
	digest        string
	partlyVisible []string // kinds of records of which it sees only some
	readAt        time.Time
	client        *moysklad.Client // whose token's role it is
}

// sight reads what the role may see where it is not known yet: once a connection and hour.
func (a *Accounts) visibilityOf(ctx context.Context, caller keys.Caller, connectionID string, client *moysklad.Client) (visibility, error) {
	a.mu.Lock()
	known := a.visibilities[connectionID]
	a.mu.Unlock()
	if known.client != nil && known.client.SameToken(client) && a.now().Sub(known.readAt) < visibilityMaxAge {
		return known, nil
	}
	employee, err := client.Employee(ctx)
	if err != nil {
		return visibility{}, a.markIfRefused(ctx, caller, connectionID, err)
	}
	return a.remember(connectionID, employee, client), nil
}

// remember keeps a digest of the role's permissions, and what the role sees in part. A right that reaches less than all of the
// account depends on who the employee is, so then the employee is part of the digest.
func (a *Accounts) remember(connectionID string, employee moysklad.Employee, client *moysklad.Client) visibility {
	fingerprinted := map[string]any{"permissions": employee.Permissions}
	if !reachesAll(employee.Permissions) {
		fingerprinted["employee"] = employee.ID
	}
	text, err := json.Marshal(fingerprinted)
	if err != nil {
		panic(err) // maps of strings
	}
	sum := sha256.Sum256(text)
	s := visibility{digest: string(sum[:]), partlyVisible: employee.SeenInPart(), readAt: a.now(), client: client}
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

// Forget lets go of what the role of a connection that is gone may see.
func (a *Accounts) Forget(connectionID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.visibilities, connectionID)
}
