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

func doc(id string, sum int64, change ...func(*tradeDocument)) *tradeDocument {
	d := &tradeDocument{id: id, number: id, moment: someDay, sum: decimal.NewFromInt(sum), channel: "ozon",
		numbers: map[numberField]string{nameField: id}}
	for _, f := range change {
		f(d)
	}
	return d
}

func withLinks(ids ...string) func(*tradeDocument) { return func(d *tradeDocument) { d.links = ids } }
func cancelled(d *tradeDocument)                   { d.cancelled = true }
func withNumber(p numberField, key string) func(*tradeDocument) {
	return func(d *tradeDocument) { d.numbers[p] = key }
}
func withChannel(id string) func(*tradeDocument)    { return func(d *tradeDocument) { d.channel = id } }
func withMoment(day time.Time) func(*tradeDocument) { return func(d *tradeDocument) { d.moment = day } }

var defaultFields = []numberField{externalCodeField, nameField}

// reconcile returns the groups with their classes, and the class of each document by its id.
func reconcile(
	t interface{ Errorf(string, ...any) }, orders, shipments []*tradeDocument, fields []numberField, missing bool,
) ([]*tradeGroup, map[string]orderClass) {
	groups := groupTrade(orders, shipments, fields)
	classifyTrade(groups, fields, someDay, func(*tradeGroup) bool { return missing })
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

type docs = []*tradeDocument

// reconcileCase has documents and the class that each of them must get.
type reconcileCase struct {
	name              string
	orders, shipments docs
	fields            []numberField // nil: the default
	missing           bool
	want              map[string]orderClass
}

var monthEarlier = someDay.AddDate(0, 0, -30)

func TestOrdersAndShipmentsAreClassified(t *testing.T) {
	checkClasses(t, []reconcileCase{
		{
			name: "the shipment links to the order", orders: docs{doc("o", 100)}, shipments: docs{doc("s", 100, withLinks("o"))},
			want: map[string]orderClass{"o": matchedOrder, "s": matchedOrder},
		}, {
			name: "only the order links to the shipment", orders: docs{doc("o", 100, withLinks("s"))}, shipments: docs{doc("s", 100)},
			want: map[string]orderClass{"o": matchedOrder, "s": matchedOrder},
		}, {
			name: "several shipments of one order", orders: docs{doc("o", 100)},
			shipments: docs{doc("s1", 60, withLinks("o")), doc("s2", 40, withLinks("o"))},
			want:      map[string]orderClass{"o": matchedOrder, "s1": matchedOrder, "s2": matchedOrder},
		}, {
			name: "fewer units shipped than ordered", orders: docs{doc("o", 100)}, shipments: docs{doc("s", 60, withLinks("o"))}, missing: true,
			want: map[string]orderClass{"o": shippedPartly, "s": shippedPartly},
		}, {
			name: "all units shipped, sums differ", orders: docs{doc("o", 100)}, shipments: docs{doc("s", 60, withLinks("o"))},
			want: map[string]orderClass{"o": amountDiffers, "s": amountDiffers},
		}, {
			name: "neither order nor shipment has a match", orders: docs{doc("o", 100, withMoment(monthEarlier))},
			shipments: docs{doc("s", 100, withLinks("elsewhere"))},
			want:      map[string]orderClass{"o": notShipped, "s": withoutOrder},
		}, {
			name: "recent orders are in flight", orders: docs{doc("o", 100, withMoment(someDay.AddDate(0, 0, 11)))},
			want: map[string]orderClass{"o": inFlight},
		}, {
			name: "cancelled orders with and without shipments", orders: docs{doc("o1", 100, cancelled), doc("o2", 100, cancelled)}, shipments: docs{doc("s", 100, withLinks("o2"))},
			want: map[string]orderClass{"o1": cancelledOrder, "o2": cancelledShipped, "s": cancelledShipped},
		},
	})
}

func TestNumbersMatchDocumentsWithoutLinks(t *testing.T) {
	checkClasses(t, []reconcileCase{
		{
			name:      "without a link the number matches, ignoring case and spaces",
			orders:    docs{doc("o", 100, withNumber(nameField, normalizeNumber("OZ-1001 ")))},
			shipments: docs{doc("s", 100, withNumber(nameField, normalizeNumber("oz-1001")))},
			want:      map[string]orderClass{"o": matchedOrder, "s": matchedOrder},
		}, {
			name: "the external code takes precedence over the name",
			orders: docs{doc("o1", 100, withNumber(externalCodeField, "oz-1")),
				doc("o2", 100, withNumber(nameField, "oz-2"), withMoment(monthEarlier))},
			shipments: docs{doc("s", 100, withNumber(externalCodeField, "oz-1"), withNumber(nameField, "oz-2"))},
			want:      map[string]orderClass{"o1": matchedOrder, "o2": notShipped, "s": matchedOrder},
		}, {
			name:      "equal automatic numbers do not match",
			orders:    docs{doc("o", 100, withNumber(nameField, "00012"), withMoment(monthEarlier))},
			shipments: docs{doc("s", 100, withNumber(nameField, "00012"))},
			want:      map[string]orderClass{"o": notShipped, "s": withoutOrder},
		}, {
			name: "equal automatic numbers match if the caller names the field", fields: []numberField{nameField},
			orders:    docs{doc("o", 100, withNumber(nameField, "00012"))},
			shipments: docs{doc("s", 100, withNumber(nameField, "00012"))},
			want:      map[string]orderClass{"o": matchedOrder, "s": matchedOrder},
		}, {
			name:      "numbers of different channels do not match",
			orders:    docs{doc("o", 100, withNumber(nameField, "a-100"), withMoment(monthEarlier))},
			shipments: docs{doc("s", 100, withNumber(nameField, "a-100"), withChannel("wildberries"))},
			want:      map[string]orderClass{"o": notShipped, "s": withoutOrder},
		}, {
			name:      "an order without a channel matches shipments of any channel",
			orders:    docs{doc("o", 100, withNumber(nameField, "a-100"), withChannel(""), withMoment(monthEarlier))},
			shipments: docs{doc("s1", 40, withNumber(nameField, "a-100")), doc("s2", 60, withNumber(nameField, "a-100"), withChannel(""))},
			want:      map[string]orderClass{"o": matchedOrder, "s1": matchedOrder, "s2": matchedOrder},
		}, {
			name:      "an order without a channel does not match shipments of two channels",
			orders:    docs{doc("o", 100, withNumber(nameField, "a-100"), withChannel(""), withMoment(monthEarlier))},
			shipments: docs{doc("s1", 100, withNumber(nameField, "a-100")), doc("s2", 100, withNumber(nameField, "a-100"), withChannel("wildberries"))},
			want:      map[string]orderClass{"o": notShipped, "s1": withoutOrder, "s2": withoutOrder},
		}, {
			name: "an order of the channel takes precedence over one without",
			orders: docs{doc("o1", 100, withNumber(nameField, "a-100"), withChannel(""), withMoment(monthEarlier)),
				doc("o2", 100, withNumber(nameField, "a-100"))},
			shipments: docs{doc("s", 100, withNumber(nameField, "a-100"))},
			want:      map[string]orderClass{"o1": notShipped, "o2": matchedOrder, "s": matchedOrder},
		}, {
			name:      "a shipment from before the order does not match",
			orders:    docs{doc("o", 100, withNumber(nameField, "a-100"))},
			shipments: docs{doc("s", 100, withNumber(nameField, "a-100"), withMoment(monthEarlier))},
			want:      map[string]orderClass{"o": notShipped, "s": withoutOrder},
		}, {
			name:      "duplicate orders with their shipment",
			orders:    docs{doc("o1", 100, withNumber(nameField, "a-100")), doc("o2", 100, withNumber(nameField, "a-100"))},
			shipments: docs{doc("s", 100, withNumber(nameField, "a-100"), withChannel(""))},
			want:      map[string]orderClass{"o1": duplicateNumber, "o2": duplicateNumber, "s": duplicateNumber},
		}, {
			name:      "an order repeated after cancellation is not a duplicate",
			orders:    docs{doc("o1", 100, withNumber(nameField, "a-100"), cancelled), doc("o2", 100, withNumber(nameField, "a-100"))},
			shipments: docs{doc("s", 100, withNumber(nameField, "a-100"))},
			want:      map[string]orderClass{"o1": cancelledOrder, "o2": matchedOrder, "s": matchedOrder},
		}, {
			name: "the same name in another year is not a duplicate",
			orders: docs{
				doc("o1", 100, withNumber(nameField, "00001"), withMoment(monthEarlier)),
				doc("o2", 100, withNumber(nameField, "00001"), withMoment(monthEarlier.AddDate(-1, 0, 0))),
			},
			want: map[string]orderClass{"o1": notShipped, "o2": notShipped},
		},
	})
}

func checkClasses(t *testing.T, all []reconcileCase) {
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			fields := c.fields
			if fields == nil {
				fields = defaultFields
			}
			_, got := reconcile(t, c.orders, c.shipments, fields, c.missing)
			for id, want := range c.want {
				if got[id] != want {
					t.Errorf("%s is %q, want %q", id, got[id], want)
				}
			}
		})
	}
}

