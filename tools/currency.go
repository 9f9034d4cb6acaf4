package tools

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// ExchangeRates are the account's currencies. They convert prices to its own currency at the rates of the books.
type ExchangeRates []moysklad.Currency

// ToOwnCurrency converts a price to the account's currency. It returns nil if the price is not set or the rate of its
// currency is unknown.
func (e ExchangeRates) ToOwnCurrency(price *moysklad.Price) *moysklad.Kopecks {
	value := price.Known()
	if value == nil || price.Currency == nil {
		return value
	}
	currency := e.find(price.Currency.ID())
	switch {
	case currency == nil:
		return nil
	case currency.Default:
		return value
	case currency.Rate.IsZero():
		return nil
	}
	multiplicity := currency.Multiplicity.Decimal
	if multiplicity.IsZero() {
		multiplicity = moysklad.Qty(1).Decimal
	}
	if currency.Indirect {
		return &moysklad.Kopecks{Decimal: value.Mul(multiplicity).Div(currency.Rate.Decimal)}
	}
	return &moysklad.Kopecks{Decimal: value.Mul(currency.Rate.Decimal).Div(multiplicity)}
}

func (e ExchangeRates) find(id string) *moysklad.Currency {
	for i := range e {
		if e[i].ID == id {
			return &e[i]
		}
	}
	return nil
}

// ISOCode returns the ISO code of a currency, or "" if it is not listed.
func (e ExchangeRates) ISOCode(id string) string {
	if currency := e.find(id); currency != nil {
		return currency.ISOCode
	}
	return ""
}

// inOwnCurrency converts a document's sum to the account's currency. The upstream omits the rate if it is 1.
func inOwnCurrency(sum moysklad.Kopecks, rate moysklad.Rate) decimal.Decimal {
	if rate.Value == nil {
		return sum.Decimal
	}
	return sum.Mul(rate.Value.Decimal)
}
