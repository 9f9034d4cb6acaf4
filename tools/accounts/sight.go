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
const sightLife = time.Hour

// sight is what a role may see; by its digest readings of the books are shared only between equal sights.
type sight struct {
	digest string
	inPart []string // kinds of records of which it sees only some
	read   time.Time
	by     *moysklad.Client // whose token's role it is
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

// Forget lets go of what the role of a connection that is gone may see.
func (a *Accounts) Forget(connectionID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sights, connectionID)
}
