package sandbox

import "net/http"

// positions reads the lines of a document. A price that is not sent is 0, not the product's.
func (in *input) positions(kind Kind) []Position {
	inputs := in.objects("positions")
	lines := make([]Position, 0, len(inputs))
	for _, one := range inputs {
		id, assortment, given := one.link("assortment", kindProduct, kindVariant, kindService, kindBundle)
		in.fail(one.err)
		if !given {
			in.fail(missing([]string{"assortment"}))
			return nil
		}
		item := in.view.books.items[id]
		if item == nil || item.Kind != assortment {
			in.fail(notFound(assortment, id))
			return nil
		}
		if item.Kind == kindBundle && bundleless(kind) {
			in.fail(refuse(http.StatusPreconditionFailed, 17016, "Нельзя добавить комплект в документ '%s'", kind).about("positions"))
			return nil
		}
		lines = append(lines, one.position(item, kind))
		in.fail(one.err)
	}
	return lines
}

func (in *input) position(item *Item, kind Kind) Position {
	line := Position{Item: item}
	in.units("quantity", &line.Quantity)
	in.amount("price", &line.Price)
	var discount Units
	in.units("discount", &discount)
	line.Discount = int(discount / 1000)
	switch kind {
	case CustomerOrder:
		in.units("reserve", &line.Held)
	case PurchaseOrder:
		line.Held = line.Quantity
		in.units("inTransit", &line.Held)
		if line.Held > line.Quantity {
			in.fail(refuse(http.StatusPreconditionFailed, 17004, "Ожидание не может быть больше количества").about("inTransit"))
		}
	}
	if line.Held > line.Quantity {
		in.fail(refuse(http.StatusPreconditionFailed, 17003, "Резерв не может быть больше количества").about("reserve"))
	}
	return line
}

// bundleless are the documents that take no bundles.
func bundleless(kind Kind) bool {
	switch kind {
	case PurchaseOrder, InvoiceIn, Supply, PurchaseReturn, Loss, Enter, Move, Inventory, InternalOrder, CommissionReportIn, CommissionReportOut:
		return true
	}
	return false
}
