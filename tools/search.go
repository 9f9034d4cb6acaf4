package tools

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// hits are the assortment rows that really contain a query.
type hits struct {
	rows       []moysklad.Product
	notApplied bool // the upstream sent rows, and none of them contains the query: it did not search
}

// patience is how many rows without a hit are read before the list is taken for the unfiltered catalogue.
const patience = 300

// find searches the assortment by name, code, article and barcode. The upstream's search does not look at barcodes and
// has been seen to be ignored, sending the whole catalogue; so every row is checked here.
func (c *Call) find(ctx context.Context, query string) (hits, error) {
	words := strings.Fields(folded(query))
	var found hits
	if err := c.collect(ctx, moysklad.Query{Search: query}, words, &found); err != nil {
		return found, err
	}
	if token := strings.TrimSpace(query); len(found.rows) == 0 && likeBarcode(token) || isNumber(token) {
		byCode := moysklad.Query{Filter: moysklad.Filter{}.Is("barcode", token)}
		if err := c.collect(ctx, byCode, words, &found); err != nil {
			return found, err
		}
	}
	found.notApplied = found.notApplied && len(found.rows) == 0
	return found, nil
}

// collect adds the rows of one list that contain all words, each product once. A list that does not contain the query
// for long is given up.
func (c *Call) collect(ctx context.Context, query moysklad.Query, words []string, found *hits) error {
	query.Expand = []string{"product"}
	read := 0
	c.ReadAt(c.Now())
	for row, err := range c.Client.Assortment(ctx, query) {
		if err != nil {
			return err
		}
		read++
		switch {
		case slices.ContainsFunc(found.rows, func(other moysklad.Product) bool { return other.ID == row.ID }):
		case contains(row, words):
			found.rows = append(found.rows, row)
		case len(found.rows) == 0 && read >= patience:
			found.notApplied = true
			return nil
		}
	}
	found.notApplied = found.notApplied || read > 0
	return nil
}

// contains reports whether every word stands in one of the row's names or codes.
func contains(row moysklad.Product, words []string) bool {
	text := []string{row.Name, row.Code, row.Article}
	if row.Product != nil {
		text = append(text, row.Product.Name)
	}
	text = append(text, barcodes(row)...)
	return containsWords(folded(strings.Join(text, "\n")), words)
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

func isNumber(text string) bool {
	return len(text) >= 8 && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
}

// likeBarcode is for code 128, which holds letters too.
func likeBarcode(text string) bool {
	return len(text) >= 4 && !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsSpace(r) })
}
