package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"sync/atomic"
)

// subject is a kind of draft. It says which call writes such a draft, and how to create one.
type subject struct {
	name         string
	method, path string // of the call that writes the draft
	// draft creates a draft. Once the draft is in a final state, wrong returns how the result differs from that of a single
	// write.
	draft func(s *shop, r *replica) (d clientDraft, wrong func() string)
}

var subjects = []subject{anOrder, aTransfer, aPrice}

var (
	anOrder = subject{"an order", "POST", "/entity/purchaseorder", func(s *shop, r *replica) (clientDraft, func() string) {
		d := s.order(r)
		return d, func() string { return s.writtenOnceProblem(d) }
	}}
	aTransfer = subject{"a transfer", "POST", "/entity/move", func(s *shop, r *replica) (clientDraft, func() string) {
		stores := s.Books().Stores
		d := s.tool(r, "draft_transfer", map[string]any{
			"from_warehouse": stores[0].ID, "to_warehouse": stores[1].ID,
			"lines": []any{map[string]any{"product": s.orderable.ID, "units": 2}},
		})
		return d, func() string { return s.writtenOnceProblem(d) }
	}}
	aPrice = subject{"a price", "PUT", "/entity/product", func(s *shop, r *replica) (clientDraft, func() string) {
		item := s.orderable.ID
		was, price := s.prices(item), 1000+newPrices.Add(1)
		d := s.tool(r, "draft_price_change", map[string]any{"lines": []any{map[string]any{"product": item, "price": price}}})
		was[0].Value = json.Number(fmt.Sprint(100 * price))
		return d, func() string {
			if is := s.prices(item); !reflect.DeepEqual(is, was) {
				return fmt.Sprintf("the prices are %v, want %v", is, was)
			}
			return ""
		}
	}}
)

// newPrices counts up, so that each price change has a new price.
var newPrices atomic.Int64

func (s *shop) tool(r *replica, name string, arguments any) clientDraft {
	s.fleet.Helper()
	var result struct{ Result clientDraft }
	s.request(http.StatusAccepted, r, "POST", "/tools/"+name+"/execute", map[string]any{"arguments": arguments}, &result)
	return result.Result
}

// writtenOnceProblem returns "" if there is exactly one document for a draft, and otherwise what is wrong.
func (s *shop) writtenOnceProblem(d clientDraft) string {
	s.fleet.Helper()
	if n := s.documentCount(d); n != 1 {
		return fmt.Sprintf("%d documents", n)
	}
	return ""
}

// price is a sale price in MoySklad's form.
type price struct {
	Value               json.Number
	Currency, PriceType struct{ Meta struct{ Href string } }
}

func (s *shop) prices(productID string) []price {
	s.fleet.Helper()
	var card struct{ SalePrices []price }
	s.request(http.StatusOK, s.fleet.replicas[0], "GET", "/connectors/moysklad/gateway/entity/product/"+productID, nil, &card)
	for i, p := range card.SalePrices {
		value, err := p.Value.Float64()
		must(s.fleet, err)
		card.SalePrices[i].Value = json.Number(fmt.Sprint(int64(value)))
	}
	return card.SalePrices
}
