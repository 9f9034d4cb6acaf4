package tools

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/kopeck/kopeck/tools/moysklad"
)

var someDay = time.Date(2026, 10, 5, 12, 0, 0, 0, moysklad.Moscow)

func trade(id string, sum int64, change ...func(*tradeDocument)) *tradeDocument {
	d := &tradeDocument{id: id, number: id, moment: someDay, sum: decimal.NewFromInt(sum), channel: "ozon", keys: map[place]string{inName: id}}
	for _, f := range change {
		f(d)
	}
	return d
}

func linked(ids ...string) func(*tradeDocument) { return func(d *tradeDocument) { d.links = ids } }
func cancelled(d *tradeDocument)                { d.cancelled = true }
func named(p place, key string) func(*tradeDocument) {
	return func(d *tradeDocument) { d.keys[p] = key }
}
func inChannel(id string) func(*tradeDocument) { return func(d *tradeDocument) { d.channel = id } }
func on(day time.Time) func(*tradeDocument)    { return func(d *tradeDocument) { d.moment = day } }

var guess = []place{inExternalCode, inName}

// reconciled gives the groups with their classes, and the class of each document by its id.
func reconciled(t interface{ Errorf(string, ...any) }, orders, shipments []*tradeDocument, places []place, missing bool) ([]*tradeGroup, map[string]orderClass) {
	groups := groupTrade(orders, shipments, places)
	classifyTrade(groups, places, someDay, func(*tradeGroup) bool { return missing })
	classes := map[string]orderClass{}
	put := func(d *tradeDocument, class orderClass) {
		if other, twice := classes[d.id]; twice {
			t.Errorf("%s is in %s and in %s", d.id, other, class)
		}
		classes[d.id] = class
	}
	for _, g := range groups {
		if g.order != nil {
			put(g.order, g.class)
		}
		for _, s := range g.shipments {
			put(s, g.class)
		}
	}
	return groups, classes
}

type documents = []*tradeDocument

// disagreement are documents with the class that each must have.
type disagreement struct {
	name              string
	orders, shipments documents
	places            []place // nil is to guess
	missing           bool
	want              map[string]orderClass
}

var old = someDay.AddDate(0, 0, -30)

func TestEachKindOfDisagreementHasItsClass(t *testing.T) {
	classified(t, []disagreement{
		{
			name: "linked from the shipment", orders: documents{trade("o", 100)}, shipments: documents{trade("s", 100, linked("o"))},
			want: map[string]orderClass{"o": matchedOrder, "s": matchedOrder},
		}, {
			name: "linked from the order only", orders: documents{trade("o", 100, linked("s"))}, shipments: documents{trade("s", 100)},
			want: map[string]orderClass{"o": matchedOrder, "s": matchedOrder},
		}, {
			name: "several shipments of one order", orders: documents{trade("o", 100)},
			shipments: documents{trade("s1", 60, linked("o")), trade("s2", 40, linked("o"))},
			want:      map[string]orderClass{"o": matchedOrder, "s1": matchedOrder, "s2": matchedOrder},
		}, {
			name: "units missing", orders: documents{trade("o", 100)}, shipments: documents{trade("s", 60, linked("o"))}, missing: true,
			want: map[string]orderClass{"o": shippedPartly, "s": shippedPartly},
		}, {
			name: "all units, other sum", orders: documents{trade("o", 100)}, shipments: documents{trade("s", 60, linked("o"))},
			want: map[string]orderClass{"o": amountDiffers, "s": amountDiffers},
		}, {
			name: "nothing on either side", orders: documents{trade("o", 100, on(old))}, shipments: documents{trade("s", 100, linked("elsewhere"))},
			want: map[string]orderClass{"o": notShipped, "s": withoutOrder},
		}, {
			name: "young orders are on their way", orders: documents{trade("o", 100, on(someDay.AddDate(0, 0, 11)))},
			want: map[string]orderClass{"o": inFlight},
		}, {
			name: "cancelled", orders: documents{trade("o1", 100, cancelled), trade("o2", 100, cancelled)}, shipments: documents{trade("s", 100, linked("o2"))},
			want: map[string]orderClass{"o1": cancelledOrder, "o2": cancelledShipped, "s": cancelledShipped},
		},
	})
}

