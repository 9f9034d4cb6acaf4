package moysklad

import (
	"encoding/json"
	"strings"
)

// Meta is the link to an entity, or the header of a list.
type Meta struct {
	Href string `json:"href"`
	Type string `json:"type"`
	Size int    `json:"size,omitempty"` // in the header of a list: the number of all matching rows
}

// ID returns the identifier at the end of the link, without the query that stock reports append ("?expand=supplier"). It is a
// copy, so that whoever keeps it does not keep the whole link in memory.
func (m Meta) ID() string {
	href, _, _ := strings.Cut(m.Href, "?")
	return strings.Clone(href[strings.LastIndexByte(href, '/')+1:])
}

// Ref is a link to an entity. Name and the other fields are set only if it was expanded.
type Ref struct {
	Meta Meta   `json:"meta"`
	Name string `json:"name,omitempty"`
}

// ID returns the identifier of the linked entity.
func (r *Ref) ID() string {
	if r == nil {
		return ""
	}
	return r.Meta.ID()
}

// Employee is the employee who owns the token, with the permissions of the employee's role.
type Employee struct {
	ID          string                       `json:"id"`
	AccountID   string                       `json:"accountId"`
	Permissions map[string]map[string]string `json:"permissions"` // code → right → scope, such as ALL or OWN; rights that the employee lacks have no key
}

// Organization is a legal entity of the account. Its name does not identify the account.
type Organization struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// BankAccount is an organization's account at a bank. The upstream gives its currency since 2026-05-04.
type BankAccount struct {
	ID       string `json:"id"`
	Currency *Ref   `json:"currency"`
}

// Store is a warehouse.
type Store struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	PathName string `json:"pathName"`
	Archived bool   `json:"archived"`
}

// Currency is one of the account's currencies. Reports are in the currency with Default set. Multiplicity units of a
// currency cost Rate units of the default one; if Indirect is set, it is the other way round.
type Currency struct {
	ID           string   `json:"id"`
	ISOCode      string   `json:"isoCode"`
	Rate         Quantity `json:"rate"`
	Multiplicity Quantity `json:"multiplicity"`
	Indirect     bool     `json:"indirect"`
	Default      bool     `json:"default"`
}

// Counterparty is a customer or supplier.
type Counterparty struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Contract is a contract with a counterparty.
//
// Source: md/dictionaries/_contract.md.
type Contract struct {
	ID   string `json:"id"`
	Type string `json:"contractType"`
}

// Commission is the type of contract under which delivered goods belong to their owner until they are sold.
const Commission = "Commission"

