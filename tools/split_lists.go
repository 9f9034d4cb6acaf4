package tools

import (
	"context"
	"maps"
	"slices"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// readSplit reads documents that no single filter selects. Each document matches exactly one of parts at any time, and
// all without its part. The lists are read one after another, so a document that is changed meanwhile may be in two of
// them, or in none. So the documents that match all and were changed since are read again, and what is read last counts.
//
// keep converts a document, and reports whether it matches one of parts. The rows are ordered by the documents' ids.
func readSplit[T any](
	ctx context.Context, run *Run, kind string, all moysklad.Filter, parts []moysklad.Filter,
	keep func(moysklad.Document) (row T, matches bool, err error),
) ([]T, error) {
	lists := parts
	if len(parts) > 1 {
		since := run.Now().Add(-changesOverlap)
		lists = append(slices.Clip(parts), all.Where("updated", ">=", moysklad.FormatMoment(since)))
	}
	byID := map[string]T{}
	for _, filter := range lists {
		for d, err := range run.Client.DocumentsWithSum(ctx, kind, moysklad.Query{Filter: filter, Order: "id"}) {
			if err != nil {
				return nil, err
			}
			row, matches, err := keep(d)
			switch {
			case err != nil:
				return nil, err
			case matches:
				byID[d.ID] = row
			default:
				delete(byID, d.ID)
			}
		}
	}
	rows := make([]T, 0, len(byID))
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		rows = append(rows, byID[id])
	}
	return rows, nil
}
