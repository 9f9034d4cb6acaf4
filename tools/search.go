package tools

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// hits are the assortment rows that really contain a query.
type searchResult struct {
	rows          []moysklad.Product
	searchIgnored bool // the upstream sent rows, and none of them contains the query: it did not search
	incomplete    bool // and not all of them were looked at
}

func (h searchResult) has(id string) bool {
	return slices.ContainsFunc(h.rows, func(row moysklad.Product) bool { return row.ID == id })
}

// patience is how many rows without a hit are read before the list is taken for the unfiltered catalogue.
const maxMisses = 300

// find searches the assortment by name, code, article and barcode. The upstream's search does not look at barcodes and
// has been seen to be ignored, sending the whole catalogue; so every row is checked here.
func (c *Call) searchAssortment(ctx context.Context, query string) (searchResult, error) {
	return c.searchIn(ctx, query, moysklad.Query{Expand: []string{"product"}})
}

// findArchived finds what was taken out of the range. Without the products of variants it is a call for each thousand.
func (c *Call) searchArchived(ctx context.Context, query string) (searchResult, error) {
	return c.searchIn(ctx, query, moysklad.Query{Filter: moysklad.Filter{}.Is("archived", "true")})
}

func (c *Call) searchIn(ctx context.Context, query string, scope moysklad.Query) (searchResult, error) {
	words := strings.Fields(bilingual.Fold(query))
	var found searchResult
	byName := scope
	byName.Search = query
	if err := c.collectMatches(ctx, byName, words, &found); err != nil {
		return found, err
	}
	if token := strings.TrimSpace(query); len(found.rows) == 0 && maybeBarcode(token) || isNumericBarcode(token) {
		byCode := scope
		byCode.Filter = scope.Filter.Is("barcode", token)
		if err := c.collectMatches(ctx, byCode, words, &found); err != nil {
			return found, err
		}
	}
	found.searchIgnored = found.searchIgnored && len(found.rows) == 0
	return found, nil
}

// collect adds the rows of one list that contain all words, each product once. A list that does not contain the query
// for long is given up.
func (c *Call) collectMatches(ctx context.Context, query moysklad.Query, words []string, found *searchResult) error {
	rowsRead := 0
	c.ReadAt(c.Now())
	for row, err := range c.Client.Assortment(ctx, query) {
		if err != nil {
			return err
		}
		rowsRead++
		switch {
		case found.has(row.ID):
		case rowContains(row, words):
			found.rows = append(found.rows, row)
		case len(found.rows) == 0 && rowsRead >= maxMisses:
			found.searchIgnored, found.incomplete = true, true
			return nil
		}
	}
	found.searchIgnored = found.searchIgnored || rowsRead > 0
	return nil
}

// contains reports whether every word stands in one of the row's names or codes.
func rowContains(row moysklad.Product, words []string) bool {
	text := []string{row.Name, row.Code, row.Article}
	if row.Product != nil {
		text = append(text, row.Product.Name)
	}
	text = append(text, barcodes(row)...)
	return containsWords(bilingual.Fold(strings.Join(text, "\n")), words)
}

// barcodes are the values, in the upstream's order of barcodes.
func barcodes(row moysklad.Product) []string {
	codes := []string{}
	for _, barcode := range row.Barcodes {
		for _, value := range barcode {
			codes = append(codes, value)
		}
	}
	return codes
}

func isNumericBarcode(text string) bool {
	return len(text) >= 8 && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
}

// likeBarcode is for code 128, which holds letters too.
func maybeBarcode(text string) bool {
	return len(text) >= 4 && !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsSpace(r) })
}
