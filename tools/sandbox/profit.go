package sandbox

import "slices"

// result is what was sold and taken back, in the account's currency.
type result struct {
	sold, returned        Units
	sellSum, sellCost     Amount
	returnSum, returnCost Amount
	sales, returns        int
	counted               *Document // the last document that was counted
}

func (r *result) add(d *Document, line *Position) {
	sum := d.inOwnCurrency(line.Sum())
	first := r.counted != d
	r.counted = d
	if d.Kind.returned() {
		r.returned += line.Quantity
		r.returnSum += sum
		r.returnCost += line.Cost
		if first {
			r.returns++
		}
		return
	}
	r.sold += line.Quantity
	r.sellSum += sum
	r.sellCost += line.Cost
	if first {
		r.sales++
	}
}

// show writes sums, costs, profit and the two margins, as fractions. With no cost the margin is 0 and the salesMargin 1,
// which looks like 100 % and means "unknown".
func (r *result) show(v view, o object) object {
	o["sellSum"], o["returnSum"] = r.sellSum, r.returnSum
	cost, back := r.sellCost, r.returnCost
	if !v.costs {
		if !v.sandbox.config.HiddenCostZero {
			return o
		}
		cost, back = 0, 0
	}
	profit := r.sellSum - cost - r.returnSum + back
	o["sellCostSum"], o["returnCostSum"], o["profit"] = cost, back, profit
	o["margin"], o["salesMargin"] = ratio(profit, cost-back), ratio(profit, r.sellSum-r.returnSum)
	return o
}

// profitFields are the filters of profit reports; "!=" is for the product only, which may be a variant, bundle or service too.
var profitFields = []string{
	"product", "productFolder", "withSubFolders", "agentTag", "counterparty", "entityType", "organization", "project",
	"retailStore", "salesChannel", "store", "supplier",
}

// profitLines calls yield for every line that was sold or returned in the period.
func (r *request) profitLines(yield func(*Document, *Position)) error {
	from, to, err := r.period()
	if err != nil {
		return err
	}
	filter, err := r.readReport(profitFields, []string{"product"})
	if err != nil {
		return err
	}
	if err := r.checkProfit(filter); err != nil {
		return err
	}
	types := filter.types
	filter.types = nil
	for _, kind := range []Kind{Demand, RetailDemand, SalesReturn, RetailSalesReturn} {
		if len(types) > 0 && !slices.Contains(types, string(kind.sold())) {
			continue
		}
		for _, document := range r.view.books.Documents[kind] {
			if !document.Posted() || !during(document.Moment, from, to) || !filter.document(document) || !filter.store(document.Store) {
				continue
			}
			for i := range document.Positions {
				if line := &document.Positions[i]; filter.item(line.Item) {
					yield(document, line)
				}
			}
		}
	}
	return nil
}

// checkProfit refuses filters that profit reports do not take together, or not everywhere.
func (r *request) checkProfit(f *reportFilter) error {
	names := func(field string) bool { return len(f.wanted[field])+len(f.unwanted[field]) > 0 }
	for _, kind := range f.types {
		if kind != string(Demand) && kind != string(RetailDemand) {
			return badValue(condition{"entityType", "=", kind})
		}
	}
	switch {
	case names("product") && names("productFolder"):
		return badField("productFolder")
	case names("retailStore") && r.URL.Path == "/report/profit/bysaleschannel":
		return badField("retailStore")
	}
	return nil
}

// sold is the kind of sale that a return belongs to.
func (k Kind) sold() Kind {
	switch k {
	case SalesReturn:
		return Demand
	case RetailSalesReturn:
		return RetailDemand
	}
	return k
}

// sold are the results of each item, in the order of the assortment.
type sold struct {
	results map[*Item]*result
	items   []*Item
}

