package sandbox

import (
	"slices"
	"strings"
)

func itemTable(kind Kind) *table[Item] {
	t := &table[Item]{
		kind: kind, show: showItem,
		id: func(i *Item) string { return i.ID },
		rows: func(b *Books) []*Item {
			var rows []*Item
			for _, item := range b.Assortment {
				if item.Kind == kind {
					rows = append(rows, item)
				}
			}
			return rows
		},
		search:  func(i *Item) []string { return []string{i.Name, i.Code, i.Article} }, // the upstream does not search barcodes
		columns: itemColumns(),
		orders:  []string{"id", "updated", "name", "code", "externalCode", "archived", "pathName", "article", "weighed", "syncId"},
	}
	switch kind {
	case kindVariant:
		t.substrings = true
		t.search = func(i *Item) []string { return []string{i.Name} }
		t.columns["productid"] = column[Item]{idColumn, func(i *Item) value { return textValue(i.Parent.ID) }}
	case kindService:
		t.search = func(i *Item) []string { return []string{i.Name, i.Code} }
		delete(t.columns, "article")
	}
	return t
}

func itemColumns() map[string]column[Item] {
	return map[string]column[Item]{
		"id":           {idColumn, func(i *Item) value { return textValue(i.ID) }},
		"name":         {textColumn, func(i *Item) value { return textValue(i.Name) }},
		"code":         {textColumn, func(i *Item) value { return textValue(i.Code) }},
		"article":      {textColumn, func(i *Item) value { return textValue(i.Article) }},
		"externalCode": {textColumn, func(i *Item) value { return textValue(i.External) }},
		"description":  {textColumn, func(i *Item) value { return textValue(i.Description) }},
		"syncId":       {idColumn, func(i *Item) value { return textValue(i.SyncID) }},
		"archived":     {flagColumn, func(i *Item) value { return boolValue(i.Archived) }},
		"weighed":      {flagColumn, func(i *Item) value { return boolValue(i.Weighed) }},
		"updated":      {momentColumn, func(i *Item) value { return value{number: float64(i.Updated.UnixMilli())} }},
		"pathName":     {textColumn, func(i *Item) value { return textValue(i.path()) }},
		"barcode":      {textColumn, func(i *Item) value { return severalValue(i.codes()) }},
		"minimumBalance": {numberColumn, func(i *Item) value {
			return value{number: float64(i.Minimum.Quantity) / 1000, empty: i.Minimum.Type != MinimumSum}
		}},
		"supplier":      {linkColumn, func(i *Item) value { return textValue(idOf(i.Supplier)) }},
		"productFolder": {linkColumn, func(i *Item) value { return severalValue(i.Folder.ids()) }},
	}
}

// ids returns the ids of the folder and of the folders above it, because a filter by folder includes subfolders.
func (f *Folder) ids() []string {
	var all []string
	for ; f != nil; f = f.Parent {
		all = append(all, f.ID)
	}
	return all
}

// path returns the names of the item's folders, joined by "/". It returns "" if the item has no folder.
func (i *Item) path() string {
	folder := i.Origin().Folder
	switch {
	case folder == nil:
		return ""
	case folder.Path == "":
		return folder.Name
	default:
		return folder.Path + "/" + folder.Name
	}
}

func (i *Item) codes() []string {
	codes := make([]string, len(i.Barcodes))
	for n, barcode := range i.Barcodes {
		codes[n] = barcode.Value
	}
	return codes
}

// showItem shows a product, variant, bundle or service. It omits empty fields.
func showItem(v view, i *Item) object {
	o := object{
		"meta": metaOf(i.Kind, i.ID), "id": i.ID, "accountId": v.books.AccountID, "name": i.Name, "externalCode": i.External,
		"archived": i.Archived, "updated": moment(i.Updated), "discountProhibited": false,
		"salePrices": v.salePrices(i),
	}
	optional(o, "code", i.Code)
	optional(o, "description", i.Description)
	optional(o, "syncId", i.SyncID)
	if len(i.Barcodes) > 0 {
		barcodes := make([]object, len(i.Barcodes))
		for n, barcode := range i.Barcodes {
			barcodes[n] = object{barcode.Type: barcode.Value}
		}
		o["barcodes"] = barcodes
	}
	if i.Kind != kindService {
		optional(o, "article", i.article())
		o["images"] = nested(i, "images", "image")
	}
	if i.Kind == kindVariant {
		v.showVariant(o, i)
	} else {
		v.showCard(o, i)
	}
	if v.fields == "minimumStock" && i.Stocked() {
		v.showMinimum(o, i)
	}
	return o
}

func optional(o object, key, text string) {
	if text != "" {
		o[key] = text
	}
}

func nested(i *Item, name string, kind Kind) collection {
	return collection{href: hrefOf(i.Kind, i.ID) + "/" + name, kind: kind, rows: noRows}
}

// article returns the item's article. If the product of a variant has an article, the variant's is that article with
// the end of the variant's code added.
func (i *Item) article() string {
	if i.Parent != nil && i.Parent.Article != "" {
		return i.Parent.Article + strings.TrimPrefix(i.Code, i.Parent.Code)
	}
	return i.Article
}

func (v view) salePrices(i *Item) []object {
	prices := make([]object, 0, len(v.books.PriceTypes))
	for _, column := range v.books.PriceTypes {
		price := v.price(i, column)
		prices = append(prices, object{
			"value": price.Value, "currency": link{kind: kindCurrency, id: price.Currency.ID}, "priceType": v.priceType(column),
		})
	}
	return prices
}

