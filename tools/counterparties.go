package tools

import (
	"context"
	"slices"
	"sync"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// namedAtOnce is how many ids one filter carries: 45 bytes each, of the 8 KB that the upstream takes for all headers.
const namedAtOnce = 80

// names are the names of counterparties and of organizations, which can be suppliers too; what is deleted or hidden has
// none. Known ones stay, so that a shop's few suppliers are read once.
type names struct {
	mu   sync.Mutex
	byID map[string]string
}

// CounterpartyNames finds the names of counterparties by their ids, one call for each eighty that are not known yet. An
// id without a name is absent from the answer.
func (c *Call) CounterpartyNames(ctx context.Context, ids []string) (map[string]string, error) {
	known, _, err := glance(ctx, c, "counterparty names", FreshCardFile, func(context.Context, *moysklad.Client) (*names, error) {
		return &names{byID: map[string]string{}}, nil
	})
	if err != nil {
		return nil, err
	}
	missing := known.missing(ids)
	for chunk := range slices.Chunk(missing, namedAtOnce) {
		if err := c.readNames(ctx, known, chunk); err != nil {
			return nil, err
		}
	}
	return known.of(ids), nil
}

func (c *Call) readNames(ctx context.Context, known *names, ids []string) error {
	found := map[string]string{}
	filter := moysklad.Filter{}.Is("archived", "true").Is("archived", "false")
	for _, id := range ids {
		filter = filter.Is("id", id)
	}
	for row, err := range moysklad.List[moysklad.Counterparty](ctx, c.Client, "counterparty", moysklad.Query{Filter: filter}) {
		if err != nil {
			return err
		}
		found[row.ID] = row.Name
	}
	if len(found) < len(ids) {
		organizations, err := c.Organizations(ctx)
		if err != nil {
			return err
		}
		for _, organization := range organizations {
			found[organization.ID] = organization.Name
		}
	}
	known.learn(ids, found)
	return nil
}

func (n *names) missing(ids []string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var missing []string
	for _, id := range ids {
		if _, ok := n.byID[id]; !ok && id != "" {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// learn remembers also that an id has no name.
func (n *names) learn(ids []string, found map[string]string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range ids {
		n.byID[id] = found[id]
	}
}

func (n *names) of(ids []string) map[string]string {
	n.mu.Lock()
	defer n.mu.Unlock()
	found := map[string]string{}
	for _, id := range ids {
		if name := n.byID[id]; name != "" {
			found[id] = name
		}
	}
	return found
}
