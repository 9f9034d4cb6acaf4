package tools

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// searchResult is the rows of the assortment that contain a query.
type searchResult struct {
	rows          []moysklad.Product
	searchIgnored bool // the upstream sent rows, but none contains the query
	incomplete    bool // reading stopped before the end of the list
}

func (r searchResult) has(id string) bool {
	return slices.ContainsFunc(r.rows, func(row moysklad.Product) bool { return row.ID == id })
}

// maxMisses is the number of rows without a match after which the list is taken for the whole catalogue.
const maxMisses = 300

// maxPartial is the number of rows with only some of the words that are read for one with all of them.
const maxPartial = 1000

// searchAssortment searches by name, code, article and barcode. The upstream's search ignores barcodes, finds only words that stand
// side by side, and has been seen to ignore the query and send the whole catalogue, so every row is checked here.
func (c *Call) searchAssortment(ctx context.Context, query string) (searchResult, error) {
	return c.searchIn(ctx, query, moysklad.Query{Expand: []string{"product"}})
}

// searchArchived searches archived goods. Without expanding products it takes a call for each thousand.
func (c *Call) searchArchived(ctx context.Context, query string) (searchResult, error) {
	return c.searchIn(ctx, query, moysklad.Query{Filter: moysklad.Filter{}.Is("archived", "true")})
}

func (c *Call) searchIn(ctx context.Context, query string, scope moysklad.Query) (searchResult, error) {
	words := strings.Fields(bilingual.Fold(query))
	var found searchResult
	byName := scope
	byName.Search = query
	if err := c.collectMatches(ctx, byName, words, words, &found); err != nil {
		return found, err
	}
	if len(words) > 1 && len(found.rows) == 0 && !found.searchIgnored { // the words may not stand side by side
		byName.Search = slices.MaxFunc(strings.Fields(query), func(a, b string) int { return len(a) - len(b) })
		if err := c.collectMatches(ctx, byName, words, []string{bilingual.Fold(byName.Search)}, &found); err != nil {
			return found, err
		}
	}
	if token := strings.TrimSpace(query); len(found.rows) == 0 && maybeBarcode(token) || isNumericBarcode(token) {
		byCode := scope
		byCode.Filter = scope.Filter.Is("barcode", token)
		if err := c.collectMatches(ctx, byCode, words, words, &found); err != nil {
			return found, err
		}
	}
	found.searchIgnored = found.searchIgnored && len(found.rows) == 0
	return found, nil
}

// collectMatches adds the rows of one list that contain all words, each product once. It stops after [maxMisses] rows without what was
// searched for, and after [maxPartial] rows with that, but not with all words.
func (c *Call) collectMatches(ctx context.Context, query moysklad.Query, words, searched []string, found *searchResult) error {
	misses, partial := 0, 0
	c.ReadAt(c.Now())
	for row, err := range c.Client.Assortment(ctx, query) {
		switch {
		case err != nil:
			return err
		case found.has(row.ID):
		case rowContains(row, words):
			found.rows = append(found.rows, row)
		case rowContains(row, searched):
			partial++
		default:
			misses++
		}
		if len(found.rows) == 0 && misses >= maxMisses || partial >= maxPartial {
			found.incomplete = true
			break
		}
	}
	found.searchIgnored = found.searchIgnored || misses > 0
	return nil
}

// rowContains reports whether every word is in one of the row's names or codes.
func rowContains(row moysklad.Product, words []string) bool {
	text := []string{row.Name, row.Code, row.Article}
	if row.Product != nil {
		text = append(text, row.Product.Name)
	}
	text = append(text, barcodes(row)...)
	return containsWords(bilingual.Fold(strings.Join(text, "\n")), words)
}

// barcodes returns the row's barcodes in the upstream's order.
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

// maybeBarcode reports whether text may be a Code 128 barcode, which can have letters.
func maybeBarcode(text string) bool {
	return len(text) >= 4 && !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsSpace(r) })
}

// containsWords reports whether folded text contains every word. It is false if there are no words.
func containsWords(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return len(words) > 0
}