// price returns an item's price of one type. It is 0 if none is set.
func (v view) price(i *Item, column *PriceType) Price {
	if n := slices.IndexFunc(i.prices(), func(p Price) bool { return p.Type == column }); n >= 0 {
		return i.prices()[n]
	}
	return Price{Type: column, Currency: v.books.currency()}
}

func (v view) priceType(p *PriceType) object {
	return object{"meta": metaOf(kindPriceType, p.ID), "id": p.ID, "name": p.Name, "externalCode": p.ExternalCode}
}

// showVariant adds the fields of variants. Variants have no owner, supplier, unit, folder or minimumBalance.
func (v view) showVariant(o object, i *Item) {
	o["product"] = link{kind: kindProduct, id: i.Parent.ID}
	characteristics := make([]object, len(i.Characteristics))
	for n, characteristic := range i.Characteristics {
		id := v.books.ids.of(kindCharacteristic, int(hash(characteristic.Name)%1000))
		characteristics[n] = object{
			"meta": object{"href": base + "/entity/variant/metadata/characteristics/" + id, "type": kindAttribute, "mediaType": "application/json"},
			"id":   id, "name": characteristic.Name, "value": characteristic.Value,
		}
	}
	o["characteristics"] = characteristics
	if i.BuyPrice != 0 {
		v.showBuyPrice(o, i)
	}
}

// showCard adds the fields that products, bundles and services have and variants do not have.
func (v view) showCard(o object, i *Item) {
	v.withOwner(o)
	o["pathName"] = i.path()
	o["useParentVat"], o["vat"], o["vatEnabled"], o["effectiveVat"], o["effectiveVatEnabled"] = true, 20, true, 20, true
	o["files"] = nested(i, "files", "files")
	o["minPrice"] = object{"value": i.MinPrice, "currency": link{kind: kindCurrency, id: v.books.currency().ID}}
	if i.UOM != nil {
		o["uom"] = link{kind: kindUOM, id: i.UOM.ID}
	}
	if i.Folder != nil {
		o["productFolder"] = link{kind: kindFolder, id: i.Folder.ID}
	}
	if i.Kind != kindBundle {
		v.showBuyPrice(o, i)
	}
	switch i.Kind {
	case kindProduct:
		o["paymentItemType"], o["trackingType"], o["isSerialTrackable"] = "GOOD", "NOT_TRACKED", false
		o["variantsCount"], o["weight"], o["volume"] = len(i.Variants), double(0), double(0)
		if i.Weighed {
			o["weighed"] = true
		}
		if i.Supplier != nil {
			o["supplier"] = link{kind: kindCounterparty, id: i.Supplier.ID}
		}
		if i.Minimum.Type == MinimumSum {
			o["minimumBalance"] = i.Minimum.Quantity
		}
	case kindBundle:
		o["paymentItemType"], o["trackingType"], o["weight"], o["volume"] = "GOOD", "NOT_TRACKED", double(0), double(0)
		o["overhead"] = object{"value": double(0), "currency": link{kind: kindCurrency, id: v.books.currency().ID}}
		o["components"] = collection{
			href: hrefOf(kindBundle, i.ID) + "/components", kind: "bundlecomponent", size: len(i.Components),
			rows: func() []object { return v.components(i) },
		}
	}
}

// showBuyPrice adds the purchase price. If the role may not see cost, it does so only if the switch BuyPriceShown is
// set.
func (v view) showBuyPrice(o object, i *Item) {
	if v.costs || v.sandbox.config.BuyPriceShown {
		o["buyPrice"] = object{"value": i.BuyPrice, "currency": link{kind: kindCurrency, id: i.BuyCurrency.ID}}
	}
}

func (v view) components(i *Item) []object {
	rows := make([]object, len(i.Components))
	for n, component := range i.Components {
		id := v.books.ids.ofPart(i.ID, n)
		rows[n] = object{
			"meta": object{"href": hrefOf(kindBundle, i.ID) + "/components/" + id, "type": "bundlecomponent", "mediaType": "application/json"},
			"id":   id, "accountId": v.books.AccountID, "quantity": component.Quantity,
			"assortment": link{kind: component.Item.Kind, id: component.Item.ID},
		}
	}
	return rows
}

// showMinimum adds minimumStock in one of its three forms.
func (v view) showMinimum(o object, i *Item) {
	minimum := i.EffectiveMinimum()
	if minimum.Type == MinimumNone {
		return
	}
	shape := object{"type": minimum.Type}
	if i.Kind == kindVariant {
		shape["inherited"] = !i.OwnMinimum
	}
	if minimum.Type == MinimumVaried {
		key := "storebalances"
		if v.expanded {
			key = "storeBalances"
		}
		shape[key] = collection{
			href: hrefOf(i.Kind, i.ID) + "/storebalances", kind: kindStoreMinimum, size: len(minimum.ByStore),
			rows: func() []object { return v.storeBalances(i) },
		}
	} else {
		shape["quantity"] = minimum.Quantity
	}
	o["minimumStock"] = shape
}

// storeBalances returns the minimums of the warehouses.
func (v view) storeBalances(i *Item) []object {
	minimum := i.EffectiveMinimum()
	rows := make([]object, len(minimum.ByStore))
	for n, balance := range minimum.ByStore {
		id := v.books.ids.ofPart(i.ID, 1000+n)
		rows[n] = object{
			"meta": object{"href": hrefOf(i.Kind, i.ID) + "/storebalances/" + id, "type": kindStoreMinimum, "mediaType": "application/json"},
			"id":   id, "accountId": v.books.AccountID, "quantity": balance.Quantity, "store": link{kind: kindStore, id: balance.Store.ID},
		}
	}
	return rows
}
