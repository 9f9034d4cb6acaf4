package offline

import (
	"slices"
	"strings"
	"unicode"
)

// folded makes texts comparable: lower case, ё as е.
func folded(s string) string { return strings.ReplaceAll(strings.ToLower(s), "ё", "е") }

// wordsOf are the words and numbers of a text, folded. A hyphen parts words, a point inside a number does not.
func wordsOf(s string) []string {
	return strings.FieldsFunc(folded(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != ','
	})
}

// endings are what Russian words change at their end, and the English plural, the longest first.
var endings = strings.Fields("иями ями ами ого его ому ему ыми ими ов ев ей ах ях ам ям ом ем ой ый ий ая яя ое ее ые ие ую юю " +
	"ых их ым им ек ок es а я о е ы и у ю ь й s")

// stem drops a word's ending, and leaves at least three letters.
func stem(word string) string {
	for _, ending := range endings {
		if bare, ok := strings.CutSuffix(word, ending); ok && len([]rune(bare)) >= 3 {
			return bare
		}
	}
	return word
}

func stems(s string) string {
	words := wordsOf(s)
	for i, w := range words {
		words[i] = stem(strings.Trim(w, ".,"))
	}
	return strings.Join(words, " ")
}

// mentions tells whether a text names something: each telling word of the name stands in it, in whatever case.
func mentions(textStems []string, name string) bool {
	telling := 0
	for word := range strings.FieldsSeq(stems(name)) {
		if genericPlace(word) {
			continue
		}
		telling++
		if !slices.Contains(textStems, word) {
			return false
		}
	}
	return telling > 0
}

// genericPlace tells words that are in many names of warehouses.
func genericPlace(word string) bool {
	return slices.Contains([]string{"склад", "магазин", "пункт", "выдач", "warehous", "warehouse", "stor", "store", "на"}, word)
}

// hasTerm tells whether one of the words begins with one of the alternatives of a term, "a/b/c". With "=" before it an
// alternative is a whole word.
func hasTerm(words []string, term string) bool {
	for alternative := range strings.SplitSeq(term, "/") {
		whole, exact := strings.CutPrefix(alternative, "=")
		if slices.ContainsFunc(words, func(w string) bool {
			w = strings.Trim(w, ".,")
			return exact && w == whole || !exact && strings.HasPrefix(w, whole)
		}) {
			return true
		}
	}
	return false
}
