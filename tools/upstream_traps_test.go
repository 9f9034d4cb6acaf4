package tools

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// A warehouse inside another one has its own figures. It is counted only once in the totals.
func TestNestedWarehouseIsCountedOnce(t *testing.T) {
	t.Parallel()
	inShop(t, sandbox.Config{Seed: 1, Products: 100, Warehouses: 20}, func(t *testing.T, s *shop) {
		if !slices.ContainsFunc(s.Books().Stores, func(store *sandbox.Store) bool { return store.Parent != nil }) {
			t.Error("no warehouse is inside another one")
		}
		s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), truth.View{})).check("stock")
	})
}

// If a filter names a record that is hidden from the role, the upstream answers with an empty list. Tools must reject
// such arguments, and must fail if a report is hidden.
func TestHiddenRecordsAreNotReportedAsEmpty(t *testing.T) {
	t.Parallel()
	hidden := uuid.NewString()
	inShop(t, sandbox.Config{Seed: 1, Products: 60}, func(t *testing.T, s *shop) {
		for _, tool := range []string{"stock", "below_minimum", "dead_stock", "out_of_stock", "shortage_by_supplier", "reorder_points",
			"slow_movers"} {
			if s.mustRefuse(tool, fmt.Sprintf(`{"warehouse":%q}`, hidden)) == nil {
				t.Errorf("%s: accepted a hidden warehouse", tool)
			}
		}
		s.mustRefuse("turnover", fmt.Sprintf(`{%s,"warehouse":%q}`, period90, hidden))
		s.mustRefuse("reconcile_shipments", fmt.Sprintf(`{%s,"channel":%q}`, period90, hidden))
	})
	inShop(t, sandbox.Config{Seed: 1, Products: 60, Switches: sandbox.Switches{NoStockRight: true}}, func(t *testing.T, s *shop) {
		for _, tool := range []string{"stock", "dead_stock", "below_minimum", "out_of_stock"} {
			if got, err := s.call(tool, `{}`); !errors.Is(err, moysklad.ErrPermission) {
				t.Errorf("%s: %+v, %v; want ErrPermission", tool, got, err)
			}
		}
	})
}

// Lists omit archived warehouses, but reports include them. Their stock is counted, with the name of the warehouse and
// a note.
//
// Source: md/_general.md: archived entities are hidden from lists by default, but stock still refers to them.
func TestStockInArchivedWarehouseIsCounted(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	archived := s.Books().Stores[3]
	want, _ := ask[stockResult](s, "stock", `{"limit": 1000}`)
	archived.Archived = true
	s.advance(maxRecordAge)
	got, result := ask[stockResult](s, "stock", `{"limit": 1000}`)
	result.mustNote(t, ArchivedWarehouses)
	if text(got.Totals.Money) != text(want.Totals.Money) || len(got.Warehouses) != len(want.Warehouses) {
		t.Errorf("%s in %d warehouses, want %s in %d", text(got.Totals.Money), len(got.Warehouses), text(want.Totals.Money), len(want.Warehouses))
	}
	for i, warehouse := range got.Warehouses {
		if text(warehouse.Money) != text(want.Warehouses[i].Money) || warehouse.Archived != (warehouse.ID == archived.ID) {
			t.Errorf("%+v, want %+v", warehouse, want.Warehouses[i])
		}
	}
	for _, row := range got.Rows {
		if row.Warehouse == nil && row.Units.String() != "0" {
			t.Errorf("%s: %s units are in no warehouse", row.Name, row.Units)
		}
	}
	dead, result := ask[deadStockResult](s, "dead_stock", `{}`)
	result.mustNote(t, ArchivedWarehouses)
	if !slices.ContainsFunc(dead.Warehouses, func(w deadStockWarehouse) bool { return w.ID == archived.ID }) {
		t.Error("the archived warehouse is not listed")
	}
	_, result = ask[stockResult](s, "stock", `{"warehouse": "`+s.Books().Stores[0].Name+`"}`)
	result.mustNotNote(t, ArchivedWarehouses)
}

