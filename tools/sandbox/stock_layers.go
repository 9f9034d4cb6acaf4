package sandbox

import (
	"net/http"
	"time"
)

// layers answers report/byoperations/stock with what remains of the receipts of one item. It leaves out costs if the
// role may not see them.
func (s *Sandbox) layers(r *request) (any, error) {
	conditions, err := parseFilter(r.query.Get("filter"))
	if err != nil {
		return nil, err
	}
	if len(conditions) != 1 || conditions[0].field != "assortment" || conditions[0].op != "=" {
		return nil, refuse(http.StatusPreconditionFailed, 3000, "Не указан обязательный фильтр 'assortment', или не он один").about("filter")
	}
	id, err := idOfHref(conditions[0].value)
	if err != nil {
		return nil, err
	}
	item := s.books.items[id]
	rows := []object{}
	if item != nil {
		now := s.config.Now()
		for _, holding := range s.books.Holdings(item) {
			for _, layer := range holding.Layers {
				rows = append(rows, s.layer(r.view, item, holding.Store, layer, now))
			}
		}
	}
	return page(r, "byoperations", rows), nil
}

func (s *Sandbox) layer(v view, item *Item, store *Store, layer Layer, now time.Time) object {
	single := Holding{Layers: []Layer{layer}}
	o := object{
		"assortment": object{"meta": metaOf(item.Kind, item.ID)},
		"operation":  object{"meta": metaOf(layer.Document.Kind, layer.Document.ID), "name": layer.Document.Name},
		"moment":     moment(layer.Document.Moment), "store": object{"meta": metaOf(kindStore, store.ID), "name": store.Name},
		"stock": layer.Left, "avgStockDays": double(single.days(now)),
	}
	if v.costs {
		o["costPerUnit"], o["sumCost"] = layer.Unit, layer.Left.times(layer.Unit)
	}
	return o
}

// stockByOperation answers report/stock/byoperation for one document.
func (s *Sandbox) stockByOperation(r *request) (any, error) {
	document := s.books.documents[r.query.Get("operation.id")]
	if document == nil {
		return nil, notFound("operation", r.query.Get("operation.id"))
	}
	lines := make([]object, len(document.Positions))
	for i := range document.Positions {
		line := &document.Positions[i]
		stock := r.view.positionStock(document, line)
		lines[i] = object{
			"meta": metaOf(line.Item.Kind, line.Item.ID), "name": line.Item.Name, "stock": stock["quantity"],
			"reserve": stock["reserve"], "inTransit": stock["intransit"], "quantity": stock["available"],
		}
		if r.view.costs {
			lines[i]["cost"] = line.Cost
		}
	}
	return page(r, "stockbyoperation", []object{{"meta": metaOf(document.Kind, document.ID), "positions": lines}}), nil
}