// SalesChannel is the channel of a sale, such as a marketplace, a shop or a messenger.
type SalesChannel struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// State is a status of documents of one type. Each account defines its own.
type State struct {
	Meta Meta   `json:"meta"`
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"stateType"` // Regular, Successful or Unsuccessful
}

// PriceType is a kind of sale price.
type PriceType struct {
	Meta Meta   `json:"meta"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Price is an amount with its currency. Value 0 means "not set".
type Price struct {
	Value     Kopecks    `json:"value"`
	Currency  *Ref       `json:"currency,omitempty"`
	PriceType *PriceType `json:"priceType,omitempty"`
}

// Known returns the amount, or nil if it is 0, which means that no price is set.
func (p *Price) Known() *Kopecks {
	if p == nil || p.Value.IsZero() {
		return nil
	}
	return &p.Value
}

// Product is a row of the assortment: a product, variant, bundle or service, according to Meta.Type.
type Product struct {
	Meta          Meta                         `json:"meta"`
	ID            string                       `json:"id"`
	Name          string                       `json:"name"`
	Code          string                       `json:"code"`
	Article       string                       `json:"article"`
	Archived      bool                         `json:"archived"`
	Barcodes      Rows[map[string]string]      `json:"barcodes"`
	Supplier      *Ref                         `json:"supplier"`
	BuyPrice      *Price                       `json:"buyPrice"`
	VariantsCount int                          `json:"variantsCount"`
	MinimumStock  *MinimumStock                `json:"minimumStock"` // only with fields=minimumStock
	Product       *Parent                      `json:"product"`      // of a variant
	Components    *NestedList[BundleComponent] `json:"components"`   // of a bundle
}

// PricedProduct is a row of the assortment with its sale prices, the default price type first. The longer lists of products and variants
// leave them out, because they would take half as long again to decode.
type PricedProduct struct {
	Card       Product     `json:",embed"`
	SalePrices Rows[Price] `json:"salePrices"`
}

// Parent is the product of a variant. Its supplier, purchase price and minimums are set only if it was expanded.
type Parent struct {
	Meta         Meta          `json:"meta"`
	Name         string        `json:"name"`
	Archived     bool          `json:"archived"`
	Supplier     *Ref          `json:"supplier"`
	BuyPrice     *Price        `json:"buyPrice"`
	MinimumStock *MinimumStock `json:"minimumStock"`
}

// BundleComponent is a product in a bundle, with its quantity in one bundle.
type BundleComponent struct {
	Quantity   Quantity `json:"quantity"`
	Assortment Ref      `json:"assortment"`
}

// The kinds of minimum stock (see [MinimumStock]).
const (
	MinimumSum    = "ALL_WAREHOUSE_SUM"  // one minimum for the stock of all warehouses together
	MinimumSame   = "ALL_WAREHOUSE_SAME" // the same minimum in every warehouse
	MinimumVaried = "WAREHOUSE_VARIED"   // a minimum for each warehouse
)

// MinimumStock is the least stock that a product or variant should have. StoreBalances has rows only if it was
// expanded. The upstream writes the name of that field in two ways; both are accepted.
//
// Source: md/dictionaries/_product.md, minimumStock.
type MinimumStock struct {
	Type          string                    `json:"type"`
	Quantity      *Quantity                 `json:"quantity"`
	Inherited     bool                      `json:"inherited"` // of a variant: its product's minimum applies
	StoreBalances *NestedList[StoreMinimum] `json:"storeBalances,case:ignore"`
}

// StoreMinimum is the minimum of one warehouse.
type StoreMinimum struct {
	Quantity Quantity `json:"quantity"`
	Store    Ref      `json:"store"`
}

// NestedList is a list within an entity, such as its positions. It always has a link and a size. If it was expanded, it
// also has rows, but possibly fewer than Meta.Size; the methods of [Client] then read the rest.
type NestedList[T any] struct {
	Meta Meta    `json:"meta"`
	Rows Rows[T] `json:"rows"`
}

// Position is a line of a document. Price is in the document's currency, before Discount; it is nil if the role may not
// see it. Discount is in percent; a negative one is a markup.
type Position struct {
	ID         string   `json:"id"`
	Quantity   Quantity `json:"quantity"`
	Price      *Kopecks `json:"price"`
	Discount   Quantity `json:"discount"`
	Assortment Ref      `json:"assortment"`
}

// Rate is a document's currency. Value is absent if it is 1.
type Rate struct {
	Currency Ref       `json:"currency"`
	Value    *Quantity `json:"value"`
}

// Attribute is a user-defined field of an entity.
type Attribute struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// Document is a document of any type, with the fields that the tools read. Fields that a type does not have are empty.
// Sums are in the currency of Rate. A link is nil if there is none or the role may not see it. The paid amount is not
// decoded, because the upstream counts only payments that are linked to the document.
type Document struct {
	ID              string                `json:"id"`
	SyncID          string                `json:"syncId"`
	Name            string                `json:"name"`
	ExternalCode    string                `json:"externalCode"`
	Moment          Moment                `json:"moment"`
	Deleted         *Moment               `json:"deleted"`
	Applicable      bool                  `json:"applicable"`
	Rate            Rate                  `json:"rate"`
	Sum             *Kopecks              `json:"sum"` // nil if the role may not see it
	ShippedSum      *Kopecks              `json:"shippedSum"`
	Agent           *Ref                  `json:"agent"`
	Store           *Ref                  `json:"store"`
	State           *State                `json:"state"` // nil if the document has no status
	SalesChannel    *Ref                  `json:"salesChannel"`
	Contract        *Ref                  `json:"contract"`
	DeliveryPlanned *Moment               `json:"deliveryPlannedMoment"`
	CustomerOrder   *Ref                  `json:"customerOrder"`
	PurchaseOrder   *Ref                  `json:"purchaseOrder"`
	Demands         Rows[Ref]             `json:"demands"`
	CommitentSum    *Kopecks              `json:"commitentSum"`  // in a commission agent's report: the sum minus the agent's reward
	NoClosingDocs   bool                  `json:"noClosingDocs"` // a payment without closing documents, which creates no debt
	Attributes      Rows[Attribute]       `json:"attributes"`
	Positions       *NestedList[Position] `json:"positions"`

	PrepaidCash   Kopecks `json:"prepaymentCashSum"` // of a shop receipt
	PrepaidNoCash Kopecks `json:"prepaymentNoCashSum"`
	PrepaidQR     Kopecks `json:"prepaymentQrSum"`
}

// Prepaid returns the part of a shop receipt's sum that was paid earlier, with separate payment documents. The rest is
// paid in the shop.
//
// Source: md/_errors.md, 18000.
func (d Document) Prepaid() Kopecks {
	return Kopecks{d.PrepaidCash.Add(d.PrepaidNoCash.Decimal).Add(d.PrepaidQR.Decimal)}
}