// Archived goods in an archived warehouse are counted, whether all goods are asked for or one, and with or without the
// right to see cost.
func TestArchivedGoodsInArchivedWarehouseAreCounted(t *testing.T) {
	t.Parallel()
	for _, role := range []sandbox.Role{sandbox.Full, sandbox.NoCost} {
		s := openShop(t, sandbox.Config{Seed: 1, Products: 60, Role: role})
		books := s.Books()
		store := books.Stores[3]
		for _, item := range books.Assortment {
			item.Archived = true // so that no other good makes the tools read the warehouse
		}
		var item *sandbox.Item
		for _, item = range books.Assortment {
			if item.Kind == "product" && books.Holding(item, store).Stock > 0 {
				break
			}
		}
		unitsThere := func(question map[string]any) (units string) {
			s.advance(2 * maxRecordAge)
			got, _ := ask[stockResult](s, "stock", marshal(t, question))
			for _, row := range got.Rows {
				if row.ProductID == item.ID && row.WarehouseID != nil && *row.WarehouseID == store.ID {
					units += row.Units.String()
				}
			}
			return units
		}
		store.Archived = true
		for _, question := range []map[string]any{{"limit": 1000}, {"query": item.Name, "limit": 1000}} {
			if got, want := unitsThere(question), books.Holding(item, store).Stock.Quantity().String(); got != want {
				t.Errorf("%s, %v: %q units, want %s", role, question, got, want)
			}
		}
	}
}

// If linked documents are hidden from the role, an order may be shipped, or a shipment may have an order, without the
// tool knowing. A note says so.
func TestLinksToHiddenDocumentsAreNoted(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		s := openShop(t, sandbox.Config{Seed: 1, Switches: sandbox.Switches{OwnOrdersOnly: own}})
		got, result := ask[reconcileShipmentsResult](s, "reconcile_shipments", "{"+period90+"}")
		if !own {
			result.mustNotNote(t, LinkedUnread)
			continue
		}
		result.mustNote(t, LinkedUnread)
		if len(got.NotShipped) == 0 || len(got.ShippedWithoutOrder) == 0 {
			t.Errorf("documents with unread links are missing: %+v", got.Totals)
		}
	}
}

// Orders and shipments link to each other. A link on one side is enough, because the role may not see the other side.
func TestLinkOnEitherSideMatchesOrderAndShipment(t *testing.T) {
	t.Parallel()
	const question = `{"from":"2026-10-12","to":"2026-11-19","limit":1000}`
	config := sandbox.Config{Seed: 1, Products: 60}
	var whole string
	inShop(t, config, func(t *testing.T, s *shop) { whole = reconcileByLinks(t, s, question) })
	for _, side := range []struct{ path, field string }{{"/entity/customerorder", "demands"}, {"/entity/demand", "customerOrder"}} {
		t.Run("without "+side.field, func(t *testing.T) {
			inShopThrough(t, config, func(asked *url.URL, answer map[string]any) {
				if strings.HasSuffix(asked.Path, side.path) {
					eachRow(answer, func(row map[string]any) { delete(row, side.field) })
				}
			}, func(t *testing.T, s *shop) {
				if got := reconcileByLinks(t, s, question); got != whole {
					t.Errorf("the classes are\n%s\nwith links on both sides\n%s", got, whole)
				}
			})
		})
	}
}

// reconcileByLinks runs a reconciliation that matches only by links. It formats the figures of the period's orders.
func reconcileByLinks(t *testing.T, s *shop, question string) string {
	t.Helper()
	got, _ := ask[reconcileShipmentsResult](s, "reconcile_shipments", strings.Replace(question, "{", `{"number_in":"attribute:none",`, 1))
	inside := got.Totals.tradeSums
	if got.Matched == 0 {
		t.Error("nothing matches, so nothing was tested")
	}
	return fmt.Sprintf("%d orders of %s, %d not shipped", inside.Orders, inside.OrdersSum, len(got.NotShipped))
}