// Whatever the links and numbers are, each document must be counted exactly once, and the classes must add up to the
// totals.
func TestClassesAddUpToAllDocuments(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "a", "b", "a-100", "00001", "00002"})
	channel := rapid.SampledFrom([]string{"", "ozon", "wildberries"})
	rapid.Check(t, func(t *rapid.T) {
		documents := func(prefix, other string) []*tradeDocument {
			all := make([]*tradeDocument, rapid.IntRange(0, 8).Draw(t, prefix))
			for i := range all {
				all[i] = doc(fmt.Sprint(prefix, i), 1, func(d *tradeDocument) {
					d.sum = decimal.New(rapid.Int64Range(0, 4).Draw(t, "sum"), -rapid.Int32Range(0, 1).Draw(t, "places"))
					d.moment = someDay.AddDate(0, 0, rapid.IntRange(-2, 2).Draw(t, "day"))
					d.channel = channel.Draw(t, "channel")
					d.numbers = map[numberField]string{nameField: text.Draw(t, "name"), externalCodeField: text.Draw(t, "code")}
					d.cancelled = rapid.Bool().Draw(t, "cancelled")
					for range rapid.IntRange(0, 2).Draw(t, "links") {
						d.links = append(d.links, fmt.Sprint(other, rapid.IntRange(0, 9).Draw(t, "link")))
					}
				})
			}
			return all
		}
		orders, shipments := documents("order", "shipment"), documents("shipment", "order")
		fields := rapid.SampledFrom([][]numberField{defaultFields, {nameField}, {externalCodeField}}).Draw(t, "places")
		groups, classes := reconcile(t, orders, shipments, fields, rapid.Bool().Draw(t, "missing"))

		var sorted, whole tradeTally
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

func TestLargestDifferencesComeFirst(t *testing.T) {
	groups, _ := reconcile(t,
		[]*tradeDocument{doc("small", 110), doc("large", 500), doc("none", 100)},
		[]*tradeDocument{doc("s1", 100, withLinks("small")), doc("s2", 900, withLinks("large")), doc("s3", 100, withLinks("none"))},
		defaultFields, false)
	slices.SortFunc(groups, byDifference)
	if got := groups[0].order.id + groups[1].order.id + groups[2].order.id; got != "largesmallnone" {
		t.Errorf("order is %s", got)
	}
}

func TestSumsAreComparedRoundedToHundredths(t *testing.T) {
	o, s := doc("o", 0), doc("s", 0, withLinks("o"))
	o.sum, s.sum = decimal.RequireFromString("9050.4999"), decimal.RequireFromString("9050.0001")
	if _, classes := reconcile(t, []*tradeDocument{o}, []*tradeDocument{s}, defaultFields, true); classes["o"] != matchedOrder {
		t.Errorf("the order is %s", classes["o"])
	}
}
