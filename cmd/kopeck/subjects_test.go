package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"sync/atomic"
)

// subject is something that a draft writes: by which call, and how a draft of it is made.
type subject struct {
	name         string
	method, path string // of the call that writes it
	// draft makes one. When its confirmation has been settled, wrong tells what is not as if it had been written once.
	draft func(s *shop, r *replica) (d seen, wrong func() string)
}

var subjects = []subject{anOrder, aTransfer, aPrice}

var (
	anOrder = subject{"an order", "POST", "/entity/purchaseorder", func(s *shop, r *replica) (seen, func() string) {
		d := s.order(r)
		return d, func() string { return s.notOnce(d) }
	}}
	aTransfer = subject{"a transfer", "POST", "/entity/move", func(s *shop, r *replica) (seen, func() string) {
		stores := s.Books().Stores
		d := s.tool(r, "draft_transfer", map[string]any{
			"from_warehouse": stores[0].ID, "to_warehouse": stores[1].ID,
			"lines": []any{map[string]any{"product": s.supplied().ID, "units": 2}},
		})
		return d, func() string { return s.notOnce(d) }
	}}
	aPrice = subject{"a price", "PUT", "/entity/product", func(s *shop, r *replica) (seen, func() string) {
		item := s.supplied().ID
		was, price := s.prices(item), 1000+priced.Add(1)
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

// priced makes each new price another one, so that each is a write.
var priced atomic.Int64

// tool makes a draft by a tool.
func (s *shop) tool(r *replica, name string, arguments any) seen {
	s.fleet.Helper()
	var result struct{ Result seen }
	s.must(http.StatusAccepted, r, "POST", "/tools/"+name+"/execute", map[string]any{"arguments": arguments}, &result)
	return result.Result
}

// notOnce is empty if there is one document of a draft.
func (s *shop) notOnce(d seen) string {
	s.fleet.Helper()
	if n := s.documents(d); n != 1 {
		return fmt.Sprintf("%d documents", n)
	}
	return ""
}

// price is a sale price as the upstream has it.
type price struct {
	Value               json.Number
	Currency, PriceType struct{ Meta struct{ Href string } }
}

// prices are a product's, of every type.
func (s *shop) prices(productID string) []price {
	s.fleet.Helper()
	var card struct{ SalePrices []price }
	s.must(http.StatusOK, s.fleet.replicas[0], "GET", "/connectors/moysklad/gateway/entity/product/"+productID, nil, &card)
	for i, p := range card.SalePrices {
		value, err := p.Value.Float64()
		if err != nil {
			s.fleet.Fatal(err)
		}
		card.SalePrices[i].Value = json.Number(fmt.Sprint(int64(value)))
	}
	return card.SalePrices
}
