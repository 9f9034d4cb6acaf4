package naming

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Match is a group of words in a question, with the names that they fit.
type Match struct {
	Names  []string // more than one if the words fit several equally
	Tokens []int    // indexes of the words
	Whole  bool     // the words are all that the name needs
}

// Named returns the name, or "" if there are several.
func (m Match) Named() string {
	if len(m.Names) == 1 {
		return m.Names[0]
	}
	return ""
}

// List holds names of one kind: warehouses, channels or counterparties.
type List struct {
	index
	Names   []string
	lengths []int // in telling words
}

// NewList makes a list in which names can be found.
func NewList(names []string) *List {
	l := &List{index: newIndex(), Names: names}
	for id, name := range names {
		telling := tellingWords(name)
		l.lengths = append(l.lengths, len(telling))
		for _, t := range telling {
			keys := l.learn(t)
			if surname.MatchString(t.Text) {
				keys = append(keys, l.learn(words.Tokens(strings.TrimRight(t.Text, "аА") + "ым")[0])...)
			}
			for _, key := range keys {
				post(l.byWord, key, uint32(id))
			}
		}
	}
	return l
}

// surname matches a name whose cases have two stems: «Петров» and «Петровым», «Петровой».
var surname = regexp.MustCompile(`(?i)\p{L}{2}[ое]ва?$`)

//go:embed data/generic.txt
var genericText string

var generic = words.ParseWord(strings.Join(strings.Fields(genericText), "|"))

// IsGeneric reports whether a word only says what kind of name it is part of: "склад", "ООО".
func IsGeneric(t words.Token) bool { return generic.Is(t) }

//go:embed data/companies.txt
var companiesText string

// companies are the legal forms and kinds of business that stand before a company's name.
var companies = words.ParseWord(strings.Join(strings.Fields(companiesText), "|"))

// IsCompany reports whether a word is the legal form of a company, or its kind of business.
func IsCompany(t words.Token) bool { return companies.Is(t) }

// tellingWords returns the words of a name that are not generic. If all are generic, it returns all.
func tellingWords(name string) []words.Token {
	all := slices.DeleteFunc(words.Tokens(name), func(t words.Token) bool {
		return !t.IsWord() || utf8.RuneCountInString(t.Text) < 2
	})
	if telling := slices.DeleteFunc(slices.Clone(all), IsGeneric); len(telling) > 0 {
		return telling
	}
	return all
}

// Find lists the names in a question, in its order. free says which words may belong to a name.
func (l *List) Find(tokens []words.Token, free func(int) bool) []Match {
	var found []Match
	hits := l.hits(tokens)
	for at := 0; at < len(tokens); at++ {
		ids, places := from(hits, at, 1, free)
		if len(places) == 0 {
			continue
		}
		m := Match{Tokens: places, Whole: len(places) >= l.lengths[ids[0]]}
		for _, id := range ids {
			m.Names = append(m.Names, l.Names[id])
		}
		found = append(found, m)
		at = places[len(places)-1]
	}
	return found
}
