package sandbox

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// currentQuery has the parameters of a short stock report.
type currentQuery struct {
	figure        string
	items, stores []string
	zeros         bool
	changed       map[*Item]bool // items to include; nil means all
	recalculate   bool
}

// readCurrent reads the parameters of the short reports. Unlike other filters, theirs take ids rather than links, and a
// parameter may be repeated.
func (r *request) readCurrent() (currentQuery, error) {
	c := currentQuery{
		figure: cmp.Or(r.query.Get("stockType"), "stock"),
		zeros:  r.query.Get("include") == "zeroLines", recalculate: r.query.Get("withRecalculate") == "true",
	}
	if !slices.Contains([]string{"stock", "freeStock", "quantity", "reserve", "inTransit"}, c.figure) {
		return c, refuse(http.StatusBadRequest, 13001, "Неверное значение параметра 'stockType': %s", c.figure).about("stockType")
	}
	for _, filter := range r.query["filter"] {
		conditions, err := parseFilter(filter)
		if err != nil {
			return c, err
		}
		for _, condition := range conditions {
			ids := strings.Split(condition.value, ",")
			if condition.op != "=" {
				return c, badOperator(condition)
			}
			switch condition.field {
			case "assortmentId":
				c.items = append(c.items, ids...)
			case "storeId":
				c.stores = append(c.stores, ids...)
			default:
				return c, badField(condition.field)
			}
			if slices.ContainsFunc(ids, func(id string) bool { return len(id) != 36 }) {
				return c, badValue(condition)
			}
		}
	}
	return c, r.changedSince(&c)
}

// changedSince limits the report to items whose documents have changed since a time, at most a day ago. Such a report
// includes rows of 0.
func (r *request) changedSince(c *currentQuery) error {
	since, given, err := r.moment("changedSince")
	if err != nil || !given {
		return err
	}
	now := r.view.sandbox.config.Now()
	if since.After(now) || now.Sub(since) > 24*time.Hour {
		return refuse(
			http.StatusBadRequest, 13002, "Параметр 'changedSince' не может быть в будущем или раньше, чем 24 часа назад",
		).about("changedSince")
	}
	c.zeros = true
	c.changed = map[*Item]bool{}
	for _, documents := range r.view.books.Documents {
		for _, document := range documents {
			if document.Updated.Before(since) && document.Deleted.Before(since) {
				continue
			}
			for i := range document.Positions {
				c.changed[document.Positions[i].Item] = true
			}
		}
	}
	for _, item := range r.view.books.Assortment {
		if item.Archived && !item.Updated.Before(since) {
			c.changed[item] = true
		}
	}
	return nil
}

// value returns the figure of a holding that the report is about.
func (c currentQuery) value(h *Holding) Units {
	switch c.figure {
	case "freeStock":
		return h.Stock - h.Reserve
	case "quantity":
		return h.Available()
	case "reserve":
		return h.Reserve
	case "inTransit":
		return h.InTransit
	default:
		return h.Stock
	}
}

// coversItem reports whether the parameters include an item. Archived items are included only in reports of changes.
func (c currentQuery) coversItem(i *Item) bool {
	return (c.items == nil || slices.Contains(c.items, i.ID)) && (c.changed == nil || c.changed[i]) && (!i.Archived || c.changed != nil)
}

// row appends one row of a short report. All rows of a report are in one array, so they are written directly instead of
// being built as objects. figure is nil while it is being recalculated.
func (c currentQuery) row(rows *[]byte, item *Item, store string, figure *Units) {
	if len(*rows) > 1 {
		*rows = append(*rows, ',')
	}
	*rows = append(*rows, `{"assortmentId":"`+item.ID+`",`+store+`"`+c.figure+`":`...)
	if figure == nil {
		*rows = append(*rows, "null"...)
	} else {
		*rows = appendThousandths(*rows, int64(*figure))
	}
	*rows = append(*rows, '}')
}

// currentAll answers report/stock/all/current with an array of totals over all warehouses. Archived items have 0.
func (s *Sandbox) currentAll(r *request) (any, error) {
	c, err := s.currentRequest(r)
	if err != nil {
		return nil, err
	}
	rows := []byte("[")
	for _, item := range s.books.Assortment {
		holdings := s.books.Holdings(item)
		if len(holdings) == 0 || !c.coversItem(item) || s.recalculating(item) {
			continue
		}
		var total Units
		for i := range holdings {
			if c.coversStore(holdings[i].Store) {
				total += c.value(&holdings[i])
			}
		}
		if item.Archived {
			total = 0
		}
		if total != 0 || c.zeros {
			c.row(&rows, item, "", &total)
		}
	}
	return json.RawMessage(append(rows, ']')), nil
}

func (c currentQuery) coversStore(store *Store) bool {
	return c.stores == nil || store != nil && slices.Contains(c.stores, store.ID)
}

// currentByStore answers report/stock/bystore/current. It has a row for each warehouse where the item has been, and one
// without a warehouse for orders that name none. Archived items have 0. In reports of changes, archived warehouses have
// 0 too.
func (s *Sandbox) currentByStore(r *request) (any, error) {
	c, err := s.currentRequest(r)
	if err != nil {
		return nil, err
	}
	rows := []byte("[")
	for _, item := range s.books.Assortment {
		recalculating := s.recalculating(item)
		if !c.coversItem(item) || recalculating && !c.recalculate {
			continue
		}
		for _, holding := range s.books.Holdings(item) {
			figure := c.value(&holding)
			if item.Archived || c.changed != nil && holding.Store != nil && holding.Store.Archived {
				figure = 0
			}
			store := `"storeId":null,`
			if holding.Store != nil {
				store = `"storeId":"` + holding.Store.ID + `",`
			}
			switch {
			case !c.coversStore(holding.Store) || holding.Store == nil && c.figure == "stock":
			case recalculating:
				c.row(&rows, item, store, nil)
			case figure != 0 || c.zeros:
				c.row(&rows, item, store, &figure)
			}
		}
	}
	return json.RawMessage(append(rows, ']')), nil
}

func (s *Sandbox) currentRequest(r *request) (currentQuery, error) {
	if err := s.stockReportRight(true); err != nil {
		return currentQuery{}, err
	}
	return r.readCurrent()
}