func TestNumbersLinkDocumentsWhereNoLinkDoes(t *testing.T) {
	classified(t, []disagreement{
		{
			name:      "the number decides where there is no link, whatever case and spaces",
			orders:    documents{trade("o", 100, named(inName, comparableNumber("OZ-1001 ")))},
			shipments: documents{trade("s", 100, named(inName, comparableNumber("oz-1001")))},
			want:      map[string]orderClass{"o": matchedOrder, "s": matchedOrder},
		}, {
			name:      "the external code comes before the name",
			orders:    documents{trade("o1", 100, named(inExternalCode, "oz-1")), trade("o2", 100, named(inName, "oz-2"), on(old))},
			shipments: documents{trade("s", 100, named(inExternalCode, "oz-1"), named(inName, "oz-2"))},
			want:      map[string]orderClass{"o1": matchedOrder, "o2": notShipped, "s": matchedOrder},
		}, {
			name:      "equal numbers of the upstream's own counting are chance",
			orders:    documents{trade("o", 100, named(inName, "00012"), on(old))},
			shipments: documents{trade("s", 100, named(inName, "00012"))},
			want:      map[string]orderClass{"o": notShipped, "s": withoutOrder},
		}, {
			name: "unless the caller says that the name is the number", places: []place{inName},
			orders:    documents{trade("o", 100, named(inName, "00012"))},
			shipments: documents{trade("s", 100, named(inName, "00012"))},
			want:      map[string]orderClass{"o": matchedOrder, "s": matchedOrder},
		}, {
			name:      "another channel's number is another number",
			orders:    documents{trade("o", 100, named(inName, "a-100"), on(old))},
			shipments: documents{trade("s", 100, named(inName, "a-100"), inChannel("wildberries"))},
			want:      map[string]orderClass{"o": notShipped, "s": withoutOrder},
		}, {
			name:      "a shipment before the order is not its shipment",
			orders:    documents{trade("o", 100, named(inName, "a-100"))},
			shipments: documents{trade("s", 100, named(inName, "a-100"), on(old))},
			want:      map[string]orderClass{"o": notShipped, "s": withoutOrder},
		}, {
			name:      "duplicates, with what was shipped for them",
			orders:    documents{trade("o1", 100, named(inName, "a-100")), trade("o2", 100, named(inName, "a-100"))},
			shipments: documents{trade("s", 100, named(inName, "a-100"), inChannel(""))},
			want:      map[string]orderClass{"o1": duplicateNumber, "o2": duplicateNumber, "s": duplicateNumber},
		}, {
			name:      "ordered again after cancelling is no duplicate",
			orders:    documents{trade("o1", 100, named(inName, "a-100"), cancelled), trade("o2", 100, named(inName, "a-100"))},
			shipments: documents{trade("s", 100, named(inName, "a-100"))},
			want:      map[string]orderClass{"o1": cancelledOrder, "o2": matchedOrder, "s": matchedOrder},
		}, {
			name: "the same name in another year is no duplicate",
			orders: documents{
				trade("o1", 100, named(inName, "00001"), on(old)),
				trade("o2", 100, named(inName, "00001"), on(old.AddDate(-1, 0, 0))),
			},
			want: map[string]orderClass{"o1": notShipped, "o2": notShipped},
		},
	})
}

func classified(t *testing.T, all []disagreement) {
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			places := c.places
			if places == nil {
				places = guess
			}
			_, got := reconciled(t, c.orders, c.shipments, places, c.missing)
			for id, want := range c.want {
				if got[id] != want {
					t.Errorf("%s is %q, want %q", id, got[id], want)
				}
			}
		})
	}
}

// Whatever the links and numbers are, no document is lost or counted twice, and the classes add up to both totals.
func TestClassesAddUpToAllOrdersAndAllShipments(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "a", "b", "a-100", "00001", "00002"})
	channel := rapid.SampledFrom([]string{"", "ozon", "wildberries"})
	rapid.Check(t, func(t *rapid.T) {
		documents := func(prefix, other string) []*tradeDocument {
			all := make([]*tradeDocument, rapid.IntRange(0, 8).Draw(t, prefix))
			for i := range all {
				all[i] = trade(fmt.Sprint(prefix, i), 1, func(d *tradeDocument) {
					d.sum = decimal.New(rapid.Int64Range(0, 4).Draw(t, "sum"), -rapid.Int32Range(0, 1).Draw(t, "places"))
					d.moment = someDay.AddDate(0, 0, rapid.IntRange(-2, 2).Draw(t, "day"))
					d.channel = channel.Draw(t, "channel")
					d.keys = map[place]string{inName: text.Draw(t, "name"), inExternalCode: text.Draw(t, "code")}
					d.cancelled = rapid.Bool().Draw(t, "cancelled")
					for range rapid.IntRange(0, 2).Draw(t, "links") {
						d.links = append(d.links, fmt.Sprint(other, rapid.IntRange(0, 9).Draw(t, "link")))
					}
				})
			}
			return all
		}
		orders, shipments := documents("order", "shipment"), documents("shipment", "order")
		places := rapid.SampledFrom([][]place{guess, {inName}, {inExternalCode}}).Draw(t, "places")
		groups, classes := reconciled(t, orders, shipments, places, rapid.Bool().Draw(t, "missing"))

		var sorted, whole tally
		for _, g := range groups {
			if g.class == "" {
				t.Fatal("a group without a class")
			}
			sorted.addGroup(g)
		}
		for _, o := range orders {
			whole.addOrder(o)
		}
		for _, s := range shipments {
			whole.addShipment(s)
		}
		if len(classes) != len(orders)+len(shipments) || sorted.orders != whole.orders || sorted.shipments != whole.shipments ||
			!sorted.ordersSum.Equal(whole.ordersSum) || !sorted.shippedSum.Equal(whole.shippedSum) {
			t.Fatalf("classes have %+v, the documents %+v", sorted, whole)
		}
	})
}

func TestTheLargestDifferencesComeFirst(t *testing.T) {
	groups, _ := reconciled(t,
		[]*tradeDocument{trade("small", 110), trade("large", 500), trade("none", 100)},
		[]*tradeDocument{trade("s1", 100, linked("small")), trade("s2", 900, linked("large")), trade("s3", 100, linked("none"))}, guess, false)
	slices.SortFunc(groups, byDifference)
	if got := groups[0].order.id + groups[1].order.id + groups[2].order.id; got != "largesmallnone" {
		t.Errorf("order is %s", got)
	}
}

func TestSumsOfOtherCurrenciesAreComparedInWholeHundredths(t *testing.T) {
	o, s := trade("o", 0), trade("s", 0, linked("o"))
	o.sum, s.sum = decimal.RequireFromString("9050.4999"), decimal.RequireFromString("9050.0001")
	if _, classes := reconciled(t, []*tradeDocument{o}, []*tradeDocument{s}, guess, true); classes["o"] != matchedOrder {
		t.Errorf("the order is %s", classes["o"])
	}
}
