package sandbox

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// stockScope is the filter of a stock report, and the ledger from which the report is computed.
type stockScope struct {
	view                    view
	ledger                  *ledger
	at                      time.Time // the time as of which the report is computed
	stores, notStores       []string
	items, notItems         []string
	folders, notFolders     []string
	suppliers, notSuppliers []string
	archived                []string
	search, notSearch       string
	stockMode, quantityMode string
	daysFrom, daysTo        string
	reserveOnly, inTransit  bool
	folderOnly              bool     // only the folder itself, without its subfolders
	weighed                 []string // values "true" or "false"; empty means both
}

// stockFilter lists what the filter of a stock report may contain.
type stockFilter struct {
	ops map[string]string // field → operators
	one bool              // at most one of goodsFields may be used
}

// The filters that the stock reports accept.
//
// Source: md/reports/_report_stock.md.
var (
	stockAllFilter = stockFilter{ops: map[string]string{
		"archived": " = ", "consignment": " = != ", "product": " = != ", "variant": " = != ", "productFolder": " = != ", "withSubFolders": " = ",
		"search": " = !~ ", "store": " = != ", "supplier": " = != ", "moment": " = ", "stockMode": " = ", "quantityMode": " = ",
		"inTransitOnly": " = ", "reserveOnly": " = ", "soldByWeight": " = ", "stockDaysFrom": " = ", "stockDaysTo": " = ",
	}}
	stockByStoreFilter = stockFilter{one: true, ops: map[string]string{
		"consignment": " = ", "product": " = ", "variant": " = ", "productFolder": " = ", "search": " = ", "store": " = ", "supplier": " = ",
		"moment": " = ", "stockMode": " = ", "soldByWeight": " = ",
	}}
)

// goodsFields are the fields that select goods. A request must use the same operator for all of them.
var goodsFields = []string{"product", "variant", "consignment", "productFolder", "search"}

// check refuses conditions that the report does not accept.
func (f stockFilter) check(conditions []condition) error {
	var goods *condition
	for i, c := range conditions {
		ops, known := f.ops[c.field]
		switch {
		case !known:
			return badField(c.field)
		case !strings.Contains(ops, " "+c.op+" "):
			return badOperator(c)
		case !slices.Contains(goodsFields, c.field):
			continue
		case goods != nil && (c.op == "=") != (goods.op == "="):
			return badOperator(c)
		case goods != nil && f.one && c.field != goods.field:
			return badField(c.field)
		}
		goods = &conditions[i]
	}
	return nil
}

// stockScope reads the conditions that the stock reports and the legacy assortment have in common. It returns the other
// conditions.
func (r *request) stockScope(conditions []condition) (*stockScope, []condition, error) {
	scope := &stockScope{view: r.view, ledger: r.view.books.ledger, at: r.view.sandbox.config.Now()}
	var rest []condition
	for _, c := range conditions {
		taken, err := scope.readCondition(c)
		if err != nil {
			return nil, nil, err
		}
		if !taken {
			rest = append(rest, c)
		}
	}
	if scope.at.Before(r.view.books.Now.Add(-time.Minute)) {
		scope.ledger = r.view.books.at(scope.at)
	}
	return scope, rest, nil
}

// readCondition reads one condition that they have in common. It returns false for any other.
func (s *stockScope) readCondition(c condition) (bool, error) {
	switch c.field {
	case "store", "stockStore":
		return true, c.addID(&s.stores, &s.notStores)
	case "moment", "stockMoment":
		at, ok := parseMoment(c.value)
		if !ok {
			return false, badValue(c)
		}
		s.at = at
	case "stockMode":
		s.stockMode = c.value
		return true, checkMode(c)
	case "quantityMode":
		s.quantityMode = c.value
		return true, checkMode(c)
	case "search":
		if c.op == "!~" {
			s.notSearch = c.value
		} else {
			s.search = c.value
		}
	default:
		return false, nil
	}
	return true, nil
}

// checkMode refuses unknown values of stockMode and quantityMode.
func checkMode(c condition) error {
	if slices.Contains([]string{"all", "positiveOnly", "negativeOnly", "empty", "nonEmpty", "underMinimum"}, c.value) {
		return nil
	}
	return badValue(c)
}

