package sandbox

import "time"

// Books is the content of the simulated account. It stores only dictionaries (such as products, warehouses and
// counterparties) and documents; stock, costs, profit, turnover and balances are computed from the documents.
//
// A test may read Books as long as nothing is written through the API.
type Books struct {
	Now       time.Time // when the books were made; the latest document is from the day before
	AccountID string

	Employee       *Employee
	Organizations  []*Organization
	Stores         []*Store
	Currencies     []*Currency // the first one is the account's own currency
	PriceTypes     []*PriceType
	Channels       []*SalesChannel
	Contracts      []*Contract
	Counterparties []*Counterparty
	Folders        []*Folder
	UOMs           []*UOM
	ExpenseItems   []*ExpenseItem
	States         map[Kind][]*State
	Attributes     map[Kind][]*Attribute

	Assortment []*Item              // products, each followed by its variants; then bundles and services
	Documents  map[Kind][]*Document // sorted by moment, including deleted ones
	ledger     *ledger              // the current stock
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

// Organization is one of the account's own legal entities.
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

// Currency is a currency with its rate to the account's own currency.
type Currency struct {
	ID, Name, FullName, Code, ISO string
	Rate                          int64 // price of one unit in thousandths of the account's currency: 92 400 is 92.4
	Default, Archived             bool
}

// PriceType is a type of sale prices.
type PriceType struct{ ID, Name, ExternalCode string }

// Numbering is the document field that has a channel's marketplace number.
type Numbering string

// The fields that can have a marketplace number.
const (
	NumberInName      Numbering = "name"
	NumberInCode      Numbering = "externalCode"
	NumberInAttribute Numbering = "attribute"
)

// SalesChannel is a sales channel. Numbering is the field of its orders and shipments that has the marketplace's
// number.
type SalesChannel struct {
	ID, Name, Type string
	Numbering      Numbering
	Store          *Store // the warehouse that ships its orders
	Agent          *Counterparty
	Archived       bool
}

// Counterparty is a customer or a supplier. LeadDays is the average delivery time of a supplier; it is 0 for customers.
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
	ID, Name, Type string // Type: Regular, Successful or Unsuccessful
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

// The kinds of minimum stock. MinimumNone means that an item has no minimum.
const (
	MinimumNone   = ""
	MinimumSum    = "ALL_WAREHOUSE_SUM"
	MinimumSame   = "ALL_WAREHOUSE_SAME"
	MinimumVaried = "WAREHOUSE_VARIED"
)

// Minimum is an item's minimum stock.
type Minimum struct {
	Type     string
	Quantity Units          // for MinimumSum and MinimumSame
	ByStore  []StoreMinimum // for MinimumVaried
}

// StoreMinimum is the minimum stock at one warehouse.
type StoreMinimum struct {
	Store    *Store
	Quantity Units
}

// At returns the minimum of one warehouse, and whether there is one. A minimum for all warehouses together does not
// count.
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

// Component is an item in a bundle, with its quantity in one bundle.
type Component struct {
	Item     *Item
	Quantity Units
}

// Characteristic is a variant's property.
type Characteristic struct{ Name, Value string }

// Barcode is a barcode with its type: ean13, code128 …
type Barcode struct{ Type, Value string }

// Item is a product, variant, bundle or service. As in the upstream, a BuyPrice of 0 means "not set". Own is true for a
// variant that has its own minimum; otherwise it inherits the minimum of its product.
type Item struct {
	Kind                              Kind
	ID, Name, Code, Article, External string
	Description                       string
	Parent                            *Item // the product of a variant
	Variants                          []*Item
	Folder                            *Folder
	Supplier                          *Counterparty
	UOM                               *UOM
	BuyPrice                          Amount
	BuyCurrency                       *Currency
	MinPrice                          Amount
	SalePrices                        []Price // the item's own prices; empty if a variant inherits those of its product
	Minimum                           Minimum
	OwnMinimum                        bool
	Barcodes                          []Barcode
	Characteristics                   []Characteristic
	Components                        []Component
	Archived                          bool
	Weighed                           bool
	Updated                           time.Time
	SyncID                            string
	scenario                          scenario // what the generator plans for the item
	n                                 int      // index in Books.Assortment and in ledger.holdings
}

// Stocked reports whether the item can be in stock.
func (i *Item) Stocked() bool { return i.Kind == kindProduct || i.Kind == kindVariant }

// EffectiveMinimum returns the minimum that applies to the item: its own or that of its product.
func (i *Item) EffectiveMinimum() Minimum {
	if i.Parent != nil && !i.OwnMinimum {
		return i.Parent.Minimum
	}
	return i.Minimum
}

// Origin returns the product of a variant. For any other item, it returns the item itself. The supplier, folder, unit
// and purchase price of a variant are those of its product.
func (i *Item) Origin() *Item {
	if i.Parent != nil {
		return i.Parent
	}
	return i
}

// prices returns the sale prices of the item: its own or those of its product.
func (i *Item) prices() []Price {
	if len(i.SalePrices) == 0 && i.Parent != nil {
		return i.Parent.SalePrices
	}
	return i.SalePrices
}

// currency returns the account's own currency. All reports use it.
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
