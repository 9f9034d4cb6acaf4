package naming

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Match is what some words of a question name.
type Match struct {
	Names  []string // more than one: it fits them equally
	Tokens []int    // places of the words
	Whole  bool     // they are all that the name is told by
}

// Named is the one name; empty where there are several.
func (m Match) Named() string {
	if len(m.Names) == 1 {
		return m.Names[0]
	}
	return ""
}

// List is names of one sort: warehouses, channels, counterparties.
type List struct {
	Names      []string
	words      [][]words.Form // what tells each from the others
	Vocabulary *words.Vocabulary
}

// NewList makes names findable.
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

var generic = func() (all []words.Word) {
	for _, text := range strings.Fields(genericText) {
		all = append(all, words.ParseWord(text))
	}
	return all
}()

// IsGeneric reports whether a word says only of what sort a name is: "склад", "ООО".
func IsGeneric(t words.Token) bool {
	return slices.ContainsFunc(generic, func(w words.Word) bool { return w.Is(t) })
}

// companies are the generic words that stand before the name of a company.
var companies = words.ParseWord("ооо|оао|зао|пао|ао|ип|тоо|чп|llc|ltd|inc")

// IsCompany reports whether a word is the form of a company, before its name.
func IsCompany(t words.Token) bool { return t.IsWord() && companies.Is(t) }

// tellingWords are the words of a name but for forms of companies and the like; all where there is nothing else.
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

// Find lists what words of the question name, in the order of the question. Free says which words may belong to a name.
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

// matched are the places of a name's words that stand in a row from a token on.
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

// alternative is a word as it may stand in a name; translations may have been said in several words.
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
	said  words.Phrase
	forms []words.Form
}

// translations are found by what the first word of the phrase sounds like.
var translations, translated = func() (map[string][]translation, *words.Vocabulary) {
	all, vocabulary := map[string][]translation{}, words.NewVocabulary()
	vocabulary.Rare = true
	add := func(said, meant string) {
		t := translation{said: words.ParsePhrase(said)}
		for _, one := range strings.Fields(meant) {
			t.forms = append(t.forms, words.FormOf(one))
		}
		first, _, _ := strings.Cut(said, " ")
		f := words.FormOf(first)
		for _, key := range slices.Compact([]string{f.Full, f.Key}) {
			all[key] = append(all[key], t)
		}
		for _, w := range t.said {
			vocabulary.Add(w)
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

// Translated are the words of the lexicon of translations.
func Translated() *words.Vocabulary { return translated }

// alternatives are a word itself and its translations.
func alternatives(tokens []words.Token, at int) []alternative {
	var all []alternative
	for _, f := range tokens[at].Forms {
		all = append(all, alternative{f, 1})
		for _, key := range []string{f.Full, f.Key} {
			for _, t := range translations[key] {
				if !t.said.At(tokens, at) {
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
