package sandbox

import (
	"net/http"
	"slices"
	"time"
)

// movement is a change of an item's stock in one warehouse, with its cost. Both are negative if goods go out.
type movement struct {
	document *Document
	item     *Item
	store    *Store
	quantity Units
	cost     Amount
}

// movements calls yield for each change of stock by a document. A bundle has a change for each component, and a line of
// a move has two.
func (d *Document) movements(yield func(movement)) {
	for i := range d.Positions {
		line := &d.Positions[i]
		switch {
		case d.Kind == Move:
			yield(movement{d, line.Item, d.Store, -line.Quantity, -line.Cost})
			yield(movement{d, line.Item, d.Target, line.Quantity, line.Cost})
		case len(line.Parts) > 0 && d.Kind.isInflow():
			for _, part := range line.Parts {
				yield(movement{d, part.Item, d.Store, part.Quantity, part.Cost})
			}
		case len(line.Parts) > 0:
			for _, part := range line.Parts {
				yield(movement{d, part.Item, d.Store, -part.Quantity, -part.Cost})
			}
		case !line.Item.Stocked():
		case d.Kind.isInflow():
			yield(movement{d, line.Item, d.Store, line.Quantity, line.Cost})
		default:
			yield(movement{d, line.Item, d.Store, -line.Quantity, -line.Cost})
		}
	}
}

// turnoverRow has the figures of a row of a turnover report.
type turnoverRow struct{ start, end, in, out flow }

type flow struct {
	quantity Units
	sum      Amount
}

func (f *flow) add(quantity Units, sum Amount) {
	f.quantity += quantity
	f.sum += sum
}

// turnoverFields lists the filters of turnover reports.
var turnoverFields = []string{
	"agent", "agentTag", "contract", "organization", "product", "project", "retailStore", "store", "supplier", "variant", "type",
	"withoutturnover", "archived",
}

// documentTypes lists the possible values of the filter "type".
var documentTypes = []string{
	"supply", "purchasereturn", "demand", "salesreturn", "loss", "enter", "move", "processing", "retaildemand", "retailsalesreturn",
	"productionstagecompletion",
}

// turnoverRequest reads the period and filter of a turnover report.
func (r *request) turnoverRequest() (from, to time.Time, filter *reportFilter, err error) {
	if from, to, err = r.period(); err != nil {
		return from, to, nil, err
	}
	if filter, err = r.readReport(turnoverFields, []string{"supplier"}); err != nil {
		return from, to, nil, err
	}
	for _, kind := range filter.types {
		if !slices.Contains(documentTypes, kind) {
			return from, to, nil, badValue(condition{"type", "=", kind})
		}
	}
	return from, to, filter, nil
}

// turnoverRows adds up movements by key. The opening and closing balances count all documents; income and outcome count
// only documents that pass the filter. Moves count only if the filter names types or warehouses.
func turnoverRows[K comparable](r *request, key func(movement) K) (map[K]*turnoverRow, *reportFilter, error) {
	from, to, filter, err := r.turnoverRequest()
	if err != nil {
		return nil, nil, err
	}
	within := len(filter.types) > 0 || len(filter.wanted["store"]) > 0
	rows := map[K]*turnoverRow{}
	for _, document := range r.view.books.ledger.journal {
		if document.Moment.After(to) {
			break
		}
		counts := filter.document(document) && (document.Kind != Move || within)
		document.movements(func(m movement) {
			if !filter.store(m.store) || !filter.item(m.item) {
				return
			}
			k := key(m)
			row := rows[k]
			if row == nil {
				row = &turnoverRow{}
				rows[k] = row
			}
			row.end.add(m.quantity, m.cost)
			switch {
			case document.Moment.Before(from):
				row.start.add(m.quantity, m.cost)
			case !counts:
			case m.quantity > 0:
				row.in.add(m.quantity, m.cost)
			default:
				row.out.add(-m.quantity, -m.cost)
			}
		})
	}
	return rows, filter, nil
}

// turnoverReport has the rows of report/turnover/all, and the items that it lists.
type turnoverReport struct {
	rows  map[*Item]*turnoverRow
	items []*Item
}

// turnoverAll answers report/turnover/all. Sums are at cost.
func turnoverAll(r *request) (any, error) {
	report, err := cached(r, r.turnoverReport)
	if err != nil {
		return nil, err
	}
	return pageOf(r, "turnover", report.items, func(item *Item) object {
		o := assortmentRef(item)
		if folder := item.Origin().Folder; folder != nil {
			o["productFolder"] = object{"meta": metaOf(kindFolder, folder.ID), "name": folder.Name}
		}
		return report.rows[item].show(r.view, object{"assortment": o})
	}), nil
}

