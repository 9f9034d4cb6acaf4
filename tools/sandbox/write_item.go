package sandbox

import (
	"net/http"
	"slices"
	"strings"
)

// saveItem creates or changes a product or variant.
func (s *Sandbox) saveItem(in *input, kind Kind, id string) (object, error) {
	if id == "" {
		return s.createItem(in, kind)
	}
	item := s.books.items[id]
	if item == nil || item.Kind != kind {
		return nil, notFound(kind, id)
	}
	edited := *item
	if err := in.item(&edited); err != nil {
		return nil, err
	}
	edited.Updated = s.config.Now()
	*item = edited
	return in.shown(item), nil
}

func (s *Sandbox) createItem(in *input, kind Kind) (object, error) {
	b := s.books
	item := &Item{Kind: kind, BuyCurrency: b.currency(), UOM: b.UOMs[0], Updated: s.config.Now(), n: len(b.Assortment)}
	in.text("syncId", &item.SyncID)
	for _, known := range b.Assortment {
		if item.SyncID != "" && known.SyncID == item.SyncID && known.Kind == kind {
			return in.shown(known), nil
		}
	}
	var absent []string
	if kind == kindProduct && !in.has("name") {
		absent = append(absent, "name")
	}
	if kind == kindVariant {
		for _, field := range []string{"product", "characteristics"} {
			if !in.has(field) {
				absent = append(absent, field)
			}
		}
	}
	if err := refuseMissing(absent); err != nil {
		return nil, err
	}
	item.ID = b.ids.of(kind, 1_000_000+item.n)
	item.External = item.ID[:8] + item.ID[24:30]
	if err := in.item(item); err != nil {
		return nil, err
	}
	if item.Code == "" {
		item.Code = number(item.n + 1)
	}
	if item.Parent != nil {
		item.Parent.Variants = append(item.Parent.Variants, item)
	}
	b.Assortment = append(b.Assortment, item)
	b.items[item.ID] = item
	b.recompute()
	return in.shown(item), nil
}

// shown shows an item. It includes minimumStock if the request had it.
func (in *input) shown(item *Item) object {
	v := in.view
	if in.has("minimumStock") {
		v.fields = "minimumStock"
	}
	return showItem(v, item)
}

// item sets the fields of a product or variant that the request has.
func (in *input) item(i *Item) error {
	b := in.view.books
	in.text("name", &i.Name)
	in.text("code", &i.Code)
	in.text("article", &i.Article)
	in.text("externalCode", &i.External)
	in.text("description", &i.Description)
	in.flag("archived", &i.Archived)
	refer(in, "supplier", kindCounterparty, func(id string) *Counterparty { return b.counters[id] }, &i.Supplier)
	refer(in, "productFolder", kindFolder, byID(b.Folders), &i.Folder)
	if i.Kind == kindVariant {
		refer(in, "product", kindProduct, b.Item, &i.Parent)
		in.characteristics(i)
	}
	if price := in.object("buyPrice"); price != nil {
		price.amount("value", &i.BuyPrice)
		refer(price, "currency", kindCurrency, byID(b.Currencies), &i.BuyCurrency)
		in.fail(price.err)
	}
	if price := in.object("minPrice"); price != nil {
		price.amount("value", &i.MinPrice)
		in.fail(price.err)
	}
	in.salePrices(i)
	in.barcodes(i)
	in.minimum(i)
	if in.err == nil {
		in.fail(b.unique(i))
	}
	return in.err
}

// unique refuses a code that another item already has.
func (b *Books) unique(i *Item) error {
	for _, other := range b.Assortment {
		if other.ID != i.ID && other.Code == i.Code && i.Code != "" {
			return refuse(
				http.StatusPreconditionFailed, 3006, "Ошибка сохранения объекта: нарушено ограничение уникальности параметра 'code'",
			).about("code")
		}
	}
	return nil
}

// salePrices sets the prices of the types in the request and keeps the others. A variant that inherits its prices gets
// its own.
func (in *input) salePrices(i *Item) {
	if !in.has("salePrices") {
		return
	}
	b := in.view.books
	prices := slices.Clone(i.prices())
	for _, salePrice := range in.objects("salePrices") {
		price := Price{Currency: b.currency()}
		salePrice.amount("value", &price.Value)
		refer(salePrice, "priceType", kindPriceType, byID(b.PriceTypes), &price.Type)
		refer(salePrice, "currency", kindCurrency, byID(b.Currencies), &price.Currency)
		in.fail(salePrice.err)
		if price.Type == nil {
			in.fail(refuseMissing([]string{"priceType"}))
			return
		}
		if price.Value < 0 {
			in.fail(refuse(http.StatusPreconditionFailed, 3009, "Цена не может быть отрицательной").about("salePrices"))
		}
		at := slices.IndexFunc(prices, func(p Price) bool { return p.Type == price.Type })
		if at < 0 {
			prices = append(prices, price)
		} else {
			prices[at] = price
		}
	}
	i.SalePrices = prices
}

// barcodes replaces all barcodes.
func (in *input) barcodes(i *Item) {
	if !in.has("barcodes") {
		return
	}
	i.Barcodes = nil
	for _, barcode := range in.objects("barcodes") {
		for kind := range barcode.fields {
			code := Barcode{Type: kind}
			barcode.text(kind, &code.Value)
			i.Barcodes = append(i.Barcodes, code)
		}
		in.fail(barcode.err)
	}
}

func (in *input) characteristics(i *Item) {
	if !in.has("characteristics") {
		return
	}
	i.Characteristics = nil
	var values []string
	for _, one := range in.objects("characteristics") {
		var c Characteristic
		one.text("name", &c.Name)
		one.text("value", &c.Value)
		in.fail(one.err)
		i.Characteristics = append(i.Characteristics, c)
		values = append(values, c.Value)
	}
	if i.Parent != nil && !in.has("name") {
		i.Name = i.Parent.Name + " (" + strings.Join(values, ", ") + ")"
	}
}

// minimum sets the minimum. It refuses a minimum that is the same for every warehouse, because that kind is read-only.
func (in *input) minimum(i *Item) {
	minimum := in.object("minimumStock")
	if minimum == nil {
		return
	}
	next := Minimum{Type: MinimumSum, ByStore: i.Minimum.ByStore}
	minimum.text("type", &next.Type)
	minimum.units("quantity", &next.Quantity)
	in.fail(minimum.err)
	switch next.Type {
	case MinimumSum:
		next.ByStore = nil
	case MinimumVaried:
		next.Quantity = 0
	default:
		in.fail(
			refuse(http.StatusPreconditionFailed, 3001, "Тип неснижаемого остатка '%s' доступен только для чтения", next.Type).about("minimumStock"),
		)
	}
	i.Minimum, i.OwnMinimum = next, i.Parent != nil
}
