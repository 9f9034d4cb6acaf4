package sandbox

import "time"

// Books is the content of the simulated account. Only dictionaries and documents are stored; stock, costs, profit, turnover
// and balances are computed from the documents.
//
// A test may read Books as long as nothing is written through the API.
type Books struct {
	Now       time.Time // when the books were made; the newest document is from the day before
	AccountID string

	Employee       *Employee
	Organizations  []*Organization
	Stores         []*Store
	Currencies     []*Currency // the first is the account's own
	PriceTypes     []*PriceType
	Channels       []*SalesChannel
	Contracts      []*Contract
	Counterparties []*Counterparty
	Folders        []*Folder
	Units          []*UOM
	ExpenseItems   []*ExpenseItem
	States         map[Kind][]*State
	Attributes     map[Kind][]*Attribute

	Assortment []*Item              // products, each followed by its variants; then bundles and services
	Documents  map[Kind][]*Document // sorted by moment, with those in the bin
	ledger     *ledger              // current state of stock
	items      map[string]*Item
	documents  map[string]*Document
	counters   map[string]*Counterparty
	ids        ids
}

// Contract is a contract with a counterparty.
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

// Store is a warehouse. The stock of a child does not count for its parent.
type Store struct {
	ID, Name, Code string
	Parent         *Store
	Archived       bool
	n              int // index in Books.Stores
}

// Currency is a currency with its rate to the account's own.
type Currency struct {
	ID, Name, FullName, Code, ISO string
	Rate                          int64 // price of one unit in thousandths of the account's currency: 92 400 is 92.4
	Default                       bool
}

// PriceType is a type of sale prices.
type PriceType struct{ ID, Name, ExternalCode string }

// Numbering is the field in which a channel's orders have the marketplace's number.
type Numbering string

// The fields for a marketplace's number.
const (
	NumberInName      Numbering = "name"
	NumberInCode      Numbering = "externalCode"
	NumberInAttribute Numbering = "attribute"
)

// SalesChannel is a sales channel. Its orders and shipments have the marketplace's number in the field Numbering.
type SalesChannel struct {
	ID, Name, Type string
	Numbering      Numbering
	Store          *Store // that ships its orders
	Agent          *Counterparty
	Archived       bool
}

// Counterparty is a customer or a supplier. LeadDays is a supplier's average delivery time, 0 for customers.
type Counterparty struct {
	ID, Name, Code, INN string
	CompanyType         string // legal, entrepreneur or individual
	Currency            *Currency
	LeadDays            int
	Archived            bool
	Updated             time.Time
}

// Folder is a group of products. Path has the names of the folders above it, joined by "/".
type Folder struct {
	ID, Name, Path string
	Parent         *Folder
}

// UOM is a unit of measure.
type UOM struct{ ID, Name, Code string }

// ExpenseItem is a category of expenses.
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

// The types of a minimum. MinimumNone is a product without one.
const (
	MinimumNone   = ""
	MinimumSum    = "ALL_WAREHOUSE_SUM"
	MinimumSame   = "ALL_WAREHOUSE_SAME"
	MinimumVaried = "WAREHOUSE_VARIED"
)

// Minimum is an item's minimum stock.
type Minimum struct {
	Type     string
	Quantity Units          // of MinimumSum and MinimumSame
	ByStore  []StoreMinimum // of MinimumVaried
}

// StoreMinimum is the minimum stock at one warehouse.
type StoreMinimum struct {
	Store    *Store
	Quantity Units
}

// At returns the minimum at one warehouse, and whether there is one. A minimum for all warehouses together is not one
// of a single warehouse.
func (m Minimum) At(store *Store) (Units, bool) {
	switch m.Type {
	case MinimumSame:
		return m.Quantity, true
	case MinimumVaried:
		for _, minimum := range m.ByStore {
			if minimum.Store == store {
				return minimum.Quantity, true
			}
		}
	}
	return 0, false
}

// Component is an item that a bundle contains, and how much of it.
type Component struct {
	Item     *Item
	Quantity Units
}

// Characteristic is a variant's property.
type Characteristic struct{ Name, Value string }

// Barcode is a barcode with its type: ean13, code128 …
type Barcode struct{ Type, Value string }

// Item is a product, variant, bundle or service. BuyPrice 0 means "not set", as upstream. Own is true for a variant with its
// own minimum; otherwise the minimum of its product applies.
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
	scenario                          scenario // of the generator
	n                                 int      // index in Books.Assortment and in a ledger
}

// Stocked reports whether the item can be in stock.
func (i *Item) Stocked() bool { return i.Kind == kindProduct || i.Kind == kindVariant }

// Threshold returns the minimum that applies to the item: its own, or its product's.
func (i *Item) Threshold() Minimum {
	if i.Parent != nil && !i.Own {
		return i.Parent.Minimum
	}
	return i.Minimum
}

// Origin returns the product of a variant, otherwise the item itself. It has the supplier, folder, unit and purchase
// price.
func (i *Item) Origin() *Item {
	if i.Parent != nil {
		return i.Parent
	}
	return i
}

// prices returns the item's sale prices: its own, or its product's.
func (i *Item) prices() []Price {
	if len(i.SalePrices) == 0 && i.Parent != nil {
		return i.Parent.SalePrices
	}
	return i.SalePrices
}

// currency returns the account's own currency, in which the reports are.
func (b *Books) currency() *Currency { return b.Currencies[0] }

// Item returns an assortment item by id, or nil.
func (b *Books) Item(id string) *Item { return b.items[id] }

// Document returns a document of any kind by id, or nil.
func (b *Books) Document(id string) *Document { return b.documents[id] }

// Store returns a warehouse by name, or nil.
func (b *Books) Store(name string) *Store {
	for _, store := range b.Stores {
		if store.Name == name {
			return store
		}
	}
	return nil
}
