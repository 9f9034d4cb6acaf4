package sandbox

import "slices"

// result has the totals of sales and returns, in the account's currency.
type result struct {
	soldUnits, returnedUnits Units
	sellSum, sellCost        Amount
	returnSum, returnCost    Amount
	sales, returns           int
	counted                  *Document // the document that was added last
}

func (r *result) add(d *Document, line *Position) {
	sum := d.inOwnCurrency(line.Sum())
	first := r.counted != d
	r.counted = d
	if d.Kind.isReturn() {
		r.returnedUnits += line.Quantity
		r.returnSum += sum
		r.returnCost += line.Cost
		if first {
			r.returns++
		}
		return
	}
	r.soldUnits += line.Quantity
	r.sellSum += sum
	r.sellCost += line.Cost
	if first {
		r.sales++
	}
}

// show adds sums, costs, profit and the two margins, as fractions. If the cost is unknown, margin is 0 and salesMargin
// is 1, as in the upstream.
func (r *result) show(v view, o object) object {
	o["sellSum"], o["returnSum"] = r.sellSum, r.returnSum
	cost, returnCost := r.sellCost, r.returnCost
	if !v.costs {
		if !v.sandbox.config.HiddenCostZero {
			return o
		}
		cost, returnCost = 0, 0
	}
	profit := r.sellSum - cost - r.returnSum + returnCost
	o["sellCostSum"], o["returnCostSum"], o["profit"] = cost, returnCost, profit
	o["margin"], o["salesMargin"] = ratio(profit, cost-returnCost), ratio(profit, r.sellSum-r.returnSum)
	return o
}

// profitFields lists the filters of profit reports. Only product accepts "!="; its value can also be a variant, bundle
// or service.
var profitFields = []string{
	"product", "productFolder", "withSubFolders", "agentTag", "counterparty", "entityType", "organization", "project",
	"retailStore", "salesChannel", "store", "supplier",
}

// profitLines calls yield for each line of the sales and returns in the period that pass the filter.
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
		if len(types) > 0 && !slices.Contains(types, string(kind.saleKind())) {
			continue
		}
		for _, document := range r.view.books.Documents[kind] {
			if !document.Posted() || !inPeriod(document.Moment, from, to) || !filter.document(document) || !filter.store(document.Store) {
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

// checkProfit refuses combinations of filters that profit reports do not accept.
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

// saleKind returns the kind of sale to which a kind of return belongs. For a kind of sale, it returns the kind itself.
func (k Kind) saleKind() Kind {
	switch k {
	case SalesReturn:
		return Demand
	case RetailSalesReturn:
		return RetailDemand
	}
	return k
}

// itemResults has the results of items, in the order of the assortment.
type itemResults struct {
	results map[*Item]*result
	items   []*Item
}

// profitByItem answers report/profit/byvariant, and report/profit/byproduct, which adds the variants to their product.
func profitByItem(byVariant bool) endpoint {
	kind := "salesbyproduct"
	if byVariant {
		kind = "salesbyvariant"
	}
	return func(r *request) (any, error) {
		report, err := cached(r, func() (itemResults, error) { return r.resultsByItem(byVariant) })
		if err != nil {
			return nil, err
		}
		return pageOf(r, kind, report.items, func(item *Item) object { return r.view.profitRow(item, report.results[item]) }), nil
	}
}

func (r *request) resultsByItem(byVariant bool) (itemResults, error) {
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
		return itemResults{}, err
	}
	var items []*Item
	for _, item := range r.view.books.Assortment {
		if results[item] != nil {
			items = append(items, item)
		}
	}
	return itemResults{results, items}, nil
}

func (v view) profitRow(item *Item, result *result) object {
	o := result.show(v, object{
		"assortment": assortmentRef(item), "sellQuantity": result.soldUnits, "returnQuantity": result.returnedUnits,
		"sellPrice": perUnit(result.sellSum, result.soldUnits), "returnPrice": perUnit(result.returnSum, result.returnedUnits),
	})
	switch {
	case v.costs:
		o["sellCost"], o["returnCost"] = perUnit(result.sellCost, result.soldUnits), perUnit(result.returnCost, result.returnedUnits)
	case v.sandbox.config.HiddenCostZero:
		o["sellCost"], o["returnCost"] = double(0), double(0)
	}
	return o
}

// assortmentRef returns the link to an item in a report.
func assortmentRef(item *Item) object {
	o := object{"meta": metaOf(item.Kind, item.ID), "name": item.Name}
	optional(o, "code", item.Code)
	optional(o, "article", item.article())
	if unit := item.Origin().UOM; unit != nil {
		o["uom"] = object{"meta": metaOf(kindUOM, unit.ID), "name": unit.Name}
	}
	return o
}

// profitBy answers a profit report that is grouped by a property of documents. key returns "" for documents without the
// property.
func profitBy(kind string, key func(*Document) string, name func(view, string) object) endpoint {
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

func channelOf(d *Document) string { return idOf(d.Channel) }

// showChannel shows a channel. The row for sales without a channel has no channel.
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
