package sandbox

import "net/http"

// positions reads the lines of a document. A line without a price gets a price of 0, not the price of the product.
func (in *input) positions(kind Kind) []Position {
	inputs := in.objects("positions")
	lines := make([]Position, 0, len(inputs))
	for _, line := range inputs {
		id, assortment, given := line.link("assortment", kindProduct, kindVariant, kindService, kindBundle)
		in.fail(line.err)
		if !given {
			in.fail(refuseMissing([]string{"assortment"}))
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
		lines = append(lines, line.position(item, kind))
		in.fail(line.err)
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
	if line.Discount > 100 {
		in.fail(refuse(http.StatusPreconditionFailed, 17008, "Скидка не может быть больше 100%%").about("discount"))
	}
	line.VAT = in.vat()
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

// vat reads the VAT of a line. A line without VAT fields has no VAT or, if the switch VATByDefault is set, the default
// rate.
func (in *input) vat() *VAT {
	var vat VAT
	var percent Units
	in.flag("vatEnabled", &vat.Enabled)
	in.units("vat", &percent)
	if vat.Percent = int(percent / 1000); vat.Percent < 0 || vat.Percent > 100 {
		in.fail(refuse(http.StatusPreconditionFailed, 17007, "НДС не может быть больше 100%%").about("vat"))
	}
	if in.view.sandbox.config.VATByDefault && !in.has("vat") && !in.has("vatEnabled") {
		return nil
	}
	return &vat
}

// bundleless reports whether documents of a kind cannot have bundles.
func bundleless(kind Kind) bool {
	switch kind {
	case PurchaseOrder, InvoiceIn, Supply, PurchaseReturn, Loss, Enter, Move, Inventory, InternalOrder,
		CommissionReportIn, CommissionReportOut:
		return true
	}
	return false
}
