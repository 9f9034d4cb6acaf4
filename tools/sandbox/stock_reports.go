package sandbox

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
)

// reportRoutes registers the paths under /report.
func (s *Sandbox) reportRoutes(read func(string, endpoint)) {
	read("/report/stock/all", s.stockAll)
	read("/report/stock/bystore", s.stockByStore)
	read("/report/stock/all/current", s.currentAll)
	read("/report/stock/bystore/current", s.currentByStore)
	read("/report/stock/byoperation", s.stockByOperation)
	read("/report/byoperations/stock", s.layers)
	s.resultRoutes(read)
}

// scope reads the filter of a stock report.
func (r *request) scope(filter stockFilter) (*stockScope, error) {
	conditions, err := parseFilter(r.query.Get("filter"))
	if err == nil {
		err = filter.check(conditions)
	}
	if err != nil {
		return nil, err
	}
	scope, rest, err := r.stockScope(conditions)
	if err != nil {
		return nil, err
	}
	return scope, scope.readReportCondition(rest)
}

// stockAll answers report/stock/all. By default it leaves out goods without available units, such as fully reserved
// ones.
func (s *Sandbox) stockAll(r *request) (any, error) {
	if err := s.stockReportRight(false); err != nil {
		return nil, err
	}
	scope, err := r.scope(stockAllFilter)
	if err != nil {
		return nil, err
	}
	if scope.quantityMode == "" {
		scope.quantityMode = "nonEmpty"
	}
	items, err := cached(r, func() ([]*Item, error) {
		items, err := scope.choose()
		if r.query.Get("groupBy") == "product" {
			items = scope.products(items)
		}
		return items, cmp.Or(err, scope.orderStock(items, r.query.Get("order"), stockAllOrders))
	})
	if err != nil {
		return nil, err
	}
	shown := pageOf(r, "stock", items, func(item *Item) object { return scope.row(item, r.query.Get("groupBy") == "product") })
	shown["context"] = bareContext()
	return shown, nil
}

// choose returns the items of the report.
func (s *stockScope) choose() ([]*Item, error) {
	from, err1 := strconv.Atoi(cmp.Or(s.daysFrom, "0"))
	to, err2 := strconv.Atoi(cmp.Or(s.daysTo, "1000000"))
	if err1 != nil || err2 != nil {
		return nil, refuse(http.StatusBadRequest, 1014, "Неверное значение фильтра stockDays").about("filter")
	}
	var items []*Item
	for _, item := range s.view.books.Assortment {
		if !s.coversItem(item) || len(item.Variants) > 0 {
			continue
		}
		total := s.total(item)
		if !s.passes(s.stockMode, total.Stock, item) || !s.passes(s.quantityMode, total.Available(), item) ||
			s.reserveOnly && total.Reserve == 0 || s.inTransit && total.InTransit == 0 {
			continue
		}
		if days := total.days(s.at); int64(from) <= days && days <= int64(to) {
			items = append(items, item)
		}
	}
	return items, nil
}

// products replaces variants by their products. Each product is listed once.
func (s *stockScope) products(items []*Item) []*Item {
	var products []*Item
	seen := map[*Item]bool{}
	for _, item := range items {
		if product := item.Origin(); !seen[product] {
			seen[product] = true
			products = append(products, product)
		}
	}
	return products
}

// The fields by which stock reports can be sorted.
//
// Source: md/reports/_report_stock.md.
var (
	stockAllOrders = []string{
		"avgStockDays", "code", "inTransit", "minimumBalance", "name", "pathName", "price", "productCode", "quantity", "reserve", "salePrice",
		"stock", "sumTotal",
	}
	stockByStoreOrders = []string{"pathName", "name", "code", "productCode", "stockOnAllStores"}
)

func (s *stockScope) orderStock(items []*Item, order string, fields []string) error {
	orders, err := parseOrder(order, func(field string) bool { return slices.Contains(fields, field) })
	if err != nil || len(orders) == 0 {
		return err
	}
	by := make([]sortKey[*Item], len(orders))
	for i, o := range orders {
		by[i] = sortKey[*Item]{func(item *Item) value { return s.orderValue(item, o.field) }, o.descending}
	}
	sortBy(items, by)
	return nil
}