// The paid sum of a document covers only linked payments. Marketplaces pay lump sums that are not linked to documents,
// so debts must not be computed from it.
func TestDebtsIgnorePaidSumOfDocuments(t *testing.T) {
	t.Parallel()
	config := sandbox.Config{Seed: 2, Products: 60, Switches: sandbox.Switches{NoCRM: true}}
	for _, paid := range []float64{0, 1e12} {
		inShopThrough(t, config, func(_ *url.URL, answer map[string]any) {
			eachRow(answer, func(row map[string]any) {
				if _, document := row["moment"]; document {
					row["payedSum"] = paid
				}
			})
		}, func(t *testing.T, s *shop) {
			s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), truth.View{})).check("money_position")
		})
	}
}

// Marking codes and waybill numbers are not order numbers.
func TestMarkingCodesAndWaybillsDoNotMatchOrders(t *testing.T) {
	t.Parallel()
	const question = `{"from":"2026-10-12","to":"2026-11-19","limit":1000}`
	config := sandbox.Config{Seed: 1, Products: 60}
	var want string
	inShop(t, config, func(t *testing.T, s *shop) {
		got, _ := ask[reconcileShipmentsResult](s, "reconcile_shipments", question)
		want = marshal(t, got)
	})
	var unshipped []any
	inShopThrough(t, config, func(asked *url.URL, answer map[string]any) {
		orders := strings.HasSuffix(asked.Path, "/entity/customerorder")
		eachRow(answer, func(row map[string]any) {
			switch {
			case orders && row["demands"] == nil:
				unshipped = append(unshipped, row["externalCode"])
			case strings.HasSuffix(asked.Path, "/entity/demand") && row["customerOrder"] == nil && len(unshipped) > 0:
				number := unshipped[0]
				unshipped = unshipped[1:]
				row["shippingDocumentNumber"], row["trackingCodes"], row["code"] = number,
					[]any{map[string]any{"cis": number, "type": "trackingcode"}}, number
			}
		})
	}, func(t *testing.T, s *shop) {
		got, _ := ask[reconcileShipmentsResult](s, "reconcile_shipments", question)
		if marshal(t, got) != want {
			t.Error("another number matched a shipment with an order")
		}
	})
}

// Bundles and services have no stock of their own. They must not be listed with a stock of 0.
func TestBundlesAndServicesAreListedAsNotStocked(t *testing.T) {
	t.Parallel()
	inShop(t, sandbox.Config{Seed: 1, Products: 100, WithoutAttacks: true}, func(t *testing.T, s *shop) {
		seen := map[sandbox.Kind]bool{}
		for _, item := range s.Books().Assortment {
			if item.Stocked() || item.Archived || seen[item.Kind] {
				continue
			}
			seen[item.Kind] = true
			got, _ := ask[stockResult](s, "stock", marshal(t, map[string]any{"query": item.Name}))
			listed := false
			for _, name := range got.NotStocked {
				listed = listed || name == item.Name
			}
			for _, row := range got.Rows {
				if row.ProductID == item.ID {
					t.Errorf("%s %s: a row with %s units", item.Kind, item.Name, row.Units)
				}
			}
			if !listed || len(got.Rows) == 0 && got.Totals != nil {
				t.Errorf("%s %s: not listed as not stocked: %v, totals %+v", item.Kind, item.Name, got.NotStocked, got.Totals)
			}
		}
		if len(seen) < 2 {
			t.Errorf("only these kinds were listed: %v", seen)
		}
	})
}

