package naming

import (
	_ "embed"
	"slices"
	"strings"

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
	Names      []string
	words      [][]words.Form // the words of each name that are not generic
	Vocabulary *words.Vocabulary
}

// NewList makes a list in which names can be found.
func NewList(names []string) *List {
	l := &List{Names: names, Vocabulary: words.NewVocabulary()}
	l.Vocabulary.Names = true
	for _, name := range names {
		telling := tellingWords(name)
		l.words = append(l.words, telling)
		for _, f := range telling {
			l.Vocabulary.AddForm(f)
		}
	}
	return l
}

//go:embed data/generic.txt
var genericText string

var generic = words.ParseWord(strings.Join(strings.Fields(genericText), "|"))

// IsGeneric reports whether a word only says what kind of name it is part of: "склад", "ООО".
func IsGeneric(t words.Token) bool { return generic.Is(t) }

// companies are the legal forms and kinds of business that stand before a company's name.
var companies = words.ParseWord("ооо|оао|зао|пао|ао|ип|тоо|чп|llc|ltd|inc|кафе|ресторан|кофейня|гостиница|отель|салон")

// IsCompany reports whether a word is the legal form of a company, or its kind of business.
func IsCompany(t words.Token) bool { return companies.Is(t) }

// tellingWords returns the words of a name that are not generic. If all are generic, it returns all.
func tellingWords(name string) (telling []words.Form) {
	var all []words.Form
	for _, t := range words.Tokens(name) {
		if !t.IsWord() || len([]rune(t.Text)) < 2 {
			continue
		}
		all = append(all, t.Forms[0])
		if !IsGeneric(t) {
			telling = append(telling, t.Forms[0])
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}

// Find lists the names in a question, in its order. free says which words may belong to a name.
func (l *List) Find(tokens []words.Token, free func(int) bool) []Match {
	var found []Match
	for at := 0; at < len(tokens); at++ {
		best := Match{}
		for i, telling := range l.words {
			places := matched(tokens, at, telling, free)
			switch {
			case len(places) == 0 || len(places) < len(best.Tokens):
			case len(places) > len(best.Tokens):
				best = Match{Names: []string{l.Names[i]}, Tokens: places, Whole: len(places) >= len(telling)}
			default:
				best.Names = append(best.Names, l.Names[i])
			}
		}
		if len(best.Tokens) > 0 {
			found = append(found, best)
			at = slices.Max(best.Tokens)
		}
	}
	return found
}

// matched returns the indexes of the words from at on that belong to a name, up to the first that does not.
func matched(tokens []words.Token, at int, telling []words.Form, free func(int) bool) (places []int) {
	for at < len(tokens) && free(at) && tokens[at].IsWord() {
		consumed := 0
		for _, alternative := range alternatives(tokens, at) {
			if slices.ContainsFunc(telling, alternative.same) {
				consumed = max(consumed, alternative.words)
			}
		}
		if consumed == 0 {
			break
		}
		for range consumed {
			places, at = append(places, at), at+1
		}
	}
	return places
}

// alternative is a word that a name may have in place of what was said. A translation may replace several words.
type alternative struct {
	form  words.Form
	words int
}

func (a alternative) same(f words.Form) bool {
	if a.form.Full == f.Full || a.form.Key == f.Key && len(f.Key) > 1 {
		return true
	}
	short, long := a.form.Key, f.Key
	if len(short) > len(long) {
		short, long = long, short
	}
	return len(short) >= 5 && len(long)-len(short) <= 3 && strings.HasPrefix(long, short)
}

//go:embed data/translations.txt
var translationText string

type translation struct {
	said  []words.Word // one after the other
	forms []words.Form
}

// at reports whether what is translated begins at a token.
func (t translation) at(tokens []words.Token, i int) bool {
	for j, w := range t.said {
		if i+j >= len(tokens) || !w.Is(tokens[i+j]) {
			return false
		}
	}
	return true
}

// translations are keyed by the sound of the first word that was said.
var translations, translated = func() (map[string][]translation, *words.Vocabulary) {
	all, vocabulary := map[string][]translation{}, words.NewVocabulary()
	vocabulary.Rare = true
	add := func(said, meant string) {
		var t translation
		for one := range strings.FieldsSeq(meant) {
			t.forms = append(t.forms, words.FormOf(one))
		}
		for one := range strings.FieldsSeq(said) {
			t.said = append(t.said, words.ParseWord(one))
			vocabulary.Add(words.ParseWord(one))
		}
		first := t.said[0][0]
		for _, key := range slices.Compact([]string{first.Full, first.Key}) {
			all[key] = append(all[key], t)
		}
	}
	for line := range strings.Lines(translationText) {
		name, said, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found || strings.HasPrefix(name, "#") {
			continue
		}
		for one := range strings.SplitSeq(said, ",") {
			one = strings.TrimSpace(one)
			if add(one, name); !strings.Contains(one, " ") { // "lamp" alone is not "desk lamp"
				add(name, one)
			}
		}
	}
	return all, vocabulary
}()

// Translated returns the vocabulary of the translations.
func Translated() *words.Vocabulary { return translated }

// alternatives returns a word and its translations.
func alternatives(tokens []words.Token, at int) []alternative {
	var all []alternative
	for _, f := range tokens[at].Forms {
		all = append(all, alternative{f, 1})
		for _, key := range []string{f.Full, f.Key} {
			for _, t := range translations[key] {
				if !t.at(tokens, at) {
					continue
				}
				for _, meant := range t.forms {
					all = append(all, alternative{meant, len(t.said)})
				}
			}
		}
	}
	return all
}