func (s *stockScope) orderValue(i *Item, field string) value {
	switch field {
	case "code":
		return textValue(i.Code)
	case "productCode":
		return textValue(i.Origin().Code)
	case "name":
		return textValue(i.Name)
	case "pathName":
		return textValue(i.path())
	case "minimumBalance":
		return value{number: float64(i.EffectiveMinimum().Quantity), empty: i.EffectiveMinimum().Type != MinimumSum}
	case "salePrice":
		return numberValue(int64(s.salePrice(i)))
	}
	switch h := s.totalOf(i); field {
	case "reserve":
		return numberValue(int64(h.Reserve))
	case "inTransit":
		return numberValue(int64(h.InTransit))
	case "quantity":
		return numberValue(int64(h.Available()))
	case "price":
		return value{number: float64(perUnit(h.Cost(), h.Stock))}
	case "sumTotal":
		return numberValue(int64(h.Cost()))
	case "avgStockDays":
		return value{number: float64(h.days(s.at))}
	default: // stock, stockOnAllStores
		return numberValue(int64(h.Stock))
	}
}

// totalOf returns the total of an item and its variants.
func (s *stockScope) totalOf(i *Item) Holding {
	total := s.total(i)
	for _, variant := range i.Variants {
		total.add(s.total(variant))
	}
	return total
}

// row returns a row of report/stock/all. As in the upstream, it has no id and no minimum, and its link has a query.
func (s *stockScope) row(i *Item, withVariants bool) object {
	total := s.total(i)
	if withVariants {
		total = s.totalOf(i)
	}
	o := object{
		"meta": reportMeta(i), "name": i.Name, "externalCode": i.External, "stock": total.Stock, "reserve": total.Reserve,
		"inTransit": total.InTransit, "quantity": total.Available(), "stockDays": double(total.days(s.at)), "salePrice": s.salePrice(i),
		"uom": object{},
	}
	optional(o, "code", i.Code)
	optional(o, "article", i.article())
	if unit := i.Origin().UOM; unit != nil {
		o["uom"] = object{"meta": metaOf(kindUOM, unit.ID), "name": unit.Name}
	}
	if folder := i.Origin().Folder; folder != nil {
		o["folder"] = object{"meta": metaOf(kindFolder, folder.ID), "name": folder.Name, "pathName": folder.Path}
	}
	switch {
	case s.view.costs && total.Stock > 0:
		o["price"] = perUnit(total.Cost(), total.Stock)
	case s.view.costs || s.view.sandbox.config.HiddenCostZero:
		o["price"] = double(0)
	}
	return o
}

func (s *stockScope) salePrice(i *Item) Amount {
	columns := s.view.books.PriceTypes
	column := columns[0]
	if s.view.sandbox.config.SalePriceOfLastColumn {
		column = columns[len(columns)-1]
	}
	return s.view.price(i, column).Value
}

// reportMeta returns the meta of an item, with the query that stock reports add to the link.
func reportMeta(i *Item) object {
	meta := metaOf(i.Kind, i.ID)
	query := "?expand=supplier"
	if i.Kind == kindVariant {
		query = "?expand=product.supplier"
	}
	meta["href"] = hrefOf(i.Kind, i.ID) + query
	return meta
}

// stockByStore answers report/stock/bystore. Each row has all warehouses, including those without stock, but no name or
// cost. By default the report has only items in stock.
func (s *Sandbox) stockByStore(r *request) (any, error) {
	if err := s.stockReportRight(false); err != nil {
		return nil, err
	}
	scope, err := r.scope(stockByStoreFilter)
	if err != nil {
		return nil, err
	}
	if scope.stockMode == "" {
		scope.stockMode = "nonEmpty"
	}
	items, err := scope.choose()
	if err == nil {
		err = scope.orderStock(items, r.query.Get("order"), stockByStoreOrders)
	}
	if err != nil {
		return nil, err
	}
	shown := pageOf(r, "stockbystore", items, func(item *Item) object {
		return object{"meta": reportMeta(item), "stockByStore": scope.byStore(item)}
	})
	shown["context"] = bareContext()
	return shown, nil
}

// byStore shows the stock of an item in each warehouse of the report.
func (s *stockScope) byStore(item *Item) []object {
	stores := []object{}
	for _, store := range s.view.books.Stores {
		if s.coversStore(store) {
			h := s.ledger.in(item, store)
			stores = append(stores, object{
				"meta": metaOf(kindStore, store.ID), "name": store.Name, "stock": h.Stock, "reserve": h.Reserve, "inTransit": h.InTransit,
			})
		}
	}
	return stores
}
