package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// searchResult has the products, variants, bundles and services that match a query.
type searchResult struct {
	rows          []moysklad.Product
	salePrices    map[string][]moysklad.Price // by the id of the row
	searchIgnored bool                        // the upstream sent rows, but none of them contains the query
}

func (r searchResult) has(id string) bool {
	return slices.ContainsFunc(r.rows, func(row moysklad.Product) bool { return row.ID == id })
}

// maxMisses is the number of rows without a match after which the upstream must have ignored the query.
const maxMisses = 300

// searchAssortment searches by name, code, article and barcode. It asks for the longest word and checks every row,
// because the upstream's search is unreliable: it ignores barcodes, finds several words only if they are adjacent, and
// has been seen to ignore the query and send the whole catalogue.
func (run *Run) searchAssortment(ctx context.Context, query string) (searchResult, error) {
	return run.searchIn(ctx, query, moysklad.Query{Expand: []string{"product"}})
}

// searchArchived searches archived goods. Unless it is to expand products, it takes one call for each thousand.
func (run *Run) searchArchived(ctx context.Context, query string, expand ...string) (searchResult, error) {
	return run.searchIn(ctx, query, moysklad.Query{Filter: moysklad.Filter{}.Is("archived", "true"), Expand: expand})
}

func (run *Run) searchIn(ctx context.Context, query string, scope moysklad.Query) (searchResult, error) {
	words := strings.Fields(bilingual.Fold(query))
	found := searchResult{salePrices: map[string][]moysklad.Price{}}
	byName := scope
	byName.Search = slices.MaxFunc(strings.Fields(query), func(a, b string) int { return len(a) - len(b) })
	if err := run.collectMatches(ctx, byName, words, []string{bilingual.Fold(byName.Search)}, &found); err != nil {
		return found, err
	}
	if token := strings.TrimSpace(query); len(found.rows) == 0 && maybeBarcode(token) || isNumericBarcode(token) {
		byCode := scope
		byCode.Filter = scope.Filter.Is("barcode", token)
		if err := run.collectMatches(ctx, byCode, words, words, &found); err != nil {
			return found, err
		}
	}
	found.searchIgnored = found.searchIgnored && len(found.rows) == 0
	slices.SortStableFunc(found.rows, func(a, b moysklad.Product) int { return cmp.Compare(fit(a, query), fit(b, query)) })
	return found, nil
}

// fit says how well a row fits a query: 0 for its code, 1 for its article, 2 for its name, 3 for a part of these or a
// barcode. A code may also be the end of another product's barcode.
func fit(row moysklad.Product, query string) int {
	query = bilingual.Fold(query)
	for i, text := range []string{row.Code, row.Article, row.Name} {
		if text != "" && bilingual.Fold(text) == query {
			return i
		}
	}
	return 3
}

// collectMatches adds the rows of one list that contain all words. It adds each product only once. searched has the
// words that the upstream was asked for. collectMatches stops after [maxMisses] rows without these words if it has found
// nothing. Otherwise it reads the list to its end, however many rows contain only some of words: figures depend on it.
func (run *Run) collectMatches(ctx context.Context, query moysklad.Query, words, searched []string, found *searchResult) error {
	misses := 0
	run.readAt(run.Now())
	for row, err := range run.Client.Assortment(ctx, query) {
		card := row.Card
		switch {
		case err != nil:
			return err
		case found.has(card.ID):
		case rowContains(card, words):
			found.rows = append(found.rows, card)
			found.salePrices[card.ID] = row.SalePrices
		case !rowContains(card, searched):
			misses++
		}
		if len(found.rows) == 0 && misses >= maxMisses {
			break
		}
	}
	found.searchIgnored = found.searchIgnored || misses > 0
	return nil
}

// rowContains reports whether each word occurs in one of the row's names or codes.
func rowContains(row moysklad.Product, words []string) bool {
	text := []string{row.Name, row.Code, row.Article}
	if row.Product != nil {
		text = append(text, row.Product.Name)
	}
	text = append(text, barcodes(row)...)
	return containsWords(bilingual.Fold(strings.Join(text, "\n")), words)
}

// barcodes returns the row's barcodes in the order in which the upstream sends them.
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

// maybeBarcode reports whether text may be a Code 128 barcode. Such barcodes can contain letters.
func maybeBarcode(text string) bool {
	return len(text) >= 4 && !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsSpace(r) })
}

// containsWords reports whether text, which must be folded, contains every word. It is false if there are no words.
func containsWords(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return len(words) > 0
}
