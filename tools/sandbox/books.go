package sandbox

import "time"

// Books is everything the simulated account holds. Dictionaries and documents are the only facts; stock, costs, profit,
// turnover and balances follow from the documents, by the reports here and by whoever checks them.
//
// A test may read Books freely as long as nothing is being written through the API.
type Books struct {
	Now       time.Time // when the books were made; the newest document is from the day before
	AccountID string

	Employee      *Employee
	Organizations []*Organization
	Stores        []*Store
	Currencies    []*Currency // the first is the account's own
	PriceTypes    []*PriceType
	Channels      []*SalesChannel
	Contracts     []*Contract
	Counters      []*Counterparty
	Folders       []*Folder
	Units         []*UOM
	ExpenseItems  []*ExpenseItem
	States        map[Kind][]*State
	Attributes    map[Kind][]*Attribute

	Assortment []*Item              // products, each followed by its variants; then bundles and services
	Documents  map[Kind][]*Document // by moment, the bin included
	ledger     *ledger              // what the posted documents amount to now
	items      map[string]*Item
	documents  map[string]*Document
	counters   map[string]*Counterparty
	ids        ids
}

// Contract is with a counterparty, about sales or about commission.
type Contract struct {
	ID, Name string
	Type     string // Sales or Commission
	Agent    *Counterparty
	Archived bool
}

// Employee is the owner of the token.
type Employee struct{ ID, UID, Name string }

// Organization is a legal entity of the account.
type Organization struct {
	ID, Name, LegalTitle, INN string
	Accounts                  []*BankAccount
	Archived                  bool
}

// BankAccount is an organization's account at a bank, in one currency.
type BankAccount struct {
	ID, Number, Bank string
	Currency         *Currency
	Default          bool
	Organization     *Organization
}

// Store is a warehouse. A child store's stock is not part of its parent's.
type Store struct {
	ID, Name, Code string
	Parent         *Store
	Archived       bool
	n              int // place in Books.Stores
}

// Currency costs Rate thousandths of the account's currency for one unit.
type Currency struct {
	ID, Name, FullName, Code, ISO string
	Rate                          int64 // thousandths: 92 400 is 92.4
	Default                       bool
}

// PriceType is a column of sale prices.
type PriceType struct{ ID, Name, ExternalCode string }

// Numbering is where a channel's orders carry the marketplace's number.
type Numbering string

// The places of a marketplace's number.
const (
	NumberInName      Numbering = "name"
	NumberInCode      Numbering = "externalCode"
	NumberInAttribute Numbering = "attribute"
)

// SalesChannel is where sales are made; its orders and shipments carry the marketplace's number at Numbering.
type SalesChannel struct {
	ID, Name, Type string
	Numbering      Numbering
	Store          *Store // where its shipments leave from
	Agent          *Counterparty
	Archived       bool
}

// Counterparty is a customer or a supplier. LeadDays is what a supplier's deliveries take on average, 0 for customers.
type Counterparty struct {
	ID, Name, Code, INN string
	CompanyType         string // legal, entrepreneur or individual
	Currency            *Currency
	LeadDays            int
	Archived            bool
	Updated             time.Time
}

// Folder is a group of products; Path is the names of the folders above it, joined by "/".
type Folder struct {
	ID, Name, Path string
	Parent         *Folder
}

// UOM is a unit of measure.
type UOM struct{ ID, Name, Code string }

// ExpenseItem is what a payment was for.
type ExpenseItem struct{ ID, Name string }

// State is a status of a document type.
type State struct {
	ID, Name, Type string // Type is Regular, Successful or Unsuccessful
	Color          int
	Kind           Kind
}

// Attribute is a user-defined string field of a document type.
type Attribute struct {
	ID, Name string
	Kind     Kind
	Required bool
}

// Price is a sale price of one type.
type Price struct {
	Type     *PriceType
	Value    Amount
	Currency *Currency
}

// The shapes of a minimum; the empty one is a product without a threshold.
const (
	MinimumNone   = ""
	MinimumSum    = "ALL_WAREHOUSE_SUM"
	MinimumSame   = "ALL_WAREHOUSE_SAME"
	MinimumVaried = "WAREHOUSE_VARIED"
)

// Minimum is an item's threshold.
type Minimum struct {
	Type     string
	Quantity Units          // of MinimumSum and MinimumSame
	ByStore  []StoreMinimum // of MinimumVaried
}

// StoreMinimum is the threshold at one warehouse.
type StoreMinimum struct {
	Store    *Store
	Quantity Units
}

// At is the threshold of one warehouse, and whether there is one: a sum over all warehouses is none of a single one.
func (m Minimum) At(store *Store) (Units, bool) {
	switch m.Type {
	case MinimumSame:
		return m.Quantity, true
	case MinimumVaried:
		for _, one := range m.ByStore {
			if one.Store == store {
				return one.Quantity, true
			}
		}
	}
	return 0, false
}

// Component is what one bundle contains of one item.
type Component struct {
	Item     *Item
	Quantity Units
}

// Characteristic is a variant's property.
type Characteristic struct{ Name, Value string }

// Barcode is a code with its kind: ean13, code128 …
type Barcode struct{ Type, Value string }

// Item is a product, variant, bundle or service. BuyPrice 0 is "not set", as upstream. Own is whether a variant's
// minimum is its own; otherwise its product's applies.
type Item struct {
	Kind                              Kind
	ID, Name, Code, Article, External string
	Description                       string
	Parent                            *Item // of a variant
	Variants                          []*Item
	Folder                            *Folder
	Supplier                          *Counterparty
	UOM                               *UOM
	BuyPrice                          Amount
	BuyCurrency                       *Currency
	MinPrice                          Amount
	SalePrices                        []Price // own; empty for a variant that inherits
	Minimum                           Minimum
	Own                               bool
	Barcodes                          []Barcode
	Characteristics                   []Characteristic
	Components                        []Component
	Archived                          bool
	Weighed                           bool
	Updated                           time.Time
	SyncID                            string
	fate                              fate // what the generator planned for it
	n                                 int  // place in Books.Assortment, and in a ledger
}

// Stocked is whether the item can lie in a warehouse.
func (i *Item) Stocked() bool { return i.Kind == kindProduct || i.Kind == kindVariant }

// Threshold is the minimum that applies to the item, its product's if it inherits.
func (i *Item) Threshold() Minimum {
	if i.Parent != nil && !i.Own {
		return i.Parent.Minimum
	}
	return i.Minimum
}

// Origin is the item itself, or the product of a variant: where supplier, folder, unit and purchase price stand.
func (i *Item) Origin() *Item {
	if i.Parent != nil {
		return i.Parent
	}
	return i
}

// prices are the item's sale prices, its product's if it has none of its own.
func (i *Item) prices() []Price {
	if len(i.SalePrices) == 0 && i.Parent != nil {
		return i.Parent.SalePrices
	}
	return i.SalePrices
}

// currency is the account's own, which reports are in.
func (b *Books) currency() *Currency { return b.Currencies[0] }

// Item finds an assortment item by id; nil if there is none.
func (b *Books) Item(id string) *Item { return b.items[id] }

// Document finds a document of any kind by id; nil if there is none.
func (b *Books) Document(id string) *Document { return b.documents[id] }

// Store finds a warehouse by name; nil if there is none.
func (b *Books) Store(name string) *Store {
	for _, store := range b.Stores {
		if store.Name == name {
			return store
		}
	}
	return nil
}