// readReportCondition reads the conditions that only the reports accept.
func (s *stockScope) readReportCondition(conditions []condition) error {
	for _, c := range conditions {
		var err error
		switch c.field {
		case "product", "variant", "consignment":
			err = c.addID(&s.items, &s.notItems)
		case "productFolder":
			err = c.addID(&s.folders, &s.notFolders)
		case "supplier":
			err = c.addID(&s.suppliers, &s.notSuppliers)
		case "archived":
			s.archived = append(s.archived, c.value)
		case "reserveOnly":
			s.reserveOnly = c.value == "true"
		case "inTransitOnly":
			s.inTransit = c.value == "true"
		case "stockDaysFrom":
			s.daysFrom = c.value
		case "stockDaysTo":
			s.daysTo = c.value
		case "withSubFolders":
			s.folderOnly = c.value == "false"
		case "soldByWeight":
			s.weighed = append(s.weighed, c.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addID adds the id in a condition's link to yes or, for the operator "!=", to no. If there is no link, the id is empty.
func (c condition) addID(yes, no *[]string) error {
	id := ""
	if c.value != "" {
		var err error
		if id, err = idOfHref(c.value); err != nil {
			return err
		}
	}
	if c.op == "!=" {
		yes = no
	}
	*yes = append(*yes, id)
	return nil
}

// coversItem reports whether an item passes the filter, apart from its figures.
func (s *stockScope) coversItem(i *Item) bool {
	if !i.Stocked() || s.view.sandbox.recalculating(i) {
		return false
	}
	origin := i.Origin()
	archived := strconv.FormatBool(i.Archived || origin.Archived)
	if len(s.archived) == 0 && archived == "true" || len(s.archived) > 0 && !slices.Contains(s.archived, archived) {
		return false
	}
	return allowed([]string{i.ID, origin.ID}, s.items, s.notItems) &&
		allowed(s.foldersOf(origin), s.folders, s.notFolders) &&
		allowed([]string{idOf(origin.Supplier)}, s.suppliers, s.notSuppliers) &&
		(len(s.weighed) == 0 || slices.Contains(s.weighed, strconv.FormatBool(origin.Weighed))) &&
		(s.search == "" || containsFold(s.search, i.Name)) &&
		(s.notSearch == "" || !containsFold(s.notSearch, i.Name))
}

func (s *stockScope) foldersOf(i *Item) []string {
	all := i.Folder.ids()
	if s.folderOnly {
		return all[:min(len(all), 1)]
	}
	return all
}

// allowed reports whether one of ids is in wanted, or wanted is empty, and none of ids is in unwanted.
func allowed(ids, wanted, unwanted []string) bool {
	in := func(list []string) bool {
		return slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(list, id) })
	}
	return (len(wanted) == 0 || in(wanted)) && !in(unwanted)
}

func containsFold(part string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(part)) })
}

// coversStore reports whether a warehouse passes the filter. If the filter names no warehouse, orders without a
// warehouse pass too.
func (s *stockScope) coversStore(store *Store) bool {
	if store == nil {
		return len(s.stores) == 0
	}
	return allowed([]string{store.ID}, s.stores, s.notStores)
}

// total returns the sum of the item's holdings in the warehouses of the report, with their layers.
func (s *stockScope) total(i *Item) Holding {
	var total Holding
	for _, holding := range s.ledger.of(i) {
		if s.coversStore(holding.Store) {
			total.add(holding)
		}
	}
	return total
}

// passes reports whether a figure matches a stockMode or quantityMode.
func (s *stockScope) passes(mode string, figure Units, i *Item) bool {
	switch mode {
	case "positiveOnly":
		return figure > 0
	case "negativeOnly":
		return figure < 0
	case "empty":
		return figure == 0
	case "nonEmpty":
		return figure != 0
	case "underMinimum":
		return s.underMinimum(i)
	default:
		return true
	}
}

// underMinimum compares the total stock with a minimum for all warehouses together, or the stock of each warehouse with
// its own minimum.
func (s *stockScope) underMinimum(i *Item) bool {
	minimum := i.EffectiveMinimum()
	if minimum.Type == MinimumSum {
		return s.total(i).Stock < minimum.Quantity
	}
	if s.view.sandbox.config.UnderMinimumSumsOnly {
		return false
	}
	for _, store := range s.view.books.Stores {
		units, ok := minimum.At(store)
		if ok && s.coversStore(store) && s.ledger.in(i, store).Stock < units {
			return true
		}
	}
	return false
}

// recalculating reports whether the item is being recalculated. The switch says how many items are; they are the first
// ones that have ever moved.
func (s *Sandbox) recalculating(i *Item) bool {
	if s.config.Recalculating == 0 {
		return false
	}
	left := s.config.Recalculating
	for _, item := range s.books.Assortment {
		if len(s.books.Holdings(item)) == 0 {
			continue
		}
		if item == i {
			return true
		}
		if left--; left == 0 {
			return false
		}
	}
	return false
}
