package tools

import (
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// atWarehouse restricts a filter to one warehouse. If warehouse is nil, it returns the filter unchanged.
func atWarehouse(filter moysklad.Filter, warehouse *moysklad.Store) moysklad.Filter {
	if warehouse == nil {
		return filter
	}
	return filter.Is("store", moysklad.Href("store", warehouse.ID))
}

// postedBetween returns a filter for posted documents of a period. Both from and to are included.
func postedBetween(from, to time.Time) moysklad.Filter {
	return moysklad.Filter{}.
		Where("moment", ">=", moysklad.FormatMoment(from)).
		Where("moment", "<=", moysklad.FormatMoment(to)).
		Is("applicable", "true")
}