func (r *request) turnoverReport() (turnoverReport, error) {
	byVariant := r.query.Get("groupBy") == "variant"
	rows, filter, err := turnoverRows(r, func(m movement) *Item {
		if byVariant {
			return m.item
		}
		return m.item.Origin()
	})
	if err != nil {
		return turnoverReport{}, err
	}
	var items []*Item
	for _, item := range r.view.books.Assortment {
		row := rows[item]
		switch {
		case !filter.allowsArchived(item):
		case row == nil:
			if filter.idle && item.Stocked() && filter.item(item) && (byVariant && len(item.Variants) == 0 || !byVariant && item.Parent == nil) {
				rows[item] = &turnoverRow{}
				items = append(items, item)
			}
		case filter.idle || row.in != flow{} || row.out != flow{}:
			items = append(items, item)
		case !filter.moved && !r.view.sandbox.config.IdleTurnoverHidden && (row.start != flow{} || row.end != flow{}):
			items = append(items, item)
		}
	}
	return turnoverReport{rows, items}, nil
}

func (t *turnoverRow) show(v view, o object) object {
	for name, flow := range map[string]flow{"onPeriodStart": t.start, "onPeriodEnd": t.end, "income": t.in, "outcome": t.out} {
		shown := object{"quantity": flow.quantity}
		switch {
		case v.costs:
			shown["sum"] = flow.sum
		case v.sandbox.config.HiddenCostZero:
			shown["sum"] = double(0)
		}
		o[name] = shown
	}
	return o
}

// oneItem returns the product or variant in the filter of a report about one item. It is an error if the filter has
// none.
func (r *request) oneItem(filter *reportFilter) (*Item, error) {
	ids := filter.wanted["product"]
	if len(ids) != 1 {
		return nil, refuse(http.StatusPreconditionFailed, 3000, "Не указан обязательный фильтр 'product' или 'variant'").about("filter")
	}
	if item := r.view.books.items[ids[0]]; item != nil {
		return item, nil
	}
	return nil, notFound(kindProduct, ids[0])
}

// turnoverByStore answers report/turnover/bystore for one item.
func turnoverByStore(r *request) (any, error) {
	rows, filter, err := turnoverRows(r, func(m movement) *Store { return m.store })
	if err != nil {
		return nil, err
	}
	item, err := r.oneItem(filter)
	if err != nil {
		return nil, err
	}
	stores := []object{}
	for _, store := range r.view.books.Stores {
		if row := rows[store]; row != nil {
			stores = append(stores, row.show(r.view, object{"store": object{"meta": metaOf(kindStore, store.ID), "name": store.Name}}))
		}
	}
	return page(r, "turnoverbystore", []object{{"assortment": assortmentRef(item), "stockByStore": stores}}), nil
}

// turnoverByOperations answers report/turnover/byoperations with the movements of one item. Outflows are negative.
func turnoverByOperations(r *request) (any, error) {
	from, to, filter, err := r.turnoverRequest()
	if err != nil {
		return nil, err
	}
	item, err := r.oneItem(filter)
	if err != nil {
		return nil, err
	}
	rows := []object{}
	for _, document := range r.view.books.ledger.journal {
		if !inPeriod(document.Moment, from, to) || !filter.document(document) {
			continue
		}
		document.movements(func(m movement) {
			if (m.item == item || m.item.Parent == item) && filter.store(m.store) {
				rows = append(rows, r.view.cardRow(m))
			}
		})
	}
	return page(r, "turnoverbyoperation", rows), nil
}

func (v view) cardRow(m movement) object {
	operation := object{"meta": metaOf(m.document.Kind, m.document.ID), "name": m.document.Name, "moment": moment(m.document.Moment)}
	optional(operation, "description", m.document.Description)
	if m.document.Agent != nil {
		operation["agent"] = object{"meta": metaOf(kindCounterparty, m.document.Agent.ID), "name": m.document.Agent.Name}
	}
	o := object{
		"assortment": assortmentRef(m.item), "operation": operation, "quantity": m.quantity,
		"store": object{"meta": metaOf(kindStore, m.store.ID), "name": m.store.Name},
	}
	if v.costs {
		o["cost"], o["sum"] = perUnit(m.cost, m.quantity), Amount(magnitude(int64(m.cost)))
	}
	return o
}
