package literal

import (
	"math"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// AllRows is the number of rows that a text asks for with "all".
const AllRows = math.MaxInt32

// RowsAsked returns how many rows of a list a plain text asks for: all of them in "show me all orders" and "the whole list", 30 in "list
// 30 orders". It returns 0 if the text does not say.
func RowsAsked(text string) (rows int) {
	numbers := map[int]int{}
	for f := range Figures(text) {
		if readings := f.Literal(text).Readings; f.Bare() && f.Date.None() && len(readings) == 1 && readings[0].Value.IsInteger() {
			numbers[f.From] = int(min(readings[0].Value.IntPart(), AllRows))
		}
	}
	lists, every := false, false // whether the word before asks for a list, or for all
	for _, word := range plain.Words(text) {
		is := word.Text
		switch {
		case vocabulary.Unabridged[is], vocabulary.Lists[is] && every, vocabulary.Every[is] && lists:
			return AllRows
		case lists:
			rows = max(rows, numbers[word.Start])
		}
		if !vocabulary.Between[is] {
			lists, every = vocabulary.Lists[is], vocabulary.Every[is]
		}
	}
	return rows
}
