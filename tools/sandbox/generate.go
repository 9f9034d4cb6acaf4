package sandbox

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// historyDays is the age in days of the oldest documents.
const historyDays = 420

// generator generates the books of one account. It draws all random numbers from one source in a fixed order, so that a
// seed always gives the same books. If that order changes, the books of the demo change.
type generator struct {
	*rand.Rand
	config         Config
	books          *Books
	today          time.Time // midnight in Moscow
	counts         map[Kind]int
	openOrderCount int // number of open purchase orders so far
	scenarioCount  int // number of items with a scenario so far
	bought         []delivery
	moved          []transfer
	removed        []transfer // goods that were written off or used up
	sold           []sale
}

// generate generates the books: the dictionaries, the assortment, a plan for each item, and documents that carry out
// the plans.
func generate(config Config) *Books {
	now := config.Now().In(moysklad.Moscow).Truncate(time.Minute)
	g := &generator{
		Rand:   rand.New(rand.NewPCG(uint64(config.Seed), 0x6b6f7065636b)),
		config: config,
		today:  time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, moysklad.Moscow),
		counts: map[Kind]int{},
		books: &Books{
			Now: now, ids: ids{seed: mix(uint64(config.Seed) + 1)},
			States: map[Kind][]*State{}, Attributes: map[Kind][]*Attribute{}, Documents: map[Kind][]*Document{},
			items: map[string]*Item{}, documents: map[string]*Document{}, counters: map[string]*Counterparty{},
		},
	}
	g.books.AccountID = g.books.ids.of("tenant", 0)
	g.dictionaries()
	g.partners()
	if !g.config.JustOpened {
		g.business()
	}
	g.index()
	g.books.recompute()
	g.minimums()
	return g.books
}

// business generates the assortment and the documents of two years.
func (g *generator) business() {
	g.assortment()
	g.planItems()
	g.purchases()
	g.transfers()
	g.sales()
	g.openOrders()
	g.money()
	if g.config.Commission {
		g.commission()
	}
	if g.config.Prepayments {
		g.prepayments()
	}
	g.uncounted()
}

func (g *generator) id(kind Kind) string {
	n := g.counts[kind]
	g.counts[kind] = n + 1
	return g.books.ids.of(kind, n)
}

// at returns a time of day, the given number of days ago.
func (g *generator) at(daysAgo, hour, minute int) time.Time {
	return g.today.AddDate(0, 0, -daysAgo).Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
}

// chance returns true with the given probability in percent.
func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// between returns a random number from low to high, including both.
func (g *generator) between(low, high int) int { return low + g.IntN(high-low+1) }

func pick[T any](g *generator, all []T) T { return all[g.IntN(len(all))] }

// document adds to the books a new posted document of the first organization.
func (g *generator) document(kind Kind, moment time.Time) *Document {
	id := g.id(kind)
	document := &Document{
		Kind: kind, ID: id, Name: number(g.counts[kind]), External: id[:8] + id[24:30],
		Moment: moment, Created: moment.Add(17 * time.Second), Updated: moment.Add(95 * time.Second),
		Applicable: true, Organization: g.books.Organizations[0], Currency: g.books.currency(),
	}
	g.books.Documents[kind] = append(g.books.Documents[kind], document)
	return document
}

// index sorts the documents and fills the maps by id.
func (g *generator) index() {
	b := g.books
	for _, documents := range b.Documents {
		slices.SortStableFunc(documents, func(a, b *Document) int {
			return cmp.Or(a.Moment.Compare(b.Moment), cmp.Compare(a.ID, b.ID))
		})
		for _, document := range documents {
			b.documents[document.ID] = document
		}
	}
	for _, item := range b.Assortment {
		b.items[item.ID] = item
	}
	for _, counterparty := range b.Counterparties {
		b.counters[counterparty.ID] = counterparty
	}
}
