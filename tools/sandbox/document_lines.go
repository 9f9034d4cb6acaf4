package sandbox

// positions returns the lines of a document.
func (v view) positions(d *Document) []object {
	rows := make([]object, len(d.Positions))
	for i := range d.Positions {
		rows[i] = v.position(d, i)
	}
	return rows
}

func (v view) position(d *Document, i int) object {
	line := &d.Positions[i]
	id := v.books.ids.ofPart(d.ID, i)
	o := object{
		"meta": object{
			"href": hrefOf(d.Kind, d.ID) + "/positions/" + id, "metadataHref": base + "/entity/" + string(d.Kind) + "/metadata",
			"type": d.Kind + "position", "mediaType": "application/json",
		},
		"id": id, "accountId": v.books.AccountID, "quantity": line.Quantity, "price": line.Price,
		"assortment": link{kind: line.Item.Kind, id: line.Item.ID},
	}
	switch d.Kind {
	case Move, Loss, Enter, Processing:
		if d.Kind == Enter && !v.costs {
			delete(o, "price")
		}
		return o
	case Demand:
		if v.costs {
			o["overhead"], o["cost"] = Amount(0), Amount(0)
		}
	case CustomerOrder:
		o["shipped"] = d.shippedOf(i)
		if d.Posted() {
			o["reserve"] = max(0, min(line.Held, line.Quantity-d.shippedOf(i)))
		}
	case PurchaseOrder:
		o["shipped"], o["inTransit"] = d.shippedOf(i), Units(0)
		if d.Posted() {
			o["inTransit"] = max(0, min(line.Held, line.Quantity-d.shippedOf(i)))
		}
	}
	vat := d.vatOf(line)
	o["discount"], o["vat"], o["vatEnabled"] = double(line.Discount), vat.Percent, vat.Enabled
	if v.fields == "stock" {
		o["stock"] = v.positionStock(d, line)
	}
	return o
}

// positionStock returns the stock of a line's item. In this object only, "quantity" is the physical stock, and
// "available" is what reports call quantity.
func (v view) positionStock(d *Document, line *Position) object {
	var total Holding
	for _, holding := range v.books.Holdings(line.Item) {
		if d.Store == nil || holding.Store == d.Store {
			total.add(holding)
		}
	}
	o := object{"quantity": total.Stock, "reserve": total.Reserve, "intransit": total.InTransit, "available": total.Available()}
	if v.costs {
		o["cost"] = line.Cost
	}
	return o
}
