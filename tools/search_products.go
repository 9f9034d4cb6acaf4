package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type searchProductsArguments struct {
	Query string `json:"query" jsonschema:"minLength=1" jsonschema_description:"words of a name, a code, an article or a barcode"`
	RowLimit
}

type searchProductsResult struct {
	Matched bool                `json:"matched" jsonschema_description:"false: nothing contains the query, nor does anything archived"`
	Rows    []searchProductsRow `json:"rows"`
	List
}

type searchProductsRow struct {
	ProductID     string      `json:"product_id"`
	Kind          string      `json:"kind" jsonschema:"enum=product,enum=variant,enum=bundle,enum=service"`
	Name          string      `json:"name"`
	Code          string      `json:"code"`
	Article       string      `json:"article"`
	Barcodes      []string    `json:"barcodes"`
	SupplierID    *string     `json:"supplier_id"`
	Supplier      *string     `json:"supplier"`
	PurchasePrice *Money      `json:"purchase_price" jsonschema_description:"in the account's currency; null: not set, or not visible to this connection"`
	SalePrice     *Money      `json:"sale_price" jsonschema_description:"of the account's first price type, in the account's currency; null: not set, or in a currency without a rate"`
	SalePrices    []salePrice `json:"sale_prices" jsonschema_description:"of all price types that have a price, the first one first; in the account's currency"`
	Archived      bool        `json:"archived,omitempty" jsonschema_description:"taken out of the range; searched only if nothing else contains the query"`
}

type salePrice struct {
	PriceType string `json:"price_type"`
	Price     *Money `json:"price" jsonschema_description:"null: the books have no rate of its currency"`
}

// searchProducts makes the calls that README.md lists and explains. If the upstream ignores the query, it stops after
// three calls, and as many for archived goods.
func searchProducts(ctx context.Context, run *Run, args searchProductsArguments) (searchProductsResult, error) {
	var result searchProductsResult
	if bilingual.Fold(args.Query) == "" {
		return result, check.Invalid(isBlank.At("query").WithValue(args.Query))
	}
	found, err := run.searchAlsoArchived(ctx, args.Query)
	if err != nil {
		return result, err
	}
	run.noteSearch(found, args.Query)
	rows, list := limitRows(run, found.rows, args.Limit)
	ids := convert(rows, supplierOf)
	suppliers, err := run.CounterpartyNames(ctx, ids)
	if err != nil {
		return result, err
	}
	currencies, err := run.Currencies(ctx)
	if err != nil {
		return result, err
	}
	rates := ExchangeRates(currencies)
	prices := cardPrices{rates: rates}
	result = searchProductsResult{Matched: len(rows) > 0, Rows: make([]searchProductsRow, len(rows)), List: list}
	for i, row := range rows {
		first, all := prices.show(found.salePrices[row.ID])
		result.Rows[i] = searchProductsRow{
			ProductID:     row.ID,
			Kind:          row.Meta.Type,
			Name:          row.Name,
			Code:          row.Code,
			Article:       row.Article,
			Barcodes:      barcodes(row),
			SupplierID:    nilIfEmpty(ids[i]),
			Supplier:      nilIfEmpty(suppliers[ids[i]]),
			PurchasePrice: moneyOrNil(rates.ToOwnCurrency(purchasePrice(row))),
			SalePrice:     first,
			SalePrices:    all,
			Archived:      isArchived(row),
		}
	}
	return result, run.noteConverted(ctx, prices.converted)
}

// searchAlsoArchived searches archived goods if no other good matches.
func (run *Run) searchAlsoArchived(ctx context.Context, query string) (searchResult, error) {
	found, err := run.searchAssortment(ctx, query)
	if err != nil || len(found.rows) > 0 {
		return found, err
	}
	archived, err := run.searchArchived(ctx, query, "product")
	if err != nil {
		return found, err
	}
	archived.searchIgnored = len(archived.rows) == 0 && (found.searchIgnored || archived.searchIgnored)
	return archived, nil
}

// isArchived reports whether a good or its product is archived.
func isArchived(row moysklad.Product) bool {
	return row.Archived || row.Product != nil && row.Product.Archived
}

// noteSearch adds a note if the upstream ignored the query, or only archived goods match it.
func (run *Run) noteSearch(found searchResult, query string) {
	switch {
	case found.searchIgnored:
		run.Note(SearchNotApplied, map[string]string{"query": "«" + check.Shorten(query) + "»"})
	case len(found.rows) > 0 && !slices.ContainsFunc(found.rows, func(row moysklad.Product) bool { return !isArchived(row) }):
		run.Note(OnlyArchived, nil)
	}
}

// supplierOf returns the id of the supplier. A variant has the supplier of its product.
func supplierOf(row moysklad.Product) string {
	if row.Supplier == nil && row.Product != nil {
		return row.Product.Supplier.ID()
	}
	return row.Supplier.ID()
}

func purchasePrice(row moysklad.Product) *moysklad.Price {
	if row.BuyPrice.Known() == nil && row.Product != nil {
		return row.Product.BuyPrice
	}
	return row.BuyPrice
}

// cardPrices shows sale prices as the cards have them. Prices in other currencies are converted to the account's own.
type cardPrices struct {
	rates     ExchangeRates
	converted []string // ISO codes of the other currencies
}

// show returns the prices that are set, and that of the first price type by itself.
func (c *cardPrices) show(prices []moysklad.Price) (first *Money, all []salePrice) {
	all = []salePrice{}
	for i, price := range prices {
		if price.Known() == nil || price.PriceType == nil {
			continue
		}
		shown := c.inOwnCurrency(price)
		if i == 0 {
			first = shown
		}
		all = append(all, salePrice{price.PriceType.Name, shown})
	}
	return first, all
}

// noteConverted adds a note if prices were converted from other currencies.
func (run *Run) noteConverted(ctx context.Context, from []string) error {
	if len(from) == 0 {
		return nil
	}
	own, err := run.Currency(ctx)
	run.Note(ConvertedSalePrices, map[string]string{"from": strings.Join(from, ", "), "to": own.ISOCode})
	return err
}

// inOwnCurrency keeps the fractions of a kopeck that a price on the card has, as drafts do, but none that come from the rate.
func (c *cardPrices) inOwnCurrency(price moysklad.Price) *Money {
	value := c.rates.ToOwnCurrency(&price)
	other := c.rates.find(price.Currency.ID())
	switch {
	case value == nil:
		return nil
	case other == nil || other.Default:
		return UnitPriceOf(value.Decimal)
	case !slices.Contains(c.converted, other.ISOCode):
		c.converted = append(c.converted, other.ISOCode)
	}
	return MoneyOf(value.Decimal)
}
