package tools

import (
	"context"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// bundleParts has the components of each bundle, by the bundle's id.
type bundleParts map[string][]moysklad.BundleComponent

func (b bundleParts) bytes() int { return len(b) * 600 }

// readBundleParts reads all bundles, a hundred in one call. It is called only if a bundle was sold.
func (run *Run) readBundleParts(ctx context.Context) (bundleParts, error) {
	return readCachedUndated(ctx, run, "bundles", maxRecordAge, func(ctx context.Context, up *moysklad.Client) (bundleParts, error) {
		parts := bundleParts{}
		query := moysklad.Query{
			Filter: moysklad.Filter{}.WithArchived(),
			Order:  "id", Expand: []string{"components"},
		}
		for row, err := range up.Bundles(ctx, query) {
			if err != nil {
				return nil, err
			}
			if row.Components != nil {
				parts[row.ID] = row.Components.Rows
			}
		}
		return parts, nil
	})
}