// Look-ups by id must request archived records too, so that former suppliers and goods are named. The documentation
// says only for products whether such look-ups include archived records by default.
func TestArchivedRecordsAreNamed(t *testing.T) {
	t.Parallel()
	hideArchived := func(asked *url.URL, answer map[string]any) {
		filter := asked.Query().Get("filter")
		rows, _ := answer["rows"].([]any)
		if !strings.HasPrefix(asked.Path, "/api/remap/1.2/entity/") || strings.Contains(filter, "archived=true") {
			return
		}
		shown := []any{}
		for _, row := range rows {
			if object, _ := row.(map[string]any); object["archived"] != true {
				shown = append(shown, row)
			}
		}
		answer["rows"] = shown
		if meta, ok := answer["meta"].(map[string]any); ok && len(shown) < len(rows) {
			meta["size"] = len(shown)
		}
	}
	inShopThrough(t, sandbox.Config{Seed: 1, Products: 150}, hideArchived, func(t *testing.T, s *shop) {
		for _, counterparty := range s.Books().Counterparties {
			counterparty.Archived = true
		}
		short, _ := ask[belowMinimumResult](s, "below_minimum", `{"limit": 1000}`)
		for _, row := range short.Rows {
			if row.SupplierID != nil && row.Supplier == nil {
				t.Errorf("%s: its supplier has no name", row.Name)
			}
		}
		below, _ := ask[negativeStockResult](s, "negative_stock", `{"limit": 1000}`)
		sold, _ := ask[marginResult](s, "margin", "{"+period90+`,"limit":1000}`)
		if len(below.Rows) == 0 || len(sold.Rows) == 0 {
			t.Error("no rows, so nothing was tested")
		}
	})
	// These goods are archived after their sale. The report by variant does not name their product.
	inShopThrough(t, sandbox.Config{Seed: 1, Products: 150}, hideArchived, func(t *testing.T, s *shop) {
		for _, item := range s.Books().Assortment {
			item.Archived = true
		}
		sold, _ := ask[marginResult](s, "margin", "{"+period90+`,"limit":1000}`)
		for _, row := range sold.Rows {
			if row.Name == "" {
				t.Errorf("%s has no name", *row.ProductID)
			}
		}
		if len(sold.Rows) == 0 {
			t.Error("no rows, so nothing was tested")
		}
	})
}

// Lists omit archived currencies and counterparties, but payments, prices and debts still refer to them. If the upstream
// refuses to show the debts of archived counterparties, debts are computed from documents.
func TestArchivedCurrenciesAndCounterpartiesCount(t *testing.T) {
	t.Parallel()
	for source, change := range map[string]rewriteRequest{
		fromReport: nil,
		fromDocuments: func(r *http.Request) {
			if r.Method == http.MethodPost {
				r.URL.Path += "/unknown"
			}
		},
	} {
		s := openShopThrough(t, sandbox.Config{Seed: 1}, change)
		for _, currency := range s.Books().Currencies {
			currency.Archived = !currency.Default
		}
		for _, counterparty := range s.Books().Counterparties {
			counterparty.Archived = true
		}
		h := s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), truth.View{}))
		for _, tool := range []string{"money_position", "cash_runway", "shortage_by_supplier", "overdue_orders"} {
			h.check(tool)
		}
		if got, _ := ask[moneyPositionResult](s, "money_position", `{}`); *got.Source != source {
			t.Errorf("debts are from %s, want %s", *got.Source, source)
		}
	}
}

// It is not documented whether expand alone returns minimums, so the field must be requested too.
func TestMinimumsAreRequestedByFieldAndExpansion(t *testing.T) {
	t.Parallel()
	needsTheField := rewriteRequest(func(r *http.Request) {
		query := r.URL.Query()
		if query.Get("fields") != "minimumStock" && strings.Contains(query.Get("expand"), "minimumStock") {
			query.Del("expand")
			r.URL.RawQuery = query.Encode()
		}
	})
	s := openShopThrough(t, sandbox.Config{Seed: 3}, needsTheField)
	got, _ := ask[belowMinimumResult](s, "below_minimum", `{"limit": 1000}`)
	if want := truth.Of(s.Books(), s.clock(), truth.View{}).BelowMinimum(nil).Rows; len(got.Rows) != len(want) {
		t.Errorf("%d rows, want %d", len(got.Rows), len(want))
	}
}

// The upstream records changes with a delay. So changes must be requested from a time before the last read.
func TestChangesAreRequestedWithOverlap(t *testing.T) {
	t.Parallel()
	inShop(t, sandbox.Config{Seed: 1, Products: 60}, func(t *testing.T, s *shop) {
		ask[belowMinimumResult](s, "below_minimum", `{}`)
		read := s.clock()
		s.ForgetLog()
		s.advance(2 * time.Minute)
		ask[belowMinimumResult](s, "below_minimum", `{}`)
		requests := 0
		for _, call := range s.Log() {
			if since := call.Query.Get("changedSince"); since != "" {
				requests++
				if limit := moysklad.FormatMoment(read.Add(-5 * time.Minute)); since > limit {
					t.Errorf("changes since %s, want %s or earlier", since, limit)
				}
			}
		}
		if requests == 0 {
			t.Error("no changes were requested")
		}
	})
}

