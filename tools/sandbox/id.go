package sandbox

import (
	"fmt"
	"hash/fnv"
	"io"
)

// Kind is the type of an entity, as in paths and in meta.type.
type Kind string

// The kinds that have ids. The generator does not make documents of every kind, so some lists are empty.
const (
	kindAccount        Kind = "account"
	kindAttribute      Kind = "attributemetadata"
	kindBundle         Kind = "bundle"
	kindCharacteristic Kind = "characteristic"
	kindContract       Kind = "contract"
	kindCounterparty   Kind = "counterparty"
	kindCurrency       Kind = "currency"
	kindEmployee       Kind = "employee"
	kindExpenseItem    Kind = "expenseitem"
	kindFolder         Kind = "productfolder"
	kindGroup          Kind = "group"
	kindOrganization   Kind = "organization"
	kindPosition       Kind = "position"
	kindPriceType      Kind = "pricetype"
	kindProduct        Kind = "product"
	kindSalesChannel   Kind = "saleschannel"
	kindService        Kind = "service"
	kindState          Kind = "state"
	kindStore          Kind = "store"
	kindStoreMinimum   Kind = "minimumstock"
	kindUOM            Kind = "uom"
	kindVariant        Kind = "variant"

	CashIn            Kind = "cashin"
	CashOut           Kind = "cashout"
	CustomerOrder     Kind = "customerorder"
	Demand            Kind = "demand"
	Enter             Kind = "enter"
	InvoiceIn         Kind = "invoicein"
	InvoiceOut        Kind = "invoiceout"
	Loss              Kind = "loss"
	Move              Kind = "move"
	PaymentIn         Kind = "paymentin"
	PaymentOut        Kind = "paymentout"
	Processing        Kind = "processing"
	PurchaseOrder     Kind = "purchaseorder"
	PurchaseReturn    Kind = "purchasereturn"
	RetailDemand      Kind = "retaildemand"
	RetailSalesReturn Kind = "retailsalesreturn"
	SalesReturn       Kind = "salesreturn"
	Supply            Kind = "supply"

	CommissionReportIn     Kind = "commissionreportin"
	CommissionReportOut    Kind = "commissionreportout"
	CounterpartyAdjustment Kind = "counterpartyadjustment"
	InternalOrder          Kind = "internalorder"
	Inventory              Kind = "inventory"
	Prepayment             Kind = "prepayment"
	PrepaymentReturn       Kind = "prepaymentreturn"
)

// ids generates ids in the upstream's format. The ids depend on the seed, and their order does not show the order of
// creation.
type ids struct{ seed uint64 }

// of returns the id of the n-th entity of a kind.
func (g ids) of(kind Kind, n int) string {
	h := mix(g.seed ^ hash(string(kind)) ^ uint64(n)*0x9E3779B97F4A7C15)
	tail := mix(h ^ uint64(n))
	return format(uint32(h>>32), uint16(h), tail)
}

// ofPart returns the id of the n-th part of the entity owner.
func (g ids) ofPart(owner string, n int) string {
	h := mix(g.seed ^ hash(owner) ^ uint64(n+1)*0x9E3779B97F4A7C15)
	return format(uint32(h>>32), uint16(h), mix(h))
}

// format formats an id like the upstream's time-based UUIDs: 1c0a11d2-3f10-11ee-0a80-0d5a00112233.
func format(low uint32, mid uint16, node uint64) string {
	return fmt.Sprintf("%08x-%04x-11ee-8a80-%012x", low, mid, node&0xFFFFFFFFFFFF)
}

// mix applies the finalizer of SplitMix64: every bit of the input changes about half of the output.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

// hash returns the FNV-1a hash of a text.
func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text)
	return h.Sum64()
}

// number returns a document number in the upstream's format: 00417.
func number(n int) string { return fmt.Sprintf("%05d", n) }