// profitByItem answers report/profit/byproduct, where variants are part of their product, and byvariant.
func profitByItem(byVariant bool) answer {
	kind := "salesbyproduct"
	if byVariant {
		kind = "salesbyvariant"
	}
	return func(r *request) (any, error) {
		report, err := paged(r, func() (sold, error) { return r.sold(byVariant) })
		if err != nil {
			return nil, err
		}
		shown := page(r, kind, report.items)
		chosen := shown["rows"].([]*Item)
		rows := make([]object, len(chosen))
		for i, item := range chosen {
			rows[i] = r.view.profitRow(item, report.results[item])
		}
		shown["rows"] = rows
		return shown, nil
	}
}

func (r *request) sold(byVariant bool) (sold, error) {
	results := map[*Item]*result{}
	err := r.profitLines(func(d *Document, line *Position) {
		item := line.Item
		if !byVariant {
			item = item.Origin()
		}
		if results[item] == nil {
			results[item] = &result{}
		}
		results[item].add(d, line)
	})
	if err != nil {
		return sold{}, err
	}
	var items []*Item
	for _, item := range r.view.books.Assortment {
		if results[item] != nil {
			items = append(items, item)
		}
	}
	return sold{results, items}, nil
}

func (v view) profitRow(item *Item, result *result) object {
	o := result.show(v, object{
		"assortment": assortmentRef(item), "sellQuantity": result.sold, "returnQuantity": result.returned,
		"sellPrice": perUnit(result.sellSum, result.sold), "returnPrice": perUnit(result.returnSum, result.returned),
	})
	switch {
	case v.costs:
		o["sellCost"], o["returnCost"] = perUnit(result.sellCost, result.sold), perUnit(result.returnCost, result.returned)
	case v.sandbox.config.HiddenCostZero:
		o["sellCost"], o["returnCost"] = double(0), double(0)
	}
	return o
}

// assortmentRef names an item in a report.
func assortmentRef(item *Item) object {
	o := object{"meta": metaOf(item.Kind, item.ID), "name": item.Name}
	optional(o, "code", item.Code)
	optional(o, "article", item.article())
	if unit := item.Origin().UOM; unit != nil {
		o["uom"] = object{"meta": metaOf(kindUOM, unit.ID), "name": unit.Name}
	}
	return o
}

// profitBy answers the reports by something else than goods. key is "" for sales that have none of it.
func profitBy(kind string, key func(*Document) string, name func(view, string) object) answer {
	return func(r *request) (any, error) {
		results := map[string]*result{}
		var keys []string
		err := r.profitLines(func(d *Document, line *Position) {
			k := key(d)
			if results[k] == nil {
				results[k] = &result{}
				keys = append(keys, k)
			}
			results[k].add(d, line)
		})
		if err != nil {
			return nil, err
		}
		if r.view.sandbox.config.NoChannelRowHidden {
			keys = slices.DeleteFunc(keys, func(k string) bool { return k == "" })
		}
		rows := make([]object, len(keys))
		for i, k := range keys {
			result := results[k]
			o := result.show(r.view, name(r.view, k))
			o["salesCount"], o["returnCount"] = result.sales, result.returns
			o["salesAvgCheck"] = perUnit(result.sellSum, Units(result.sales*1000))
			o["returnAvgCheck"] = perUnit(result.returnSum, Units(result.returns*1000))
			rows[i] = o
		}
		return page(r, kind, rows), nil
	}
}

func channelOf(d *Document) string {
	if d.Channel == nil {
		return ""
	}
	return d.Channel.ID
}

// showChannel leaves the channel out for sales that have none.
func showChannel(v view, id string) object {
	for _, channel := range v.books.Channels {
		if channel.ID == id {
			return object{"salesChannel": object{"meta": metaOf(kindSalesChannel, id), "name": channel.Name, "type": channel.Type}}
		}
	}
	return object{}
}

func agentOf(d *Document) string { return d.Agent.ID }

func showBuyer(v view, id string) object {
	return object{"counterparty": object{"meta": metaOf(kindCounterparty, id), "name": v.books.counters[id].Name}}
}

func employeeOf(*Document) string { return "employee" }

func showSeller(v view, _ string) object {
	return object{"employee": object{"meta": metaOf(kindEmployee, v.books.Employee.ID), "name": v.books.Employee.Name}}
}