// Changes show a product that has just been archived as 0. Its stock must still be counted, and only once.
func TestGoodArchivedBetweenReadsIsStillCounted(t *testing.T) {
	t.Parallel()
	inShop(t, sandbox.Config{Seed: 1, Products: 60}, func(t *testing.T, s *shop) {
		before, _ := ask[stockResult](s, "stock", `{"limit": 1000}`)
		for _, row := range before.Rows {
			if item := s.Books().Item(row.ProductID); !row.Archived && item.Kind == "product" && row.Units.Decimal().IsPositive() {
				item.Archived, item.Updated = true, s.clock().Add(time.Minute)
				break
			}
		}
		s.advance(2 * time.Minute)
		after, _ := ask[stockResult](s, "stock", `{"limit": 1000}`)
		if after.Totals.ArchivedPositions == before.Totals.ArchivedPositions || after.Totals.Units.String() != before.Totals.Units.String() {
			t.Errorf("%s units and %d archived positions; before the product was archived: %s and %d",
				after.Totals.Units, after.Totals.ArchivedPositions, before.Totals.Units, before.Totals.ArchivedPositions)
		}
	})
}

// The stock report does not mark archived goods; they are recognized because the short reports omit them. A product
// that is received after the short reports were read is also only in the stock report, but it is not archived.
func TestNewlyReceivedGoodIsNotCalledArchived(t *testing.T) {
	t.Parallel()
	inShop(t, sandbox.Config{Seed: 1, Products: 60}, func(t *testing.T, s *shop) {
		books := s.Books()
		item := neverMoved(books)
		ask[belowMinimumResult](s, "below_minimum", `{}`) // reads the short reports into the cache
		s.advance(30 * time.Second)
		receive(t, s, item)
		for _, units := range []string{"", "5"} {
			list, err := (&Run{Account: s.account}).stockList(t.Context(), nil)
			must(t, err)
			card := list.cards.get(item.ID)
			if _, archived := list.archived[item.ID]; archived || card == nil || card.Units().String() != "5" || len(list.archived) == 0 {
				t.Errorf("in the stock list: %+v, archived %v", card, archived)
			}
			got, _ := ask[stockResult](s, "stock", `{"limit": 1000}`)
			found := ""
			for _, row := range got.Rows {
				if row.ProductID == item.ID {
					found += row.Units.String()
					if row.Archived {
						t.Errorf("%s is marked as archived", row.Name)
					}
				}
			}
			if found != units {
				t.Errorf("%q units, want %q", found, units)
			}
			s.advance(2 * time.Minute)
		}
	})
}

// Changes show stock in an archived warehouse as 0, but the stock is still there, unless it was moved before.
//
// Source: md/reports/_report_stock.md, changedSince.
func TestStockInArchivedWarehouseSurvivesChanges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                  string
		archivedBefore, moved bool // archivedBefore: before the first read; otherwise just before the changes are read
	}{
		{name: "archived long ago", archivedBefore: true},
		{name: "just archived"},
		{name: "goods moved out, then archived", moved: true},
	} {
		inShop(t, sandbox.Config{Seed: 1, Products: 60}, func(t *testing.T, s *shop) {
			books := s.Books()
			store := books.Stores[3]
			store.Archived = test.archivedBefore
			i := slices.IndexFunc(books.Assortment, func(item *sandbox.Item) bool {
				return item.Kind == "product" && !item.Archived && books.Holding(item, store).Stock > 0
			})
			item := books.Assortment[i]
			unitsThere := func() (units string) {
				got, _ := ask[stockResult](s, "stock", `{"limit": 1000}`)
				for _, row := range got.Rows {
					if row.ProductID == item.ID && row.WarehouseID != nil && *row.WarehouseID == store.ID {
						units += row.Units.String()
					}
				}
				return units
			}
			before := unitsThere()
			want := before
			s.advance(2 * time.Minute)
			if test.moved {
				want = ""
				post(t, s, "/entity/loss", fmt.Sprintf(`{"organization":%s,"store":%s,"positions":[{"quantity":%s,"price":700,"assortment":%s}]}`,
					linkTo("organization", books.Organizations[0].ID), linkTo("store", store.ID), before, linkTo("product", item.ID)))
			}
			store.Archived = true
			receive(t, s, item)
			if after := unitsThere(); before == "" || after != want {
				t.Errorf("%s: %q units before the change, %q after, want %q", test.name, before, after, want)
			}
		})
	}
}

