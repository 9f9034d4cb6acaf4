package sandbox

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// historyDays is how many days back the documents begin.
const historyDays = 420

// maker generates the books of one account. It draws all random numbers from one generator in a fixed order, so that a
// seed always gives the same books. A change to that order changes the demo's books.
type maker struct {
	*rand.Rand
	config         Config
	books          *Books
	today          time.Time // midnight in Moscow
	counts         map[Kind]int
	openOrderCount int // open purchase orders so far
	scenarioCount  int // items with a scenario so far
	bought         []delivery
	moved          []transfer
	removed        []transfer // written off or used up
	sold           []sale
}

// generate generates the books: dictionaries, assortment, a plan for each item, and the documents of the plans.
func generate(config Config) *Books {
	now := config.Now().In(moysklad.Moscow).Truncate(time.Minute)
	m := &maker{
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
	m.books.AccountID = m.books.ids.of("tenant", 0)
	m.dictionaries()
	m.partners()
	m.assortment()
	m.planItems()
	m.purchases()
	m.transfers()
	m.sales()
	m.openOrders()
	m.money()
	if m.config.Commission {
		m.commission()
	}
	if m.config.Prepayments {
		m.prepayments()
	}
	m.uncounted()
	m.index()
	m.books.recompute()
	m.thresholds()
	return m.books
}

// id returns the next id of a kind.
func (m *maker) id(kind Kind) string {
	n := m.counts[kind]
	m.counts[kind] = n + 1
	return m.books.ids.of(kind, n)
}

// at returns a time of day some days ago.
func (m *maker) at(daysAgo, hour, minute int) time.Time {
	return m.today.AddDate(0, 0, -daysAgo).Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
}

// chance returns true with a probability of percent.
func (m *maker) chance(percent int) bool { return m.IntN(100) < percent }

// between returns a number from low to high, both included.
func (m *maker) between(low, high int) int { return low + m.IntN(high-low+1) }

func pick[T any](m *maker, all []T) T { return all[m.IntN(len(all))] }

// document adds a new posted document of the first organization to the books.
func (m *maker) document(kind Kind, moment time.Time) *Document {
	id := m.id(kind)
	document := &Document{
		Kind: kind, ID: id, Name: number(m.counts[kind]), External: id[:8] + id[24:30],
		Moment: moment, Created: moment.Add(17 * time.Second), Updated: moment.Add(95 * time.Second),
		Applicable: true, Organization: m.books.Organizations[0], Currency: m.books.currency(),
	}
	m.books.Documents[kind] = append(m.books.Documents[kind], document)
	return document
}

// index sorts the documents and fills the maps by id.
func (m *maker) index() {
	b := m.books
	for _, documents := range b.Documents {
		slices.SortStableFunc(documents, func(a, b *Document) int {
			return cmp.Or(a.Moment.Compare(b.Moment), cmp.Compare(a.ID, b.ID))
		})
		for _, document := range documents {
			b.documents[document.ID] = document
		}
	}
	for n, item := range b.Assortment {
		item.n = n
		b.items[item.ID] = item
	}
	for _, counterparty := range b.Counters {
		b.counters[counterparty.ID] = counterparty
	}
}
