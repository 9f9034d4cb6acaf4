package naming

import (
	_ "embed"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Kind says what sort of thing a word names, in any question.
type Kind string

// The kinds. A word with a kind need not name anything in the account.
const (
	Thing Kind = "thing" // goods
	Place Kind = "place" // of a warehouse
	Firm  Kind = "firm"  // a counterparty or a marketplace
)

var (
	//go:embed data/things.txt
	thingsText string
	//go:embed data/places.txt
	placesText string
	//go:embed data/firms.txt
	firmsText string
)

// kinds maps the sound of a word, whole and as a stem, to its kind. named has both too, so that such a word is not taken for a misspelt
// one.
var kinds, named = func() (map[string]Kind, *words.Vocabulary) {
	all, vocabulary := map[string]Kind{}, words.NewVocabulary()
	vocabulary.Rare = true
	for _, of := range []struct {
		kind Kind
		text string
	}{{Thing, thingsText}, {Place, placesText}, {Firm, firmsText}} {
		for _, one := range words.Listed(of.text) {
			f := words.FormOf(one)
			all[f.Full] = of.kind
			if len(f.Key) >= shortestKey {
				all[f.Key] = of.kind
			}
			vocabulary.AddForm(f)
		}
	}
	return all, vocabulary
}()

// shortestKey is the least length of a stem that decides the kind.
const shortestKey = 4

// Named returns the vocabulary of words with a kind.
func Named() *words.Vocabulary { return named }

// KindOf returns the kind of a word, or "" if the word alone names nothing.
func KindOf(t words.Token) Kind {
	for _, f := range t.Forms {
		if k := kinds[f.Full]; k != "" {
			return k
		}
		if k := kinds[f.Key]; k != "" && len(f.Key) >= shortestKey {
			return k
		}
	}
	return ""
}