// Sales of a bundle consume its components, even if the bundle has been archived since.
func TestSalesOfArchivedBundlesCountForTheirComponents(t *testing.T) {
	t.Parallel()
	sold := func(archive bool) (all string) {
		inShop(t, sandbox.Config{Seed: 2, Products: 150}, func(t *testing.T, s *shop) {
			bundles := 0
			for _, item := range s.Books().Assortment {
				if item.Kind == "bundle" {
					item.Archived = item.Archived || archive
					bundles++
				}
			}
			got, _ := ask[reorderPointsResult](s, "reorder_points", `{"limit": 1000}`)
			for _, row := range got.Rows {
				all += row.ProductID + " " + row.SoldUnits.String() + "\n"
			}
			if bundles == 0 || len(s.Log().To("GET", "/entity/bundle")) == 0 {
				t.Error("no bundle was sold, so nothing was tested")
			}
		})
		return all
	}
	if now, before := sold(true), sold(false); now != before {
		t.Errorf("sold\n%s\nbefore the bundles were archived\n%s", now, before)
	}
}

// Goods that are archived now were available before. Otherwise, weeks without a sale would count as weeks without
// stock, and the velocity would rise.
func TestArchivedGoodsWereAvailable(t *testing.T) {
	t.Parallel()
	availableDays := func(archive bool) (days map[string]int) {
		inShop(t, sandbox.Config{Seed: 2, Products: 60}, func(t *testing.T, s *shop) {
			for _, item := range s.Books().Assortment {
				item.Archived = item.Archived || archive
			}
			history, err := (&Run{Account: s.account}).readDemandHistory(t.Context(), 28, daysPerWeek, nil)
			must(t, err)
			days = map[string]int{}
			for id, p := range history.byID {
				days[id] = history.salesRate(p).days
			}
		})
		return days
	}
	if now, before := availableDays(true), availableDays(false); len(before) == 0 || !maps.Equal(now, before) {
		t.Errorf("available days: %v, before the goods were archived %v", now, before)
	}
}

// A number in the name of one product can be the barcode of another. The upstream's search ignores barcodes.
func TestNumberIsSearchedInNamesAndBarcodes(t *testing.T) {
	t.Parallel()
	var number string
	namesOnly := func(asked *url.URL, answer map[string]any) {
		if !asked.Query().Has("search") {
			return
		}
		named := []any{}
		eachRow(answer, func(row map[string]any) {
			if strings.Contains(fmt.Sprint(row["name"]), number) {
				named = append(named, row)
			}
		})
		answer["rows"], answer["meta"].(map[string]any)["size"] = named, len(named)
	}
	inShopThrough(t, sandbox.Config{Seed: 1, Products: 60, WithoutAttacks: true}, namesOnly, func(t *testing.T, s *shop) {
		var goods []*sandbox.Item
		for _, item := range s.Books().Assortment {
			if item.Kind == "product" && !item.Archived && len(item.Variants) == 0 && len(item.Barcodes) > 0 {
				goods = append(goods, item)
			}
		}
		number = goods[0].Barcodes[0].Value
		goods[1].Name += " " + number
		got, _ := ask[searchProductsResult](s, "search_products", marshal(t, map[string]any{"query": number}))
		if len(got.Rows) != 2 {
			t.Errorf("%d products are found by %s: %+v", len(got.Rows), number, got.Rows)
		}
	})
}
