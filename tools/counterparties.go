package tools

import (
	"context"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// CounterpartyNames returns the names of counterparties by id. Ids of own organizations work too, because they can be
// suppliers. It makes one call for each eighty ids that are not cached. The map has no entry for records that are
// deleted or hidden from the role.
func (run *Run) CounterpartyNames(ctx context.Context, ids []string) (map[string]string, error) {
	return readByID(ctx, run, "counterparty names", ids, run.readNames)
}

func (run *Run) readNames(ctx context.Context, ids []string) (map[string]string, error) {
	found := map[string]string{}
	filter := moysklad.Filter{}.Is("id", ids...).WithArchived()
	for row, err := range moysklad.List[moysklad.Counterparty](ctx, run.Client, "counterparty", moysklad.Query{Filter: filter}) {
		if err != nil {
			return nil, err
		}
		found[row.ID] = row.Name
	}
	if len(found) == len(ids) {
		return found, nil
	}
	organizations, err := run.Organizations(ctx)
	for _, organization := range organizations {
		found[organization.ID] = organization.Name
	}
	return found, err
}
